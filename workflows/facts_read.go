package workflows

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dw/diagnosis"
)

// FactReader reads the state of what steps act on.
type FactReader interface {
	// Reads reports whether it can tell for this action.
	Reads(a diagnosis.Action) bool
	// ReadFacts reads the target as it is now, each fact under a name that stays.
	// A target that does not exist is a fact, not an error.
	ReadFacts(ctx context.Context, s diagnosis.PlannedStep) ([]Fact, error)
	// Effect declares what the step makes of those facts; see RunOfStep.
	Effect(ctx context.Context, s diagnosis.PlannedStep) ([]Fact, error)
}

// readWithin bounds one reading of one target.
const readWithin = 10 * time.Second

func (s *Service) factReader(a diagnosis.Action) (FactReader, bool) {
	for _, r := range s.readers {
		if r.Reads(a) {
			return r, true
		}
	}
	return nil, false
}

// snapshot reads the targets of all steps; what cannot be read says why.
func (s *Service) snapshot(ctx context.Context, steps []diagnosis.PlannedStep) []Reading {
	out := make([]Reading, len(steps))
	for n, step := range steps {
		out[n] = s.reading(ctx, step)
	}
	return out
}

func (s *Service) reading(ctx context.Context, step diagnosis.PlannedStep) Reading {
	r := readingOf(step)
	reader, found := s.factReader(step.Action)
	if !found {
		r.Mute = true
		return r
	}
	facts, err := s.readFacts(ctx, reader, step)
	if err == nil {
		r.Facts, r.At = facts, s.now().UTC().Round(0)
		r.Effect, err = reader.Effect(ctx, step)
	}
	if err == nil && step.UndoAction != nil {
		undo := step
		undo.Action = *step.UndoAction
		r.UndoEffect, err = reader.Effect(ctx, undo)
	}
	if err != nil {
		return Reading{System: r.System, Target: r.Target, File: r.File, Unread: clean(err.Error())}
	}
	return r
}

func (s *Service) readFacts(ctx context.Context, reader FactReader, step diagnosis.PlannedStep) ([]Fact, error) {
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	facts, err := reader.ReadFacts(ctx, step)
	if err != nil {
		return nil, err
	}
	for n := range facts {
		facts[n].Value = clean(facts[n].Value)
	}
	return facts, nil
}

// lookout is what was read before a step of dw's own.
type lookout struct {
	at    time.Time
	facts map[int][]Fact // by step
	err   error          // a target that could not be read
}

// lookBefore reads the targets of step n and of the steps before it again.
func (s *Service) lookBefore(ctx context.Context, p Proposal, n int) lookout {
	out := lookout{at: s.now().UTC(), facts: map[int][]Fact{}}
	for _, e := range expected(p, nil, n) {
		step := p.Plan[e.step]
		reader, found := s.factReader(step.Action)
		if !found {
			out.err = fmt.Errorf("no connector reads %s any more", p.Snapshot[e.step].name())
			return out
		}
		facts, err := s.readFacts(ctx, reader, step)
		if err != nil {
			out.err = fmt.Errorf("%s could not be read: %w", p.Snapshot[e.step].name(), err)
			return out
		}
		out.facts[e.step] = facts
	}
	return out
}

// draftPlan is a planned proposal with what was read of its targets.
type draftPlan struct {
	diagnosis.PlannedProposal
	snapshot []Reading
	itself   *Itself // nil: nobody opened it for dw to act by itself
}

// settle reads the targets of a plan and leaves out the holds that are in force
// already; told says so for the thread. dw did not set those, so it does not take
// them back either.
func (s *Service) settle(ctx context.Context, plan []diagnosis.PlannedProposal, existing []Proposal) (kept []draftPlan, told []heldAlready) {
	for _, p := range plan {
		p.Steps = slices.Clone(p.Steps)
		d := draftPlan{PlannedProposal: p, snapshot: s.snapshot(ctx, p.Steps)}
		old, asked := newestOf(existing, p.Key)
		asked = asked && old.State != NeedsReapproval // of those dw has paused some itself
		if why := d.inForce(s.now()); why != "" && !asked {
			told = append(told, heldAlready{target: d.snapshot[0].name(), why: why})
			continue
		}
		if p.InForce != "" {
			d.Steps[0].Reason += " Although " + p.InForce + "."
		}
		kept = append(kept, d)
	}
	return kept, told
}

// inForce says why a hold need not be asked for, empty where it must be. What was
// read decides; what a configuration says stands only where nothing can be read.
func (d draftPlan) inForce(now time.Time) string {
	if len(d.Steps) == 0 || slices.ContainsFunc(d.Steps, func(s diagnosis.PlannedStep) bool { return s.Kind != diagnosis.Hold }) {
		return ""
	}
	switch r := d.snapshot[0]; {
	case r.Unread != "":
		return ""
	case r.Mute && d.InForce != "":
		return d.InForce + ", and no connector reads it"
	case r.Mute || !holds(r):
		return ""
	default:
		return "read from " + r.System + " at " + clockText(r.At, now)
	}
}

// heldAlready is a target that is held without dw, and how that is known.
type heldAlready struct{ target, why string }

// tellInForce says in the thread, once for each target, that no hold is asked.
func tellInForce(w *work, i Incident, all []heldAlready) {
	for _, f := range all {
		held := f.target + " is paused already"
		if !slices.ContainsFunc(i.Notes, func(n Note) bool { return strings.HasPrefix(n.Text, held) }) {
			w.out.note(i.ID, fmt.Sprintf("%s (%s): dw asks for no hold, and does not resume it at the end.", held, f.why))
		}
	}
}

// holds reports whether everything that the step would bring about is so.
func holds(r Reading) bool {
	for _, e := range r.Effect {
		if valueOf(r.Facts, e.Name) != e.Value {
			return false
		}
	}
	return len(r.Effect) > 0
}
