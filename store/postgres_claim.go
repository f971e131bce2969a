package store

import (
	"context"
	"database/sql/driver"
	"fmt"
)

// pgClaims is how many claims one process holds at once; each has a connection.
const pgClaims = 8

// Claim takes the right to carry out what key names, against all processes on the
// database, until release is called or this process is gone: a process that is
// frozen keeps it, so that another does not repeat what the first may still do
// when it goes on. taken is false where another holds it. On SQLite, which one
// process uses, every claim is granted.
func (db *DB) Claim(ctx context.Context, key string) (release func(), taken bool, err error) {
	if db.server == nil {
		return func() {}, true, nil
	}
	conn, err := db.claims.Conn(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("claim %q: %w", key, err)
	}
	err = conn.QueryRowContext(ctx, db.sql["claim_take"], key).Scan(&taken)
	if err != nil || !taken {
		_ = conn.Close() // back to the pool
		if err != nil {
			return nil, false, fmt.Errorf("claim %q: %w", key, err)
		}
		return nil, false, nil
	}
	return func() {
		if _, err := conn.ExecContext(context.WithoutCancel(ctx), db.sql["claim_free"], key); err != nil {
			// The claim ends with the connection, which must not be used again.
			_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		}
		_ = conn.Close()
	}, true, nil
}
