package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"dw/workflows"
)

func theStop(t *testing.T, s Subject) {
	pulled := workflows.Stop{On: true, By: workflows.Person{Team: "T1", User: "U1", Name: "Ann"}, Reason: "<!channel> \"x\"", At: base(), Rev: 1}
	read := func(want workflows.Stop) {
		t.Helper()
		view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
			got, err := tx.Stop(ctx)
			equal(t, "stop", got, want)
			return err
		})
	}
	read(workflows.Stop{})
	put := func(stop workflows.Stop) error {
		return s.Store.Update(context.Background(), func(tx workflows.Tx) error {
			if _, err := tx.PutStop(context.Background(), stop); err != nil {
				return err
			}
			got, err := tx.Stop(context.Background())
			equal(t, "stop within the transaction", got, stop)
			return err
		})
	}
	if err := put(pulled); err != nil {
		t.Fatal(err)
	}
	read(pulled)
	if err := put(workflows.Stop{Rev: 1}); !errors.Is(err, workflows.ErrConflict) {
		t.Errorf("a stop that somebody else moved was overwritten: %v", err)
	}
	read(pulled)
	lifted := workflows.Stop{By: pulled.By, At: base().Add(time.Hour), Rev: 2}
	if err := put(lifted); err != nil {
		t.Fatal(err)
	}
	read(lifted)
}

// policyChange: a proposal about dw's own policy has no incident.
func policyChange(t *testing.T, s Subject) {
	p := workflows.Proposal{
		ID: "prop-policy", State: workflows.Waiting, CreatedAt: base(), Steps: []workflows.StepStatus{},
		Change: &workflows.Change{Kind: workflows.ChangeResume, StopRev: 3},
	}
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		_, err := tx.PutProposal(ctx, p)
		return err
	})
	p.Rev = 1
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		got, err := tx.Proposal(ctx, p.ID)
		equal(t, "policy change", got, p)
		waiting, err2 := tx.ProposalsIn(ctx, workflows.Waiting)
		equal(t, "waiting", waiting, []workflows.Proposal{p})
		return errors.Join(err, err2)
	})
}
