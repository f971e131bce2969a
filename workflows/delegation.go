package workflows

import (
	"fmt"
	"time"

	"dw/receipts"
)

// The limits of a delegation: the longest window, and how far ahead it may begin.
const (
	maxDelegation   = 30 * 24 * time.Hour
	aheadDelegation = 90 * 24 * time.Hour
)

// Delegation names who stands in for somebody for a window (approvals.md rule 6).
// It is never followed further: who stands in hands nothing on.
type Delegation struct {
	ID        string    `json:"id"`
	By        Person    `json:"by"`
	To        Person    `json:"to"`
	Domain    string    `json:"domain,omitempty"` // empty: every domain in whose chain By stands
	From      time.Time `json:"from"`
	Until     time.Time `json:"until"` // the first instant at which it holds no more
	CreatedAt time.Time `json:"created_at"`
	RevokedAt time.Time `json:"revoked_at,omitzero"`
	RevokedBy Person    `json:"revoked_by,omitzero"`
	Rev       int64     `json:"rev"`
}

// Holds reports whether the delegation is in force at a time.
func (d Delegation) Holds(at time.Time) bool {
	return d.RevokedAt.IsZero() && !at.Before(d.From) && at.Before(d.Until)
}

// covers reports whether the delegation is about a domain.
func (d Delegation) covers(domain string) bool { return d.Domain == "" || d.Domain == domain }

// overlaps reports whether both hold at some time, for some domain.
func (d Delegation) overlaps(e Delegation) bool {
	same := d.Domain == "" || e.Domain == "" || d.Domain == e.Domain
	return same && d.RevokedAt.IsZero() && e.RevokedAt.IsZero() && d.From.Before(e.Until) && e.From.Before(d.Until)
}

// where names what the delegation is about.
func (d Delegation) where() string {
	if d.Domain == "" {
		return "every domain of theirs"
	}
	return "the domain " + d.Domain
}

// ended says why a delegation does not hold at a time, "" where it does.
func (d Delegation) ended(at, now time.Time) string {
	switch {
	case !d.RevokedAt.IsZero():
		return "was revoked at " + clockText(d.RevokedAt, now)
	case at.Before(d.From):
		return "begins at " + clockText(d.From, now)
	case !at.Before(d.Until):
		return "ended at " + clockText(d.Until, now)
	}
	return ""
}

func (d Delegation) receipt(kind string, actor Person, now time.Time) receipts.Draft {
	return receipts.Draft{Kind: kind, Actor: human(actor), At: now.UTC(), Body: receipts.Object{
		"id": d.ID, "by": userOf(d.By), "to": userOf(d.To), "domain": clean(d.Domain),
		"from": timeOr(d.From), "until": timeOr(d.Until),
	}}
}

func userOf(p Person) receipts.Object {
	return receipts.Object{"team": clean(p.Team), "user": clean(p.User)}
}

// standIn is the link of who stands in for l, directly after it.
func (d Delegation) standIn(l Link) Link {
	return Link{Person: d.To, Role: l.Role, For: l.Person, Delegation: d.ID, ForUntil: d.Until.UTC().Round(0)}
}

// principal is whose place a link holds: the person's own, unless they stand in
// for somebody and are not named themselves.
func (l Link) principal() Person {
	if l.For.User != "" && !l.Named {
		return l.For
	}
	return l.Person
}

// withStandIns puts behind each of the chain whoever stands in for them now. Who
// never counts for p, or is told only, stands in for nobody, which is said.
func (p *Proposal) withStandIns(policy Policy, delegations []Delegation) {
	var chain []Link
	for _, l := range p.Chain {
		chain = append(chain, l)
		for _, d := range delegations {
			if !d.By.Same(l.Person) {
				continue
			}
			if why := p.noStandIn(policy, d.To); why != "" {
				p.Unresolved = append(p.Unresolved, fmt.Sprintf("%s, who stands in for %s, %s", d.To.shown(), d.By.shown(), why))
				continue
			}
			chain = append(chain, d.standIn(l))
		}
	}
	p.Chain = oncEach(chain)
}

func (p *Proposal) noStandIn(policy Policy, who Person) string {
	if why := p.notCounted(who); why != "" {
		return why
	}
	for _, c := range policy.CC {
		if c.Same(who) {
			return "is told only (cc)"
		}
	}
	return ""
}

// oncEach leaves everybody in the chain once, where they are asked first: who
// stands in for somebody and is in the chain as well counts as themselves.
func oncEach(chain []Link) []Link {
	var out []Link
	for _, l := range chain {
		at := -1
		for n := range out {
			if out[n].Same(l.Person) {
				at = n
			}
		}
		switch {
		case at < 0:
			out = append(out, l)
		case out[at].For.User != "" && l.For.User == "":
			out[at].Named = true
		}
	}
	return out
}

// refuseStandIn keeps a place that its owner or another stand-in has used from
// being used twice.
func refuseStandIn(p Proposal, r DecideRequest, now time.Time) *Refusal {
	link, named := p.link(r.By)
	if !named {
		return nil
	}
	for _, d := range p.Decisions {
		other, there := p.link(d.By)
		if r.Verdict == Approve && there && d.counts(p) && other.principal().Same(link.principal()) {
			return refuse(RefusedAlready, "%s approved this at %s, and the two of you hold one place. You can still reject it.", d.By.shown(), clockText(d.At, now))
		}
	}
	return nil
}

// refuseEnded refuses who stands in by a delegation that does not hold: outside of
// its window, or revoked, it lets nobody act.
func (st Standing) refuseEnded(p Proposal, link Link) *Refusal {
	if st.Ended == "" || link.For.User == "" || link.Named {
		return nil
	}
	return refuse(RefusedDelegation, "You stood in for %s here, and that %s. %s can decide.", link.For.shown(), st.Ended, linksText(others(p.Asked(), link.Person)))
}

// counts reports whether a decision is an approval that counts for p.
func (d Decision) counts(p Proposal) bool {
	return d.Verdict == Approve && d.RevokedAt.IsZero() && d.Hash == p.Hash
}
