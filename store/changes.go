package store

import (
	"context"
	"fmt"
	"time"

	"dw/diagnosis"
)

// Changes lists the change events from since until until, both included,
// newest first.
func (r *reader) Changes(ctx context.Context, since, until time.Time) ([]diagnosis.ChangeEvent, error) {
	list, err := listDocs[diagnosis.ChangeEvent](ctx, r, "change_list", toMicros(since), toMicros(until))
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	return list, nil
}

// PutChange stores a change event and reports false where its system had
// reported the same id before; the first report stays.
func (t *writer) PutChange(ctx context.Context, c diagnosis.ChangeEvent) (bool, error) {
	doc, err := encodeDoc(c)
	if err != nil {
		return false, fmt.Errorf("store change %s of %s: %w", c.ID, c.System, t.fail(err))
	}
	n, err := t.exec(ctx, "change_insert", c.System, c.ID, toMicros(c.At), doc)
	if err != nil {
		return false, fmt.Errorf("store change %s of %s: %w", c.ID, c.System, err)
	}
	return n == 1, nil
}
