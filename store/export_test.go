package store

import (
	"time"

	"dw/internal/testpg"
)

// Postgres is the server that all tests of this package share, inside and out.
var Postgres testpg.Shared

// SettleWithin changes how long db asks for the outcome of a commit.
func SettleWithin(db *DB, d time.Duration) { db.server.settleWithin = d }
