package app

import (
	"context"

	"dw/store"
)

// OpenLogUntouched opens a database for reading and leaves no file beside it.
// still reports, after reading, whether what was read can be trusted; see
// store.OpenUntouched.
func OpenLogUntouched(ctx context.Context, dsn string) (log *Log, still func() bool, err error) {
	db, still, err := store.OpenUntouched(ctx, dsn)
	if err != nil {
		return nil, nil, err
	}
	return &Log{store: db, closer: db, instance: db.Instance()}, still, nil
}

// Instance names the dw whose database this is.
func (l *Log) Instance() string { return l.instance }
