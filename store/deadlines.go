package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"dw/workflows"
)

// Due lists the deadlines at or before now, earliest first, at most limit, all
// if limit is not positive.
func (r *reader) Due(ctx context.Context, now time.Time, limit int) ([]workflows.Deadline, error) {
	list, err := r.deadlines(ctx, "deadline_due", toMicros(now), limitOf(limit))
	if err != nil {
		return nil, fmt.Errorf("list due deadlines: %w", err)
	}
	return list, nil
}

// Deadline returns the deadline of this kind and subject, and false where there
// is none. DueAt is stored to the microsecond, rounded up.
func (r *reader) Deadline(ctx context.Context, kind, subject string) (workflows.Deadline, bool, error) {
	list, err := r.deadlines(ctx, "deadline_get", kind, subject)
	if err != nil {
		return workflows.Deadline{}, false, fmt.Errorf("load deadline %s of %s: %w", kind, subject, err)
	}
	if len(list) == 0 {
		return workflows.Deadline{}, false, nil
	}
	return list[0], true, nil
}

func (r *reader) deadlines(ctx context.Context, query string, args ...any) ([]workflows.Deadline, error) {
	list := []workflows.Deadline{}
	err := r.scan(ctx, query, func(rows *sql.Rows) error {
		var d workflows.Deadline
		var due int64
		if err := rows.Scan(&d.Kind, &d.Subject, &due); err != nil {
			return err
		}
		d.DueAt = fromMicros(due)
		list = append(list, d)
		return nil
	}, args...)
	return list, err
}

// SetDeadline stores d in the place of the one of the same kind and subject.
func (t *writer) SetDeadline(ctx context.Context, d workflows.Deadline) error {
	if _, err := t.exec(ctx, "deadline_set", d.Kind, d.Subject, dueMicros(d.DueAt)); err != nil {
		return fmt.Errorf("set deadline %s of %s: %w", d.Kind, d.Subject, err)
	}
	return nil
}

// TakeDeadline removes exactly d and reports false where it is gone or has
// moved: of all who try, one gets true.
func (t *writer) TakeDeadline(ctx context.Context, d workflows.Deadline) (bool, error) {
	n, err := t.exec(ctx, "deadline_take", d.Kind, d.Subject, dueMicros(d.DueAt))
	if err != nil {
		return false, fmt.Errorf("take deadline %s of %s: %w", d.Kind, d.Subject, err)
	}
	return n == 1, nil
}

// DropDeadlines removes every deadline of exactly this subject.
func (t *writer) DropDeadlines(ctx context.Context, subject string) error {
	if _, err := t.exec(ctx, "deadline_drop", subject); err != nil {
		return fmt.Errorf("drop deadlines of %s: %w", subject, err)
	}
	return nil
}
