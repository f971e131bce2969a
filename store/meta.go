package store

import (
	"context"
	"database/sql"
	"fmt"
)

const metaInstance = "instance"

// claimInstance binds a new database to this instance and refuses one that
// belongs to another: its receipts would name two.
func (db *DB) claimInstance(ctx context.Context) error {
	if _, err := db.write.ExecContext(ctx, db.sql["meta_insert"], metaInstance, db.instance); err != nil {
		return fmt.Errorf("record the instance: %w", err)
	}
	owner, err := readMeta(ctx, db.write, db.sql, metaInstance)
	if err != nil {
		return err
	}
	if owner != db.instance {
		return fmt.Errorf("it belongs to instance %q, not %q; use its name or another file", owner, db.instance)
	}
	return nil
}

func readMeta(ctx context.Context, db *sql.DB, q queries, key string) (string, error) {
	var value string
	if err := db.QueryRowContext(ctx, q["meta_get"], key).Scan(&value); err != nil {
		return "", fmt.Errorf("read meta %s: %w", key, err)
	}
	return value, nil
}
