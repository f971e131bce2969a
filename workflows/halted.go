package workflows

import (
	"fmt"
	"strings"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// Choice is what a named person chose for a halted run.
type Choice struct {
	By         Person    `json:"by"`
	Role       Role      `json:"role"`
	What       Verdict   `json:"what"`            // RollBack, GiveUp or Renew
	At         time.Time `json:"at"`              // dw's clock when the click arrived
	Before     time.Time `json:"before,omitzero"` // each undo of a roll back must start before it
	ActionTS   string    `json:"action_ts"`
	EnvelopeID string    `json:"envelope_id"`
	EndedAt    time.Time `json:"ended_at,omitzero"` // zero while it is carried out
	Ended      string    `json:"ended,omitempty"`   // how
}

func chooses(v Verdict) bool { return v == RollBack || v == GiveUp || v == Renew }

// Choosable reports whether a person has to choose what becomes of p now.
func (p Proposal) Choosable() bool {
	_, choosing := p.choice()
	return p.State == Halted && p.ReplacedBy == "" && !choosing
}

// choice returns the choice that is being carried out.
func (p Proposal) choice() (Choice, bool) {
	if p.State != Halted || len(p.Choices) == 0 {
		return Choice{}, false
	}
	last := p.Choices[len(p.Choices)-1]
	return last, last.EndedAt.IsZero()
}

// choose records what a person of the chain chose for a halted run. A second
// click of the same delivery is answered, and counts once.
func choose(p Proposal, r DecideRequest, now time.Time) (Proposal, Outcome, *Refusal) {
	for _, guard := range []func(Proposal, DecideRequest, time.Time) *Refusal{refuseSameChoice, refusePerson, refuseLeft, refuseHash, refuseCard, refuseChoice} {
		if refusal := guard(p, r, now); refusal != nil {
			return p, refusedChoice(p, r, refusal, now), refusal
		}
	}
	link, _ := p.link(r.By)
	c := Choice{By: link.Person, Role: link.Role, What: r.Verdict, At: r.At.UTC(), ActionTS: r.ActionTS, EnvelopeID: r.EnvelopeID}
	if c.What == RollBack {
		c.Before = now.UTC().Add(p.ExecuteWithin)
	}
	stood := "is halted"
	if p = p.clone(); p.State == Executing {
		p, stood = p.haltForUndo(), "dw began by itself"
	}
	p.Choices = append(p.Choices, c)
	var out Outcome
	out.receipt(p.draft(receipts.KindHaltedChoice, human(link.Person), now, receipts.Object{
		"choice": string(c.What), "role": string(c.Role), "hash": p.Hash, "number": len(p.Choices), "before": timeOr(c.Before),
		"arrived_at": r.At, "action_ts": clean(r.ActionTS), "envelope_id": clean(r.EnvelopeID),
	}))
	out.note(p.Incident, fmt.Sprintf("%s (%s) chose for %q, which %s: %s.", link.shown(), link.Role, p.Title, stood, choiceText(c.What)))
	switch c.What {
	case GiveUp:
		p = giveUp(p, now, &out)
	case Renew:
		out.set(Deadline{Kind: DeadlineRenew, Subject: p.ID, DueAt: now})
	}
	return p, out, nil
}

func choiceText(v Verdict) string {
	switch v {
	case RollBack:
		return "roll back, the last step first"
	case Renew:
		return "ask anew for the steps that are left"
	}
	return "it has failed, and what is done stays"
}

// giveUp fails a halted run and says what stays done.
func giveUp(p Proposal, now time.Time, out *Outcome) Proposal {
	p.State = Failed
	p = p.endChoice("failed", now)
	out.merge(p.stopClocks())
	var left []string
	for n, s := range p.Steps {
		if s.State == StepDone && p.Plan[n].Kind != diagnosis.Verify {
			left = append(left, fmt.Sprintf("step %d (%s; undo: %s)", n+1, p.Plan[n].Title, p.Plan[n].Undo))
		}
	}
	if len(left) > 0 {
		out.note(p.Incident, fmt.Sprintf("Of %q this stays done: %s.", p.Title, joinAnd(left)), people(p.Asked())...)
	}
	return p
}

func (p Proposal) endChoice(how string, now time.Time) Proposal {
	p = p.clone()
	last := &p.Choices[len(p.Choices)-1]
	last.EndedAt, last.Ended = now.UTC(), how
	return p
}

func (p Proposal) sameChoice(r DecideRequest) (Choice, bool) {
	for _, c := range p.Choices {
		if c.By.Same(r.By) && c.What == r.Verdict && (c.EnvelopeID == r.EnvelopeID || (c.ActionTS != "" && c.ActionTS == r.ActionTS)) {
			return c, true
		}
	}
	return Choice{}, false
}

func refuseSameChoice(p Proposal, r DecideRequest, now time.Time) *Refusal {
	if c, made := p.sameChoice(r); made {
		return refuse(RefusedAlready, "Your choice (%s) was already recorded at %s.", choiceText(c.What), clockText(c.At, now))
	}
	return nil
}

func refuseChoice(p Proposal, r DecideRequest, now time.Time) *Refusal {
	if c, choosing := p.choice(); choosing {
		return refuse(RefusedState, "%s chose at %s: %s.", c.By.shown(), clockText(c.At, now), choiceText(c.What))
	}
	if p.State == Executing && p.ByItself() && p.calling() {
		return refuse(RefusedState, "dw's call is under way; roll it back when it has ended.")
	}
	if !p.Choosable() && (r.Verdict != RollBack || !p.TakesBack()) {
		return refuse(RefusedState, "Nothing is left to choose: the request is %s.", p.State)
	}
	if r.Verdict != RollBack {
		return nil
	}
	var stuck []string
	for n, s := range p.Steps {
		if s.State == StepDone && !p.undoable(n) && !p.Plan[n].Reversible && p.Plan[n].Kind != diagnosis.Verify {
			stuck = append(stuck, fmt.Sprintf("step %d (%s)", n+1, p.Plan[n].Title))
		}
	}
	if len(stuck) > 0 {
		return refuse(RefusedStep, "It cannot be rolled back: %s has no undo. Ask anew for what is left, or let it fail.", strings.Join(stuck, ", "))
	}
	return nil
}

// undoable reports whether step n is done and has an undo.
func (p Proposal) undoable(n int) bool {
	s := p.Plan[n]
	return p.Steps[n].State == StepDone && s.Kind != diagnosis.Verify && (s.UndoAction != nil || (s.Undo != "" && s.Undo != noUndo))
}

func refusedChoice(p Proposal, r DecideRequest, why *Refusal, now time.Time) Outcome {
	var out Outcome
	if why.Code == RefusedAlready {
		return out // Slack delivered the same click twice
	}
	out.receipt(p.draft(receipts.KindDecisionRefused, human(r.By), now, receipts.Object{
		"action": "choose", "verdict": clean(string(r.Verdict)), "code": string(why.Code), "why": clean(why.Text),
		"arrived_at": r.At, "action_ts": clean(r.ActionTS), "envelope_id": clean(r.EnvelopeID),
	}))
	return out
}
