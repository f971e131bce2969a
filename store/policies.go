package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"dw/workflows"
)

const metaInForce = "in_force"

// InForce returns what is in force as it is in this transaction. A row that does
// not parse is Damaged: then no domain is above L1.
func (r *reader) InForce(ctx context.Context) (workflows.InForce, error) {
	var rows []string
	err := r.scan(ctx, "meta_get", func(row *sql.Rows) error {
		var value string
		err := row.Scan(&value)
		rows = append(rows, value)
		return err
	}, metaInForce)
	if err != nil {
		return workflows.InForce{Damaged: true}, fmt.Errorf("load the policy in force: %w", err)
	}
	if len(rows) == 0 {
		return workflows.InForce{}, nil
	}
	var f workflows.InForce
	if err := json.Unmarshal([]byte(rows[0]), &f); err != nil || f.Rev < 1 {
		return workflows.InForce{Damaged: true}, nil
	}
	return f, nil
}

// PutInForce stores f if its Rev follows the stored one, and answers ErrConflict
// otherwise. A damaged row is never replaced.
func (t *writer) PutInForce(ctx context.Context, f workflows.InForce) (workflows.InForce, error) {
	before, err := t.InForce(ctx)
	if err != nil {
		return workflows.InForce{}, t.fail(err)
	}
	if before.Damaged || f.Rev != before.Rev+1 {
		return workflows.InForce{}, fmt.Errorf("store the policy in force: revision %d does not follow %d: %w", f.Rev, before.Rev, workflows.ErrConflict)
	}
	doc, err := encodeDoc(f)
	if err != nil {
		return workflows.InForce{}, fmt.Errorf("store the policy in force: %w", t.fail(err))
	}
	if _, err := t.exec(ctx, "meta_put", metaInForce, doc); err != nil {
		return workflows.InForce{}, fmt.Errorf("store the policy in force: %w", err)
	}
	return f, nil
}
