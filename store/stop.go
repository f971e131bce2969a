package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"dw/workflows"
)

const metaStop = "stop"

// Stop returns the stop as it is in this transaction. A row that does not parse
// counts as stopped.
func (r *reader) Stop(ctx context.Context) (workflows.Stop, error) {
	var rows []string
	err := r.scan(ctx, "meta_get", func(row *sql.Rows) error {
		var value string
		err := row.Scan(&value)
		rows = append(rows, value)
		return err
	}, metaStop)
	if err != nil {
		return workflows.Unreadable("the database"), fmt.Errorf("load the stop: %w", err)
	}
	if len(rows) == 0 {
		return workflows.Stop{}, nil
	}
	var s workflows.Stop
	if err := json.Unmarshal([]byte(rows[0]), &s); err != nil {
		return workflows.Unreadable("its row is damaged"), nil
	}
	return s, nil
}

// PutStop stores s if its Rev follows the stored one, and answers ErrConflict
// otherwise. A damaged row is replaced only by a stop that is on.
func (t *writer) PutStop(ctx context.Context, s workflows.Stop) (workflows.Stop, error) {
	before, err := t.Stop(ctx)
	if err != nil {
		return workflows.Stop{}, t.fail(err)
	}
	if s.Rev != before.Rev+1 {
		return workflows.Stop{}, fmt.Errorf("store the stop: revision %d does not follow %d: %w", s.Rev, before.Rev, workflows.ErrConflict)
	}
	doc, err := encodeDoc(s)
	if err != nil {
		return workflows.Stop{}, fmt.Errorf("store the stop: %w", t.fail(err))
	}
	if _, err := t.exec(ctx, "meta_put", metaStop, doc); err != nil {
		return workflows.Stop{}, fmt.Errorf("store the stop: %w", err)
	}
	return s, nil
}
