package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"dw/workflows"
)

// policyInForce: the policy in force is one row that two writers never both move.
func policyInForce(t *testing.T, s Subject) {
	ann := workflows.Person{Team: "T1", User: "U1", Name: "<Ann & Ben>"}
	policy := workflows.Policy{
		Domain: "shop", Level: workflows.L2Propose, Owner: ann, Quorum: 2, ExpireAfter: 4 * time.Hour, Named: []string{"owner U1"},
		Playbooks: []string{"missing_wire_format/hold"}, Version: "v1",
	}
	first := workflows.InForce{Rev: 1, Domains: map[string]workflows.Governed{"shop": {
		Policy: policy, File: policy, How: workflows.ByFile, LevelHow: workflows.ByFile, LevelAt: base(), Rev: 1,
	}}}
	read := func(want workflows.InForce) {
		t.Helper()
		view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
			got, err := tx.InForce(ctx)
			equal(t, "policy in force", got, want)
			return err
		})
	}
	read(workflows.InForce{})
	put := func(f workflows.InForce) error {
		return s.Store.Update(context.Background(), func(tx workflows.Tx) error {
			_, err := tx.PutInForce(context.Background(), f)
			return err
		})
	}
	if err := put(first); err != nil {
		t.Fatal(err)
	}
	read(first)
	for _, rev := range []int64{1, 3} {
		if err := put(workflows.InForce{Rev: rev}); !errors.Is(err, workflows.ErrConflict) {
			t.Errorf("revision %d was stored after 1: %v", rev, err)
		}
	}
	read(first)
}
