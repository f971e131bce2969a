package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dw/receipts"
)

// StopRequest is a person's wish to stop dw or to lift the stop.
type StopRequest struct {
	By         Person
	NotAllowed string // why Slack's facts forbid this person to decide, empty if they do not
	Reason     string
	Channel    string // where it was asked; a domain's channel decides where its card stands
	At         time.Time
}

// Stopper pulls the stop and asks for its end. Pulling takes one person,
// lifting it two.
type Stopper interface {
	PullStop(ctx context.Context, r StopRequest) (Answer, error)
	AskResume(ctx context.Context, r StopRequest) (Answer, error)
	Stopped(ctx context.Context) (Stop, error)
}

var _ Stopper = (*Service)(nil)

// Stopped returns the stop as it stands. Where it cannot be read the error comes
// with a Stop that is on.
func (s *Service) Stopped(ctx context.Context) (Stop, error) {
	var stop Stop
	err := s.store.View(ctx, func(tx ReadTx) error {
		var err error
		stop, err = tx.Stop(ctx)
		return err
	})
	if err != nil {
		return Unreadable(err.Error()), fmt.Errorf("read the stop: %w", err)
	}
	return stop, nil
}

// PullStop stops dw at once, for anybody who is listed in the configuration.
func (s *Service) PullStop(ctx context.Context, r StopRequest) (Answer, error) {
	var a Answer
	err := s.write(ctx, func(w *work) error {
		if a = s.refuseStop(w, r, "stop"); a.Text != "" {
			return nil
		}
		next, out := pull(w.stop, r.By, r.Reason, r.At, w.now)
		w.out.merge(out)
		a = Answer{OK: true, Text: fmt.Sprintf("dw is stopped since %s. Nothing new starts. %s resume asks for its end.", clockText(w.now, w.now), s.command)}
		if err := w.withdrawResumes(ctx, "the stop was pulled again"); err != nil {
			return err
		}
		return s.switchStop(ctx, w, next)
	})
	if err != nil {
		return Answer{}, fmt.Errorf("stop dw: %w", err)
	}
	s.log.WarnContext(ctx, "stop", "actor", r.By.User, "ok", a.OK)
	return a, nil
}

// withdrawResumes takes back what was asked about lifting the stop.
func (w *work) withdrawResumes(ctx context.Context, why string) error {
	waiting, err := w.tx.ProposalsIn(ctx, Waiting)
	if err != nil {
		return fmt.Errorf("list waiting proposals: %w", err)
	}
	w.withdrawWaiting(slices.DeleteFunc(waiting, func(p Proposal) bool { return p.Change == nil || p.Change.Kind != ChangeResume }), why)
	return nil
}

// refuseStop answers who may neither stop nor ask to resume; an empty answer
// lets them.
func (s *Service) refuseStop(w *work, r StopRequest, action string) Answer {
	policies := s.inForceDomains()
	listed := slices.ContainsFunc(policies, func(p Policy) bool { return p.listed(r.By) })
	var why *Refusal
	switch {
	case r.NotAllowed != "":
		why = refuse(RefusedNotAllowed, "You cannot do this: %s. %s can.", r.NotAllowed, namesText(listedIn(policies)))
	case !listed:
		why = refuse(RefusedNotInChain, "Only people who are listed in dw's configuration can do this: %s.", namesText(listedIn(policies)))
	default:
		return Answer{}
	}
	w.out.receipt(receipts.Draft{
		Kind: receipts.KindDecisionRefused, Actor: human(r.By), At: w.now.UTC(),
		Body: receipts.Object{"action": action, "code": string(why.Code), "why": clean(why.Text), "arrived_at": timeOr(r.At)},
	})
	return Answer{Text: why.Text}
}

// switchStop stores the new stop, tells the channels and repaints every live card.
func (s *Service) switchStop(ctx context.Context, w *work, next Stop) error {
	stored, err := w.tx.PutStop(ctx, next)
	if err != nil {
		return fmt.Errorf("write the stop: %w", err)
	}
	w.stop = stored
	text := stopNotice(stored, s.command, w.now)
	if !stored.On {
		text = fmt.Sprintf("The stop is lifted by %s at %s. What waited goes on.", stored.By.shown(), clockText(stored.At, w.now))
	}
	for _, p := range s.inForceDomains() {
		key := fmt.Sprintf("stop/%d/%s", stored.Rev, p.Channel)
		w.out.effect(EffectNotice, key, Notice{Channel: p.Channel, Text: text, Since: stored.At})
	}
	return w.repaint(ctx, fmt.Sprintf("stop%d", stored.Rev))
}

// AskResume asks the others to lift the stop. In a solo domain, where nobody
// else is listed, the one person lifts it.
func (s *Service) AskResume(ctx context.Context, r StopRequest) (Answer, error) {
	var a Answer
	err := s.write(ctx, func(w *work) error {
		if a = s.refuseStop(w, r, "resume"); a.Text != "" {
			return nil
		}
		if !w.stop.On {
			a = Answer{OK: true, Text: "dw is not stopped."}
			return nil
		}
		var err error
		a, err = s.askResume(ctx, w, r)
		return err
	})
	if err != nil {
		return Answer{}, fmt.Errorf("ask to resume: %w", err)
	}
	return a, nil
}

