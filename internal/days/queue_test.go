package days

import (
	"context"
	"encoding/json"
	"fmt"

	"dw/store"
	"dw/workflows"
)

// queue drains the store's queue of effects directly: the workers that do it in
// production wait in sockets and timers of their own. Delivery is at least once:
// what was delivered is taken out afterwards.
type queue struct{ db *store.DB }

type queued struct {
	id     int64
	effect workflows.Effect
}

func (q *queue) read(ctx context.Context) ([]queued, error) {
	rows, err := q.db.Writer().QueryContext(ctx, "SELECT id, json(args) FROM river_job ORDER BY id LIMIT 200")
	if err != nil {
		return nil, fmt.Errorf("read the queue: %w", err)
	}
	defer rows.Close() //nolint:errcheck // only read
	var list []queued
	for rows.Next() {
		var one queued
		var raw []byte
		if err := rows.Scan(&one.id, &raw); err != nil {
			return nil, err
		}
		var job workflows.EffectJob
		if err := json.Unmarshal(raw, &job); err != nil {
			return nil, err
		}
		one.effect = job.Effect
		list = append(list, one)
	}
	return list, rows.Err()
}

func (q *queue) done(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	_, err = q.db.Writer().ExecContext(ctx, "DELETE FROM river_job WHERE id IN (SELECT value FROM json_each(?))", string(list))
	return err
}
