package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dw/receipts"
)

// Decide records a named person's verdict, with its receipt and effects in one
// transaction, and starts the work where it may start at once. The error tells
// that nothing was recorded; a refusal is an Answer, recorded too.
func (s *Service) Decide(ctx context.Context, r DecideRequest) (Answer, error) {
	var a Answer
	r.Standing = s.standing(ctx, r.Proposal, r.By)
	err := s.write(ctx, func(w *work) error {
		var err error
		a, err = s.decideIn(ctx, w, r)
		return err
	})
	if err != nil {
		return Answer{}, fmt.Errorf("record decision on proposal %s: %w", r.Proposal, err)
	}
	s.log.InfoContext(ctx, "decision", "proposal", r.Proposal, "actor", r.By.User, "verdict", string(r.Verdict), "ok", a.OK)
	return a, nil
}

func (s *Service) decideIn(ctx context.Context, w *work, r DecideRequest) (Answer, error) {
	if r.At.IsZero() {
		r.At = w.now
	}
	p, err := w.proposal(ctx, r.Proposal)
	if errors.Is(err, ErrNotFound) {
		return w.refuseUnknown(r.Proposal, r.By, "decide"), nil
	}
	if err != nil {
		return Answer{}, err
	}
	if r.Standing.Ended, err = w.delegated(ctx, p, r.By, r.At); err != nil {
		return Answer{}, err
	}
	next, out, refusal := decide(p, r, w.now)
	if refusal != nil {
		w.out.merge(out)
		if expired, more := expire(p, w.now); expired.State != p.State {
			w.setProposal(expired, more)
		}
		return Answer{OK: refusal.Code == RefusedAlready && repeats(p, r), Text: refusal.Text}, nil
	}
	w.setProposal(next, out)
	if next.Change == nil {
		if err := s.endBlocked(ctx, w, next.Incident); err != nil {
			return Answer{}, err
		}
	}
	if chooses(r.Verdict) {
		if err := s.carryOn(ctx, w, next.ID); err != nil {
			return Answer{}, err
		}
		if r.Verdict == GiveUp {
			s.awaitUndo(w, []Proposal{next})
		}
	}
	if err := s.startIfReady(ctx, w, next.ID); err != nil {
		return Answer{}, err
	}
	started, err := w.proposal(ctx, next.ID)
	if err != nil {
		return Answer{}, err
	}
	return Answer{OK: true, Text: decidedAnswer(started, r, w.now)}, nil
}

// repeats reports whether r asks for what the same person has decided already.
func repeats(p Proposal, r DecideRequest) bool {
	if chooses(r.Verdict) {
		_, made := p.sameChoice(r)
		return made
	}
	d, found := p.decisionOf(r.By)
	return found && d.Verdict == r.Verdict
}

func decidedAnswer(p Proposal, r DecideRequest, now time.Time) string {
	switch r.Verdict {
	case RollBack, GiveUp, Renew:
		return fmt.Sprintf("Your choice for %q is recorded at %s: %s.", p.Title, clockText(r.At, now), choiceText(r.Verdict))
	case Revoke:
		return fmt.Sprintf("Your approval of %q is revoked at %s. Nothing was started.", p.Title, clockText(r.At, now))
	case Withdraw:
		return fmt.Sprintf("Your request %q is withdrawn at %s.", p.Title, clockText(r.At, now))
	}
	if r.Verdict == Approve && p.State == Waiting {
		return fmt.Sprintf("Your approval of %q is recorded at %s: %d of %d.", p.Title, clockText(r.At, now), p.approvals(), p.Quorum)
	}
	text := fmt.Sprintf("Your decision (%s) on %q (%s) is recorded at %s.", r.Verdict, p.Title, p.Fingerprint(), clockText(r.At, now))
	switch {
	case p.State == Approved && p.callsItself(0) && len(p.After) == 0:
		text += fmt.Sprintf(" dw reads its target again and then starts, before %s.", clockText(p.Clocks.ExecuteBefore, now))
	case p.State == Approved:
		text += fmt.Sprintf(" It starts when what it waits for is done, before %s.", clockText(p.Clocks.ExecuteBefore, now))
	}
	return text
}

