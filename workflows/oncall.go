package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Rota says who is on call at a time: a schedule or an escalation policy of the
// pager, one of the two, by its id there.
type Rota struct {
	Name     string `json:"name"` // as dw's configuration calls it
	Schedule string `json:"schedule,omitempty"`
	Policy   string `json:"policy,omitempty"`
}

// String names the rota for people: "nights (schedule PX12ABC)".
func (r Rota) String() string {
	if r.Schedule != "" {
		return r.Name + " (schedule " + r.Schedule + ")"
	}
	return r.Name + " (escalation policy " + r.Policy + ")"
}

// Watch is who is on call of a rota, as Slack users, and who of those on call
// cannot be asked in Slack and why.
type Watch struct {
	People  []Person
	Unasked []string
}

// Pager tells who is on call. A rota that does not exist and a pager that cannot
// be asked are errors; a rota of which nobody is on call is an empty Watch.
type Pager interface {
	OnCall(ctx context.Context, r Rota) (Watch, error)
}

// RotaLink is a place of a domain's chain that is held by whoever is on call, or
// by the members of a user group where Group is set. Place is how many named
// people of the escalation come before it.
type RotaLink struct {
	Role  Role  `json:"role"`
	Place int   `json:"place,omitempty"`
	Rota  Rota  `json:"rota,omitzero"`
	Group Group `json:"group,omitzero"`

	people []Person  // who held it when it was read
	at     time.Time // when that was
}

// String names who holds the place: "on call of nights (schedule PX12ABC)".
func (l RotaLink) String() string {
	if l.Group.ID != "" {
		return "of group " + l.Group.String()
	}
	return "on call of " + l.Rota.String()
}

var errNoPager = errors.New("dw is connected to no pager")

// onCall returns the policy with each rota and group read once: whoever is on
// call or a member stands in its place, and where nobody does, Unresolved says
// why. A chain is never filled with somebody else: its next link is asked.
func (s *Service) onCall(ctx context.Context, p Policy) Policy {
	p.Rotas, p.Unresolved = slices.Clone(p.Rotas), slices.Clone(p.Unresolved)
	for n, link := range p.Rotas {
		watch, err := s.watch(ctx, link)
		p.Rotas[n].people, p.Rotas[n].at = watch.People, s.now()
		if why := watch.missing(link, err); why != "" {
			instead := ""
			if len(watch.People) == 0 {
				instead = "; the rest of the chain is asked instead"
			}
			p.Unresolved = append(p.Unresolved, fmt.Sprintf("%s, %s: %s%s", link.Role, link, why, instead))
		}
	}
	return p
}

func (s *Service) watch(ctx context.Context, l RotaLink) (Watch, error) {
	switch {
	case l.Group.ID != "" && s.groups == nil:
		return Watch{}, errNoGroups
	case l.Group.ID != "":
		return s.groups.Members(ctx, l.Group)
	case s.oncall == nil:
		return Watch{}, errNoPager
	}
	return s.oncall.OnCall(ctx, l.Rota)
}

// missing says why somebody who holds the place, or all of them, cannot be asked.
func (w Watch) missing(l RotaLink, err error) string {
	switch {
	case err != nil && l.Group.ID != "":
		return "who is in it cannot be read: " + clean(err.Error())
	case err != nil:
		return "who it is cannot be read: " + clean(err.Error())
	case len(w.Unasked) > 0:
		return clean(strings.Join(w.Unasked, "; "))
	case len(w.People) == 0 && l.Group.ID != "":
		return "it is empty"
	case len(w.People) == 0:
		return "nobody is"
	}
	return ""
}

// candidates lists the places of the chain in the order in which they are asked.
func (p Policy) candidates() []Link {
	out := append(p.standing(RoleOwner, 0), Link{Person: p.Owner, Role: RoleOwner})
	out = append(out, p.standing(RoleDeputy, 0)...)
	out = append(out, Link{Person: p.Deputy, Role: RoleDeputy})
	for n, who := range p.Escalation {
		out = append(out, p.standing(RoleEscalation, n)...)
		out = append(out, Link{Person: who, Role: RoleEscalation})
	}
	return append(out, p.standing(RoleEscalation, len(p.Escalation))...)
}

// standing lists those on call who hold a place.
func (p Policy) standing(role Role, place int) []Link {
	var out []Link
	for _, r := range p.Rotas {
		if r.Role != role || r.Place != place {
			continue
		}
		for _, who := range r.people {
			out = append(out, r.link(who))
		}
	}
	return out
}

func (l RotaLink) link(who Person) Link {
	out := Link{Person: who, Role: l.Role, ReadAt: l.at.UTC().Round(0)}
	if l.Group.ID != "" {
		out.Group, out.GroupID = l.Group.String(), l.Group.ID
	} else {
		out.OnCall = l.Rota.String()
	}
	return out
}

// As names why a person stands in the chain: "owner", or "escalation, on call of
// nights (schedule PX12ABC)".
func (l Link) As() string {
	switch {
	case l.For.User != "" && l.Named:
		return string(l.Role) + ", also in for " + l.For.shown()
	case l.For.User != "":
		return string(l.Role) + ", in for " + l.For.shown()
	case l.Group != "":
		return string(l.Role) + ", of group " + l.Group
	case l.OnCall != "":
		return string(l.Role) + ", on call of " + l.OnCall
	}
	return string(l.Role)
}
