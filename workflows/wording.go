package workflows

import (
	"fmt"
	"strings"
	"time"

	"dw/receipts"
)

// clockText writes t for a person who reads at now, in now's zone: the time of
// day, and the date where it is another day.
func clockText(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04 MST")
	}
	return t.Format("15:04 MST on 2 January 2006")
}

func (p Person) shown() string {
	switch {
	case p.Name != "":
		return p.Name
	case p.User != "":
		return p.User
	}
	return "nobody"
}

// linksText lists people with their roles: "Ann (owner) or Ben (deputy)".
func linksText(links []Link) string {
	names := make([]string, 0, len(links))
	for _, l := range links {
		names = append(names, fmt.Sprintf("%s (%s)", l.shown(), l.As()))
	}
	return joinOr(names)
}

func joinOr(names []string) string {
	switch len(names) {
	case 0:
		return "nobody"
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func people(links []Link) []Person {
	out := make([]Person, 0, len(links))
	for _, l := range links {
		out = append(out, l.Person)
	}
	return out
}

// human returns p as the actor of a receipt.
func human(p Person) receipts.Actor {
	return receipts.Actor{Kind: receipts.ActorHuman, Team: clean(p.Team), User: clean(p.User), Name: clean(p.Name)}
}

// itself returns dw as the actor of a receipt.
func itself() receipts.Actor { return receipts.Actor{Kind: receipts.ActorDW, Name: "dw"} }

// clean makes foreign text fit for a receipt, which refuses invalid UTF-8.
func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// timeOr returns t as a value of a receipt, and "" where it is unset, since a
// receipt refuses a zero time.
func timeOr(t time.Time) receipts.Value {
	if t.IsZero() {
		return ""
	}
	return t
}

func joinAnd(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
