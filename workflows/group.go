package workflows

import (
	"context"
	"errors"
	"time"
)

// Group is a user group of Slack whose members hold a place of a chain.
type Group struct {
	Name string `json:"name"` // as dw's configuration calls it
	ID   string `json:"id"`   // S…
}

// String names the group for people: "leads (S0123ABC)".
func (g Group) String() string { return g.Name + " (" + g.ID + ")" }

// Groups tells who is in a user group now. A group that does not exist or cannot
// be read is an error; an empty one an empty Watch.
type Groups interface {
	// Members returns those who can be asked, and says who cannot and why.
	Members(ctx context.Context, g Group) (Watch, error)
	// Has reports whether the user is a member.
	Has(ctx context.Context, group, user string) (bool, error)
}

var errNoGroups = errors.New("dw reads no user groups")

// Standing is what was read at a click about the place in the chain of who
// clicked; its zero value is that they still stand there. It matters only to
// those who stand there by a group.
type Standing struct {
	Left   string // the group by which the person stood there and has left
	Unread string // why the group cannot be read
	Ended  string // why the delegation by which they stand there does not hold
}

// standing reads whether who clicks is still in the group by which they stand in
// the chain. It asks outside any transaction, bounded as a click is.
func (s *Service) standing(ctx context.Context, proposal string, by Person) Standing {
	if s.groups == nil {
		return Standing{Unread: errNoGroups.Error()}
	}
	p, err := s.proposalNow(ctx, proposal)
	if err != nil {
		return Standing{Unread: clean(err.Error())}
	}
	link, named := p.link(by)
	if !named || !link.byGroup() {
		return Standing{}
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	in, err := s.groups.Has(ctx, link.GroupID, by.User)
	switch {
	case err != nil:
		s.log.WarnContext(ctx, "a group could not be read at the click", "proposal", proposal, "actor", by.User, "error", err)
		return Standing{Unread: clean(err.Error())}
	case !in:
		return Standing{Left: link.Group}
	}
	return Standing{}
}

// refuseLeft holds the group's members of now against the chain (approvals.md
// rule 3): who has left it no longer decides, and what cannot be read is not
// taken to be so.
func refuseLeft(p Proposal, r DecideRequest, _ time.Time) *Refusal {
	return r.Standing.refusal(p, r.By)
}

func (st Standing) refusal(p Proposal, by Person) *Refusal {
	link, named := p.link(by)
	if !named {
		return nil
	}
	if refusal := st.refuseEnded(p, link); refusal != nil || !link.byGroup() {
		return refusal
	}
	switch {
	case st.Left != "":
		return refuse(RefusedLeftGroup, "You were asked as a member of group %s and have left it since. %s can decide.", st.Left, linksText(others(p.Asked(), by)))
	case st.Unread != "":
		return refuse(RefusedLeftGroup, "You were asked as a member of group %s, and who is in it cannot be read now (%s). Nothing is recorded; click again in a moment.", link.Group, st.Unread)
	}
	return nil
}

// byGroup reports whether the person stands there by a group alone.
func (l Link) byGroup() bool { return l.GroupID != "" && !l.Named }

// others are the links of everybody but who.
func others(links []Link, who Person) []Link {
	var out []Link
	for _, l := range links {
		if !l.Same(who) {
			out = append(out, l)
		}
	}
	return out
}
