package workflows

import (
	"slices"
	"time"

	"dw/diagnosis"
)

// hashPrefixLen is how many hex digits of the hash a button carries: 16 bytes.
const hashPrefixLen = 32

// Final reports whether no edge leaves s. Halted is not final: a person still
// chooses what becomes of it.
func (s ProposalState) Final() bool {
	switch s {
	case Waiting, Approved, Executing, Halted:
		return false
	}
	return true
}

// Fingerprint returns the first 8 hex digits of the hash: what card and receipt
// show for people to compare.
func (p Proposal) Fingerprint() string { return p.Hash[:min(8, len(p.Hash))] }

// HashPrefix returns the first 16 bytes of the hash in hex: what a button carries.
func (p Proposal) HashPrefix() string { return p.Hash[:min(hashPrefixLen, len(p.Hash))] }

// Asked returns the links that were asked so far: these people can decide.
func (p Proposal) Asked() []Link {
	var asked []Link
	for _, l := range p.Chain {
		if !l.AskedAt.IsZero() {
			asked = append(asked, l)
		}
	}
	return asked
}

// Next returns the links that are asked next, none where nobody is left.
func (p Proposal) Next() []Link { return p.nextOf(1) }

// nextOf returns at least so many of those who were not asked yet, with a member
// of a group all of its members, any of whom may answer, and with each whoever
// stands in for them, who adds nobody to the number.
func (p Proposal) nextOf(least int) []Link {
	var next []Link
	for _, l := range p.Chain {
		if !l.AskedAt.IsZero() {
			continue
		}
		if places(next) >= least && !slices.ContainsFunc(next, l.together) {
			break
		}
		next = append(next, l)
	}
	return next
}

// together reports whether two links are asked at the same time.
func (l Link) together(m Link) bool {
	return l.GroupID != "" && l.GroupID == m.GroupID && l.Role == m.Role || l.For.Same(m.Person)
}

// places counts the places that links hold: a person and their stand-ins hold one.
func places(links []Link) int {
	var held []Person
	for _, l := range links {
		if who := l.principal(); !slices.ContainsFunc(held, who.Same) {
			held = append(held, who)
		}
	}
	return len(held)
}

// ask marks who is asked next as asked at now, and returns them.
func (p Proposal) ask(least int, now time.Time) []Link {
	next := p.nextOf(least)
	for n := range p.Chain {
		if slices.ContainsFunc(next, func(l Link) bool { return l.Same(p.Chain[n].Person) }) {
			p.Chain[n].AskedAt = now
		}
	}
	return next
}

// StepsDone reports whether every step is done (or was, before its undo).
func (p Proposal) StepsDone() bool {
	_, open := p.Current()
	return !open
}

// Current returns the index of the first step that is not done, and false where
// all are.
func (p Proposal) Current() (int, bool) {
	for n, s := range p.Steps {
		switch s.State {
		case StepDone, StepUndone, StepSkipped:
		default:
			return n, true
		}
	}
	return 0, false
}

// HoldsOnly reports whether the plan only keeps harm away, so that the numbers
// cannot become right by it.
func (p Proposal) HoldsOnly() bool {
	return !slices.ContainsFunc(p.Plan, func(s diagnosis.PlannedStep) bool { return s.Kind != diagnosis.Hold })
}

// OpenUndo returns the steps whose undo waits for the owner: holds that were
// done, can be undone and have not been, of a proposal that has ended.
func (p Proposal) OpenUndo() []int {
	if p.State != Verified && p.State != Failed && p.State != Halted {
		return nil
	}
	var open []int
	for n, s := range p.Plan {
		if s.Kind == diagnosis.Hold && s.UndoAction != nil && p.Steps[n].State == StepDone {
			open = append(open, n)
		}
	}
	return open
}

func (p Proposal) link(who Person) (Link, bool) {
	for _, l := range p.Chain {
		if l.Same(who) {
			return l, true
		}
	}
	return Link{}, false
}

func (p Proposal) decisionOf(who Person) (Decision, bool) {
	for _, d := range p.Decisions {
		if d.By.Same(who) {
			return d, true
		}
	}
	return Decision{}, false
}

// Approvals returns how many different people's approvals count.
func (p Proposal) Approvals() int { return p.approvals() }

// approvals counts the places of the chain whose humans approved exactly this
// hash: a person and who stands in for them count once.
func (p Proposal) approvals() int {
	var approved []Link
	for _, d := range p.Decisions {
		if l, named := p.link(d.By); named && d.counts(p) {
			approved = append(approved, l)
		}
	}
	return places(approved)
}

// clone copies what transitions write to, so that the old value stays as it was.
func (p Proposal) clone() Proposal {
	p.Chain = slices.Clone(p.Chain)
	p.Decisions = slices.Clone(p.Decisions)
	p.Choices = slices.Clone(p.Choices)
	p.Steps = slices.Clone(p.Steps)
	return p
}

// verifying reports whether step n is a verify step that has begun.
func (p Proposal) verifying(n int) bool {
	return p.Plan[n].Kind == diagnosis.Verify && p.Steps[n].State == StepRunning
}