// refuseUnknown answers a click on a request that dw does not have.
func (w *work) refuseUnknown(proposal string, by Person, action string) Answer {
	text := "dw has no such request; the card may be from another installation. Use the newest card of the incident."
	w.out.receipt(receipts.Draft{
		Kind: receipts.KindDecisionRefused, Proposal: clean(proposal), Actor: human(by), At: w.now.UTC(),
		Body: receipts.Object{"action": action, "code": string(RefusedUnknown), "why": text},
	})
	return Answer{Text: text}
}

// MarkDone records that a named person carried out a step, or its undo, and
// lets the next step begin.
func (s *Service) MarkDone(ctx context.Context, r DoneRequest) (Answer, error) {
	var a Answer
	r.Seen, r.Standing = s.look(ctx, r), s.standing(ctx, r.Proposal, r.By)
	err := s.write(ctx, func(w *work) error {
		var err error
		a, err = s.markDoneIn(ctx, w, r)
		return err
	})
	if err != nil {
		return Answer{}, fmt.Errorf("record step %d of proposal %s: %w", r.Step, r.Proposal, err)
	}
	s.log.InfoContext(ctx, "mark done", "proposal", r.Proposal, "actor", r.By.User, "step", r.Step, "ok", a.OK)
	return a, nil
}

// lookWithin bounds reading a step's target at a click; Slack waits three
// seconds for the answer.
const lookWithin = 1500 * time.Millisecond

// look reads whether a step is done before a person's word for it is taken; nil
// where dw cannot read it, or not in time.
func (s *Service) look(ctx context.Context, r DoneRequest) *Observation {
	p, err := s.proposalNow(ctx, r.Proposal)
	if err != nil || r.Undo || r.Step < 0 || r.Step >= len(p.Plan) {
		return nil
	}
	observer, known := s.observer(p.Plan[r.Step].Action)
	if !known {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	seen, err := observer.Observe(ctx, p.Plan[r.Step])
	if err != nil {
		s.log.WarnContext(ctx, "a step could not be read at the click", "proposal", r.Proposal, "step", r.Step, "error", err)
		return nil
	}
	return &seen
}

func (s *Service) markDoneIn(ctx context.Context, w *work, r DoneRequest) (Answer, error) {
	if r.At.IsZero() {
		r.At = w.now
	}
	p, err := w.proposal(ctx, r.Proposal)
	if errors.Is(err, ErrNotFound) {
		return w.refuseUnknown(r.Proposal, r.By, "mark_done"), nil
	}
	if err != nil {
		return Answer{}, err
	}
	if r.Standing.Ended, err = w.delegated(ctx, p, r.By, r.At); err != nil {
		return Answer{}, err
	}
	next, out, refusal := markDone(p, r, s.terms(p.Domain), w.now)
	if refusal != nil && refusal.Code == RefusedNotSeen {
		w.setProposal(next, out)
		return Answer{Text: refusal.Text}, nil
	}
	if refusal != nil {
		w.out.merge(out)
		return Answer{OK: refusal.Code == RefusedAlready, Text: refusal.Text}, nil
	}
	w.setProposal(next, out)
	if !r.Undo || next.State == Halted {
		if err := s.carryOn(ctx, w, next.ID); err != nil {
			return Answer{}, err
		}
	}
	return Answer{OK: true, Text: fmt.Sprintf("Recorded at %s.", clockText(r.At, w.now))}, nil
}

// Acknowledge records that by looks after the incident.
func (s *Service) Acknowledge(ctx context.Context, incident string, by Person, at time.Time) (Answer, error) {
	var a Answer
	err := s.write(ctx, func(w *work) error {
		i, err := w.incident(ctx, incident)
		if errors.Is(err, ErrNotFound) {
			a = Answer{Text: "dw has no such incident."}
			return nil
		}
		if err != nil {
			return err
		}
		next, out, answer := acknowledge(i, by, at, w.now)
		if a = answer; next.AckedBy != i.AckedBy {
			w.setIncident(next, out)
		}
		return nil
	})
	if err != nil {
		return Answer{}, fmt.Errorf("acknowledge incident %s: %w", incident, err)
	}
	return a, nil
}
