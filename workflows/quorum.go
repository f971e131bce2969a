package workflows

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dw/diagnosis"
)

// ByKind is how many different people must approve, by class of action.
type ByKind map[diagnosis.StepKind]int

// ErrNobody says that a proposal's quorum cannot be met by the named people.
var ErrNobody = errors.New("too few named people can decide")

// shortError is ErrNobody with the numbers and who does not count.
type shortError struct {
	needed, left int
	excluded     []string
}

// Error says how many are needed, how many are left, and why.
func (e *shortError) Error() string {
	text := fmt.Sprintf("%v: %d needed, %d left", ErrNobody, e.needed, e.left)
	if len(e.excluded) > 0 {
		text += " (" + strings.Join(e.excluded, "; ") + ")"
	}
	return text
}

// Unwrap returns ErrNobody.
func (e *shortError) Unwrap() error { return ErrNobody }

// quorumOf returns how many different people must approve a plan: what the
// highest of its classes of action needs (approvals.md rule 4). A class that the
// policy does not name needs Quorum; verifying changes nothing and needs none of
// its own.
func (p Policy) quorumOf(steps []diagnosis.PlannedStep) int {
	most := 0
	for _, s := range steps {
		if s.Kind == diagnosis.Verify {
			continue
		}
		needed, named := p.QuorumBy[s.Kind]
		if !named {
			needed = p.Quorum
		}
		most = max(most, needed)
	}
	if most == 0 {
		most = p.Quorum
	}
	return max(1, most)
}

// HighestQuorum returns the most that any plan of the domain can need.
func (p Policy) HighestQuorum() int {
	most := max(1, p.Quorum)
	for _, needed := range p.QuorumBy {
		most = max(most, needed)
	}
	return most
}

// shortage returns a shortError where those of the chain are too few.
func (p Proposal) shortage(policy Policy) error {
	left := places(p.Chain)
	if left >= p.Quorum {
		return nil
	}
	e := &shortError{needed: p.Quorum, left: left}
	for _, c := range policy.candidates() {
		switch why := p.notCounted(c.Person); {
		case c.User == "" || why == "" || p.named(c.Person):
		case !slices.Contains(e.excluded, c.shown()+" "+why):
			e.excluded = append(e.excluded, c.shown()+" "+why)
		}
	}
	return e
}

func (p Proposal) named(who Person) bool {
	_, named := p.link(who)
	return named
}

// notCounted says why somebody never counts for p, "" where nothing forbids it.
func (p Proposal) notCounted(who Person) string {
	if isProposer(p.Proposer, who) {
		return "asked for it and does not count"
	}
	if change := p.madeBy(who); change != "" {
		return "made change " + change + " and does not count"
	}
	return ""
}

// madeBy names the change of the evidence that who made, "" where none is or,
// in solo mode, where there is nobody else.
func (p Proposal) madeBy(who Person) string {
	for _, a := range p.Authors {
		if !p.Solo && a.Person.Same(who) {
			return a.Change
		}
	}
	return ""
}

// unreachable reports whether a waiting proposal can no longer get its quorum,
// because of those who took their approvals back.
func (p Proposal) unreachable() bool {
	var left []Link
	for _, l := range p.Chain {
		if d, decided := p.decisionOf(l.Person); !decided || d.counts(p) {
			left = append(left, l)
		}
	}
	return p.State == Waiting && places(left) < p.Quorum
}
