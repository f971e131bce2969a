package diagnosis

import (
	"fmt"
	"time"

	"dw/lineage"
)

// defaultHorizon is how far ahead a hold looks by default.
const defaultHorizon = 24 * time.Hour

// holds makes one proposal for each job that moves money and reads before the fix
// is expected, and says of every other such job why it is not held. A job whose
// next run is not known is held: unknown is never "no harm". Each job has its own
// proposal, so that one that is refused or late does not keep the others running.
func (p *planner) holds(t ProposalTemplate) ([]PlannedProposal, []Problem) {
	until := p.heldUntil()
	var out []PlannedProposal
	var left []Problem
	for _, r := range p.Readers {
		if r.Kind != lineage.KindJob || r.Moves != lineage.MovesMoney {
			continue
		}
		key := t.Key + ":" + string(r.ID)
		reason, why := p.holdReason(r, until)
		if why != nil {
			left = append(left, Problem{Key: key, Err: why})
			continue
		}
		a, ok := p.Graph.Asset(r.ID)
		if !ok {
			left = append(left, Problem{Key: key, Err: fmt.Errorf("reader %s is not in the graph", r.ID)})
			continue
		}
		made := PlannedProposal{Key: key, Title: t.Title + ": " + label(a), Steps: []PlannedStep{pauseStep(a, reason)}}
		if r.Paused {
			made.InForce = "the configuration says that it is paused"
		}
		out = append(out, made)
	}
	if len(out)+len(left) == 0 {
		left = []Problem{{Key: t.Key, Err: fmt.Errorf("%w: no job that moves money reads these rows", ErrNoChangeNeeded)}}
	}
	return out, left
}

// heldUntil is how far ahead holds look: the horizon, or the time of the expected
// fix where that is later.
func (p *planner) heldUntil() time.Time {
	horizon := p.Horizon
	if horizon == 0 {
		horizon = defaultHorizon
	}
	until := p.Now.Add(horizon)
	if p.FixBy.After(until) {
		until = p.FixBy
	}
	return until
}

// holdReason says why a job is held, or why it need not be.
func (p *planner) holdReason(r lineage.Consumer, until time.Time) (string, error) {
	switch {
	case r.HeldBy != "" && !r.Paused:
		return "", fmt.Errorf("%w: the rows do not reach %s while %s is paused", ErrNoChangeNeeded, r.Name, r.HeldBy)
	case r.Paused:
		return r.Name + " would read the incomplete rows when its schedule runs.", nil
	case r.NextRead == nil:
		return r.Name + " would read the incomplete rows, and when it runs next is not known" + whyUnknown(r) + ": it is held to be safe.", nil
	case r.NextRead.After(until):
		return "", fmt.Errorf("%w: %s reads at %s, after the fix is expected", ErrNoChangeNeeded, r.Name, p.clock(*r.NextRead))
	}
	return r.Name + " would read the incomplete rows at " + r.NextRead.UTC().Format("2 Jan 15:04 MST") + ".", nil
}

func whyUnknown(r lineage.Consumer) string {
	if r.NextReadWhy == "" {
		return ""
	}
	return " (" + r.NextReadWhy + ")"
}

func (p *planner) clock(t time.Time) string { return t.In(p.zone()).Format("2 Jan 15:04 MST") }

func pauseStep(a lineage.Asset, reason string) PlannedStep {
	name, args := label(a), systemArgs(a)
	resume := Action{System: a.ID.System(), Name: ActionResumeSchedule, Target: a.ID, Args: args}
	return PlannedStep{
		Kind: Hold, By: ByOwner, Reversible: true,
		Title:      "Pause the schedule of " + name,
		Action:     Action{System: a.ID.System(), Name: ActionPauseSchedule, Target: a.ID, Args: args},
		Undo:       "Resume the schedule of " + name + ".",
		UndoAction: &resume,
		Reason:     reason,
	}
}
