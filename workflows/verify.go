package workflows

import (
	"context"
	"fmt"
	"strings"
)

// fireVerify checks the numbers of an incident again.
func (s *Service) fireVerify(ctx context.Context, d Deadline) error {
	v, err := s.recheck(ctx, d.Subject)
	if gone(err) {
		return s.take(ctx, d, func(*work) error { return nil })
	}
	return s.take(ctx, d, func(w *work) error { return s.verified(ctx, w, d.Subject, v, err) })
}

// verifyNow does the same for an effect, which needs no deadline.
func (s *Service) verifyNow(ctx context.Context, incident string) error {
	v, err := s.recheck(ctx, incident)
	if gone(err) {
		return err
	}
	return s.write(ctx, func(w *work) error { return s.verified(ctx, w, incident, v, err) })
}

func (s *Service) recheck(ctx context.Context, incident string) (Verification, error) {
	i, _, err := s.Incident(ctx, incident)
	if err != nil {
		return Verification{}, err
	}
	now := s.now()
	v, err := s.checks.Recheck(ctx, i, now)
	if v.At.IsZero() {
		v.At = now.UTC()
	}
	if err != nil {
		v.OK, v.Problem = false, "could not be asked: "+err.Error()
		return v, fmt.Errorf("check again: %w", err)
	}
	return v, nil
}

// verified records a re-check: right ends proposals and incident, wrong is tried
// again until VerifyWithin and then fails, unasked is tried again and decides
// nothing.
func (s *Service) verified(ctx context.Context, w *work, incident string, v Verification, asked error) error {
	i, err := w.incident(ctx, incident)
	if err != nil || i.State != Verifying {
		return err
	}
	t := s.terms(i.Domain)
	switch verdict := judge(v, asked); {
	case verdict == right:
		return s.verifiedRight(ctx, w, i, v, t)
	case verdict == wrong && w.now.Sub(i.VerifyFrom) >= t.Policy.VerifyWithin:
		return s.verifiedWrong(ctx, w, i, v)
	default:
		v.OK = false
		next, out := verifyAgain(i, v, t, w.now)
		if verdict == unasked && (i.Verification == nil || i.Verification.Problem == "") {
			out.note(i.ID, "The numbers could not be checked again yet; dw keeps trying. "+v.Problem)
		}
		w.setIncident(next, out)
		return nil
	}
}

func (s *Service) verifiedRight(ctx context.Context, w *work, i Incident, v Verification, t Terms) error {
	all, err := w.proposalsOf(ctx, i.ID)
	if err != nil {
		return err
	}
	if unfinished(all) {
		next, out := verifyAgain(i, v, t, w.now)
		if i.Verification == nil || !i.Verification.OK {
			out.note(i.ID, "The numbers are right again; the incident is resolved when the steps that were begun are done.")
		}
		w.setIncident(next, out)
		return nil
	}
	ended := make([]Proposal, 0, len(all))
	for _, p := range all {
		next, out := verifyProposal(p, v, w.now)
		if next.State != p.State {
			w.setProposal(next, out)
			ended = append(ended, next)
		}
	}
	w.withdrawWaiting(all, "the numbers are verified")
	i, out := resolve(i, v, ended, w.now)
	w.setIncident(i, out)
	for _, p := range all {
		if _, choosing := p.choice(); p.State == Halted && !choosing {
			ended = append(ended, p) // what it held is taken back too
		}
	}
	s.awaitUndo(w, ended)
	return nil
}

// awaitUndo asks the owner to take the holds back, and looks for it.
func (s *Service) awaitUndo(w *work, ended []Proposal) {
	for _, p := range ended {
		for _, n := range p.OpenUndo() {
			w.out.note(p.Incident, fmt.Sprintf("The undo of %q is open: %s. %s can carry it out now; it needs no new decision.",
				p.Title, strings.TrimSuffix(p.Plan[n].Undo, "."), linksText(p.Asked())), people(p.Asked())...)
			if s.canObserve(*p.Plan[n].UndoAction) {
				w.out.set(Deadline{Kind: DeadlineObserve, Subject: stepSubject(p.ID, n), DueAt: w.now.Add(s.policy(p.Domain).ObserveEvery)})
			}
		}
	}
}

func (s *Service) verifiedWrong(ctx context.Context, w *work, i Incident, v Verification) error {
	all, err := w.proposalsOf(ctx, i.ID)
	if err != nil {
		return err
	}
	var back []string
	for _, p := range all {
		next, out := failVerify(p, stillWrong(v), w.now)
		if next.State != p.State && p.ByItself() {
			next, out = backItself(p, "the numbers are still wrong: "+stillWrong(v), w.now)
			back = append(back, p.ID)
		}
		if next.State != p.State {
			w.setProposal(next, out)
		}
	}
	next, out := verifyFailed(i, v, w.now)
	w.setIncident(next, out)
	for _, id := range back {
		if err := s.carryOn(ctx, w, id); err != nil {
			return err
		}
	}
	return nil
}
