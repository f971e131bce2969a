package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"dw/workflows"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
)

// newQueue returns a client that only inserts: it has no workers and starts
// nothing.
func newQueue(driver riverdriver.Driver[*sql.Tx], o Options) (*river.Client[*sql.Tx], error) {
	client, err := river.NewClient(driver, &river.Config{Logger: o.Log})
	if err != nil {
		return nil, fmt.Errorf("prepare the queue: %w", err)
	}
	return client, nil
}

// Enqueue queues e when the transaction commits; an effect whose key was queued
// before, however long ago, is dropped. The key is kept in a table of its own
// because the queue forgets a job, and with it its key, some time after it was
// done. NotBefore is compared with the wall clock.
func (t *writer) Enqueue(ctx context.Context, e workflows.Effect) error {
	if err := t.enqueue(ctx, e); err != nil {
		return fmt.Errorf("queue effect %s %q: %w", e.Kind, e.Key, t.fail(err))
	}
	return nil
}

func (t *writer) enqueue(ctx context.Context, e workflows.Effect) error {
	switch {
	case e.Kind == "" || e.Key == "":
		return errors.New("an effect needs a kind and a key")
	case len(e.Payload) > 0 && !json.Valid(e.Payload):
		return errors.New("its payload is not JSON")
	}
	n, err := t.exec(ctx, "effect_claim", e.Key, e.Kind)
	if err != nil || n == 0 {
		return err
	}
	if ctx, err = t.ready(ctx); err != nil {
		return err
	}
	_, err = t.db.queue.InsertTx(ctx, t.run.tx, workflows.EffectJob{Effect: e}, &river.InsertOpts{
		MaxAttempts: t.db.opts.MaxAttempts,
		ScheduledAt: e.NotBefore,
	})
	return err
}
