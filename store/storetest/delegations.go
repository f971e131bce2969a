package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"dw/workflows"
)

// delegations: kept with their revisions, listed by their end and in the order in
// which they were made.
func delegations(t *testing.T, s Subject) {
	long := workflows.Delegation{
		ID: "DEL-2", By: workflows.Person{Team: "T1", User: "U1", Name: "Ann"}, To: workflows.Person{Team: "T1", User: "U2", Name: "Ben"}, Domain: "shop",
		From: base(), Until: base().Add(48 * time.Hour), CreatedAt: base(),
	}
	short := long
	short.ID, short.Domain, short.Until, short.CreatedAt = "DEL-1", "", base().Add(time.Hour), base().Add(time.Minute)
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		for _, d := range []*workflows.Delegation{&short, &long} {
			stored, err := tx.PutDelegation(ctx, *d)
			if err != nil {
				return err
			}
			*d = stored
		}
		return nil
	})
	list := func(after time.Time, want ...workflows.Delegation) {
		t.Helper()
		view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
			got, err := tx.Delegations(ctx, after)
			equal(t, "delegations", got, append([]workflows.Delegation{}, want...))
			return err
		})
	}
	list(base(), long, short)
	list(short.Until, long)
	list(long.Until)
	revoked := long
	revoked.RevokedAt, revoked.RevokedBy = base().Add(time.Minute), long.To
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		stored, err := tx.PutDelegation(ctx, revoked)
		revoked = stored
		return err
	})
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		got, err := tx.Delegation(ctx, long.ID)
		equal(t, "revoked delegation", got, revoked)
		_, none := tx.Delegation(ctx, "DEL-0")
		if !errors.Is(none, workflows.ErrNotFound) {
			t.Errorf("a delegation that is not there: %v", none)
		}
		return err
	})
	err := s.Store.Update(t.Context(), func(tx workflows.Tx) error {
		_, err := tx.PutDelegation(t.Context(), long) // as it was read before the revocation
		return err
	})
	if !errors.Is(err, workflows.ErrConflict) {
		t.Errorf("an older revision was written: %v", err)
	}
}