func (s *Service) askResume(ctx context.Context, w *work, r StopRequest) (Answer, error) {
	waiting, err := w.tx.ProposalsIn(ctx, Waiting)
	if err != nil {
		return Answer{}, fmt.Errorf("list waiting proposals: %w", err)
	}
	for _, p := range waiting {
		if p.Change != nil && p.Change.Kind == ChangeResume && p.Change.StopRev == w.stop.Rev && w.now.Before(p.Clocks.ExpiresAt) {
			return Answer{OK: true, Text: fmt.Sprintf("It is asked already (%s): %s can decide until %s.", p.ID, linksText(p.Asked()), clockText(p.Clocks.ExpiresAt, w.now))}, nil
		}
	}
	policy := s.changePolicy(r)
	p, out, err := newChange(changeDraft{
		ID: s.newID("prop"), Nonce: s.newNonce(), Title: "Lift the stop", Policy: policy, By: r.By,
		Change: Change{Kind: ChangeResume, Reason: r.Reason, StopRev: w.stop.Rev}, Deciders: deciders(s.inForceDomains()),
	}, w.now)
	if errors.Is(err, ErrAlone) {
		return s.resumeAlone(ctx, w, r, policy)
	}
	if err != nil {
		return Answer{}, err
	}
	w.setProposal(p, out)
	return Answer{OK: true, Text: fmt.Sprintf("Asked (%s): %s can decide until %s. dw stays stopped until then; silence never lifts it.",
		p.ID, linksText(p.Asked()), clockText(p.Clocks.ExpiresAt, w.now))}, nil
}

// resumeAlone lifts the stop for a team of one, if its configuration says so.
func (s *Service) resumeAlone(ctx context.Context, w *work, r StopRequest, policy Policy) (Answer, error) {
	if !policy.Solo {
		return Answer{Text: "Nobody else is listed who could approve it. Add a deputy to dw's configuration, or solo: true for a team of one."}, nil
	}
	next := Stop{By: r.By, Reason: r.Reason, At: w.now.UTC(), Rev: w.stop.Rev + 1}
	w.out.receipt(stopReceipt(receipts.KindStopLifted, r.By, next.Rev, w.now, receipts.Object{"solo": true, "reason": receipts.FreeText(clean(r.Reason))}))
	if err := s.switchStop(ctx, w, next); err != nil {
		return Answer{}, err
	}
	return Answer{OK: true, Text: "The stop is lifted (solo)."}, s.goOn(ctx, w)
}

// changePolicy is the policy in whose channel a change is asked: the channel's
// own, else the first in which the person stands.
func (s *Service) changePolicy(r StopRequest) Policy {
	policies := s.inForceDomains()
	for _, p := range policies {
		if p.Channel == r.Channel {
			return p
		}
	}
	at := slices.IndexFunc(policies, func(p Policy) bool { return p.listed(r.By) })
	return policies[max(at, 0)]
}

// applyChange puts an approved policy change in force.
func (s *Service) applyChange(ctx context.Context, w *work, p Proposal) error {
	if p.Change.Kind == ChangePolicy {
		return s.applyPolicy(ctx, w, p)
	}
	next, out, refusal := lift(w.stop, p, w.now)
	if refusal != nil {
		w.setProposal(notInForce(p, refusal.Text, w.now))
		return nil
	}
	more := p.stopClocks()
	out.merge(more)
	w.setProposal(inForce(p), out)
	if err := s.switchStop(ctx, w, next); err != nil {
		return err
	}
	return s.goOn(ctx, w)
}

// goOn lets what the stop held back begin.
func (s *Service) goOn(ctx context.Context, w *work) error {
	held, err := w.tx.ProposalsIn(ctx, Approved, Executing, Halted)
	if err != nil {
		return fmt.Errorf("list what waits: %w", err)
	}
	for _, p := range held {
		p, err := w.proposal(ctx, p.ID)
		if err != nil {
			return err
		}
		w.out.merge(relaunch(p, w.stop.Rev))
		if err := s.carryOn(ctx, w, p.ID); err != nil {
			return err
		}
	}
	return nil
}

// relaunch queues dw's own step again where the delivery that the stop turned
// away was the last one; an effect's key is used once, so it carries the stop's
// revision.
func relaunch(p Proposal, rev int64) Outcome {
	var out Outcome
	if n, open := p.undoNext(); open && planUndo(p, n) != launchNothing {
		out.effect(EffectStep, fmt.Sprintf("%s/resumed/%d", undoSubject(p.ID, n), rev), StepRef{Proposal: p.ID, Step: n, Undo: true})
	}
	n, open := p.Current()
	if open && planLaunch(p, n) != launchNothing {
		out.effect(EffectStep, fmt.Sprintf("%s/resumed/%d", stepSubject(p.ID, n), rev), StepRef{Proposal: p.ID, Step: n})
	}
	return out
}
