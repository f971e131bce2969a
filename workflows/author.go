package workflows

import (
	"fmt"
	"slices"

	"dw/receipts"
)

// Author is who made a change that stands among the evidence of the cause: as
// the system that reported it calls them, and the person whom dw's configuration
// says that is.
type Author struct {
	Change string `json:"change"`          // id of the change event
	Who    string `json:"who,omitempty"`   // foreign text; empty: the event names nobody
	Person Person `json:"person,omitzero"` // zero: not known
}

// authors lists who made the changes among the evidence of the best cause, each
// change once (approvals.md rule 4). A name is not matched, only an e-mail or a
// Slack id that the configuration ties to a person.
func (s *Service) authors(i Incident) []Author {
	if i.Diagnosis == nil {
		return nil
	}
	top, _ := i.Diagnosis.Top()
	var out []Author
	for _, e := range top.Evidence {
		if e.Change == "" || slices.ContainsFunc(out, func(a Author) bool { return a.Change == e.Change }) {
			continue
		}
		a := Author{Change: clean(e.Change), Who: clean(e.Who)}
		if s.author != nil && e.Who != "" {
			a.Person, _ = s.author(e.Who)
		}
		out = append(out, a)
	}
	return out
}

// Unchecked says of an author who is not known why nobody is kept from
// approving; "" where the author is known.
func (a Author) Unchecked() string {
	switch {
	case a.Person.User != "":
		return ""
	case a.Who == "":
		return fmt.Sprintf("change %s names nobody", a.Change)
	}
	return fmt.Sprintf("change %s is by %q, whom dw's configuration ties to nobody by e-mail or Slack id", a.Change, a.Who)
}

func authorsDocument(all []Author) []receipts.Value {
	out := make([]receipts.Value, 0, len(all))
	for _, a := range all {
		out = append(out, receipts.Object{"change": a.Change, "who": a.Who, "team": a.Person.Team, "user": a.Person.User})
	}
	return out
}
