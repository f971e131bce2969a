package store

import (
	"context"
	"fmt"
	"time"

	"dw/workflows"
)

// Delegation returns the delegation with this id, or ErrNotFound.
func (r *reader) Delegation(ctx context.Context, id string) (workflows.Delegation, error) {
	d, found, err := firstDoc[workflows.Delegation](ctx, r, "delegation_get", id)
	if err != nil {
		return d, fmt.Errorf("load delegation %s: %w", id, err)
	}
	if !found {
		return d, fmt.Errorf("delegation %q: %w", id, workflows.ErrNotFound)
	}
	return d, nil
}

// Delegations lists those that end after a time, revoked ones too, oldest first.
func (r *reader) Delegations(ctx context.Context, endingAfter time.Time) ([]workflows.Delegation, error) {
	list, err := listDocs[workflows.Delegation](ctx, r, "delegation_list", toMicros(endingAfter))
	if err != nil {
		return nil, fmt.Errorf("list delegations: %w", err)
	}
	return list, nil
}

// PutDelegation stores d if its Rev is the stored one (0: there is none) and
// returns it with the next Rev; otherwise it answers ErrConflict.
func (t *writer) PutDelegation(ctx context.Context, d workflows.Delegation) (workflows.Delegation, error) {
	before := d.Rev
	d.Rev++
	doc, err := encodeDoc(d)
	if err != nil {
		return workflows.Delegation{}, fmt.Errorf("store delegation %s: %w", d.ID, t.fail(err))
	}
	columns := []any{toMicros(d.Until), toMicros(d.CreatedAt), d.Rev, doc}
	if err := t.swap(ctx, "delegation", d.ID, before, columns); err != nil {
		return workflows.Delegation{}, fmt.Errorf("store delegation %s: %w", d.ID, err)
	}
	return d, nil
}
