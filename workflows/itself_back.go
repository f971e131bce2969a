package workflows

import (
	"fmt"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// TakesBack reports whether people can have what dw did by itself rolled back
// now: something is done, and no call of dw's is under way.
func (p Proposal) TakesBack() bool {
	if p.State != Executing || !p.ByItself() {
		return false
	}
	_, done := p.undoNext()
	return done && !p.calling()
}

// calling reports whether a call of dw's has begun and not ended.
func (p Proposal) calling() bool {
	for n, s := range p.Steps {
		if s.State == StepRunning && p.Plan[n].Kind != diagnosis.Verify {
			return true
		}
	}
	return false
}

// haltForUndo ends the run of what dw did by itself before it is rolled back; a
// verification that had begun decides nothing about it any more.
func (p Proposal) haltForUndo() Proposal {
	p = p.clone()
	p.State = Halted
	for n, s := range p.Steps {
		if s.State == StepRunning {
			p.Steps[n].State = StepPending
		}
	}
	return p
}

// backItself takes back what dw did by itself and what did not make the numbers
// right: the undo was recorded before. p is as the failed verification leaves it.
func backItself(p Proposal, why string, now time.Time) (Proposal, Outcome) {
	p = p.haltForUndo()
	out := p.stopClocks()
	c := Choice{What: RollBack, At: now.UTC(), Before: now.UTC().Add(p.ExecuteWithin)}
	p.Choices = append(p.Choices, c)
	out.receipt(p.draft(receipts.KindHaltedChoice, itself(), now, receipts.Object{
		"choice": string(c.What), "role": receipts.ActorDW, "hash": p.Hash, "number": len(p.Choices), "before": timeOr(c.Before),
		"level": p.Itself.Level.String(), "why": clean(why),
	}))
	out.note(p.Incident, fmt.Sprintf("What dw did by itself (%q, %s) did not help: %s. dw takes it back by the undo that was recorded before, the last step first, and the incident is yours.",
		p.Title, p.Fingerprint(), why), people(p.Asked())...)
	return p, out
}

// by names who chose, for receipts.
func (c Choice) by() string {
	if c.By.User == "" {
		return receipts.ActorDW
	}
	return c.By.User
}
