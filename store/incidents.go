package store

import (
	"context"
	"fmt"

	"dw/workflows"
)

// Incident returns the incident with this id, or ErrNotFound.
func (r *reader) Incident(ctx context.Context, id string) (workflows.Incident, error) {
	i, found, err := firstDoc[workflows.Incident](ctx, r, "incident_get", id)
	if err != nil {
		return i, fmt.Errorf("load incident %s: %w", id, err)
	}
	if !found {
		return i, fmt.Errorf("incident %q: %w", id, workflows.ErrNotFound)
	}
	return i, nil
}

// Incidents lists newest first, at most limit, all if limit is not positive.
func (r *reader) Incidents(ctx context.Context, openOnly bool, limit int) ([]workflows.Incident, error) {
	query := "incident_list"
	if openOnly {
		query = "incident_list_open"
	}
	list, err := listDocs[workflows.Incident](ctx, r, query, limitOf(limit))
	if err != nil {
		return nil, fmt.Errorf("list incidents: %w", err)
	}
	return list, nil
}

// PutIncident stores i if its Rev is the stored one (0: there is none) and
// returns it with the next Rev; otherwise it answers ErrConflict.
func (t *writer) PutIncident(ctx context.Context, i workflows.Incident) (workflows.Incident, error) {
	before := i.Rev
	i.Rev++
	doc, err := encodeDoc(i)
	if err != nil {
		return workflows.Incident{}, fmt.Errorf("store incident %s: %w", i.ID, t.fail(err))
	}
	columns := []any{i.Domain, string(i.Subject), string(i.State), toMicros(i.OpenedAt), i.Rev, doc}
	if err := t.swap(ctx, "incident", i.ID, before, columns); err != nil {
		return workflows.Incident{}, fmt.Errorf("store incident %s: %w", i.ID, err)
	}
	return i, nil
}

// swap inserts a row, where before is 0, or updates the one whose rev is
// before, through the queries <table>_insert and <table>_update.
func (t *writer) swap(ctx context.Context, table, id string, before int64, columns []any) error {
	query, args := table+"_insert", append([]any{id}, columns...)
	if before != 0 {
		query, args = table+"_update", append(columns, id, before)
	}
	n, err := t.exec(ctx, query, args...)
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("revision %d is not the stored one: %w", before, workflows.ErrConflict)
	}
	return nil
}
