package days

import (
	"context"
	"slices"
	"testing"

	"dw/workflows"
)

// click is one delivery of a person's click and what they saw of its answer.
type click struct {
	request      workflows.DecideRequest
	wrong        string // the fact that was forged, empty for none
	answer       workflows.Answer
	acknowledged bool // the person saw the answer
}

// history is what people did and saw, and what was seen of each proposal.
type history struct {
	clicks []click
	seen   map[string]workflows.Proposal
	killed int
	jumps  int
	looks  int
}

func newHistory() history { return history{seen: map[string]workflows.Proposal{}} }

func (h *history) clicked(c click) { h.clicks = append(h.clicks, c) }

// every is all states of a proposal.
func every() []workflows.ProposalState {
	return []workflows.ProposalState{
		workflows.Waiting, workflows.Approved, workflows.Rejected, workflows.Expired, workflows.Superseded, workflows.Withdrawn,
		workflows.Executing, workflows.Revoked, workflows.Lapsed, workflows.NeedsReapproval, workflows.Verified, workflows.Failed,
		workflows.Halted, workflows.RolledBack,
	}
}

// sweepEvery is between two looks at the proposals that have not ended, in acts;
// those that have are looked at ten times less.
const sweepEvery = 25

// sweep looks at the proposals: one that has ended stays as it ended, and nobody
// who decided is forgotten.
func (h *history) sweep(t *testing.T, w *world, all bool) {
	t.Helper()
	if h.looks++; !all && h.looks%sweepEvery != 0 {
		return
	}
	states := every()
	if !all && h.looks%(10*sweepEvery) != 0 {
		states = slices.DeleteFunc(states, func(s workflows.ProposalState) bool { return s.Final() })
	}
	var ps []workflows.Proposal
	err := w.dw.db.View(context.Background(), func(tx workflows.ReadTx) (err error) {
		ps, err = tx.ProposalsIn(context.Background(), states...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ps {
		if old, known := h.seen[p.ID]; known && (old.State.Final() && old.State != p.State || len(p.Decisions) < len(old.Decisions) || p.Hash != old.Hash) {
			t.Errorf("%s was %s with %d decisions and is %s with %d", p.ID, old.State, len(old.Decisions), p.State, len(p.Decisions))
		}
		h.seen[p.ID] = p
	}
}
