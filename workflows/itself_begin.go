package workflows

import (
	"context"
	"slices"

	"dw/diagnosis"
)

// offer returns the steps of a planned proposal, and how it stands where its
// playbook is opened for dw to act by itself: without Declined dw begins it, else
// it is asked. What was proposed before in this incident, and so may have been
// rejected or taken back, is always asked.
func (s *Service) offer(w *work, i Incident, planned draftPlan, existing []Proposal) ([]diagnosis.PlannedStep, *Itself) {
	asked, own := s.carriers(planned.Steps), s.ownSteps(planned.Steps)
	if old, found := newestOf(existing, planned.Key); found {
		if same, err := planDigest(planned.Title, own); err == nil && same == digestOf(old) {
			return own, nil
		}
		return asked, nil
	}
	t := s.termsIn(w, i.Domain)
	st := w.governedIn(t.Policy)
	p := Proposal{
		Playbook: playbookOf(causeID(i.Diagnosis), planned.Key), Plan: own, After: planned.After, Snapshot: planned.snapshot,
		Itself: &Itself{Level: st.Policy.Level, SetBy: st.setBy(w.now), Decided: st.Proposal, MovesMoney: movesMoney(i, own)},
	}
	if !t.opens() || !slices.Contains(t.Policy.Playbooks, p.Playbook) {
		return asked, nil
	}
	if r := ruleItself(p, t); r.Permission != Allow {
		p.Itself.Declined = r.Why
		return asked, p.Itself
	}
	return own, p.Itself
}

func digestOf(p Proposal) string {
	digest, err := planDigest(p.Title, p.Plan)
	if err != nil {
		return ""
	}
	return digest
}

// ownSteps gives dw the holds for which it has a connector; who may decide that
// they begin is another matter.
func (s *Service) ownSteps(steps []diagnosis.PlannedStep) []diagnosis.PlannedStep {
	steps = s.carriers(steps)
	for n, step := range steps {
		if _, offered := s.actuators[step.Action.System]; offered && step.Kind == diagnosis.Hold && step.By == diagnosis.ByOwner {
			steps[n].By = diagnosis.ByDW
		}
	}
	return steps
}

// beginItself is the transaction in which dw begins an offered proposal, or has
// people decide it: the stop, the level, the list and the facts are what they are
// here, whatever they were when it was made.
func (s *Service) beginItself(ctx context.Context, w *work, p Proposal, all []Proposal, before string, seen lookout) (Proposal, Outcome, error) {
	i, err := w.incident(ctx, p.Incident)
	if err != nil || i.State == Resolved || !w.now.Before(p.Clocks.ExpiresAt) {
		return p, Outcome{}, err
	}
	t := s.termsIn(w, p.Domain)
	fresh := p.clone()
	fresh.Itself = &Itself{MovesMoney: movesMoney(i, p.Plan)}
	rule, j := ruleItself(fresh, t), judgeFacts(p, all, 0, seen, w.now)
	hash, hashErr := ProposalHash(p)
	first := holdsFirst(p, all)
	switch {
	case rule.Permission != Allow:
		p, out := declined(p, rule.Why, false, w.now)
		return p, out, nil
	case hashErr != nil || hash != p.Hash:
		p, out := declined(p, "its content is not what was recorded", false, w.now)
		return p, out, nil
	case first != "":
		p, out := declined(p, "jobs that pay are held first, and the hold \""+first+"\" is not decided", false, w.now)
		return p, out, nil
	case j.verdict != asApproved || j.read == nil:
		p, out := declined(p, j.why, j.verdict == isStale, w.now)
		return p, out, nil
	}
	started, out := acted(p, rule, w.governedIn(t.Policy), j.read, w.now)
	next, more := intend(started, 0, before, j.read, t, w.now)
	out.merge(more)
	return next, out, s.mitigating(ctx, w, p.Incident)
}
