// Package postgres reads PostgreSQL for the checks. Every statement passes the
// guard of package checks and runs alone, in a read-only transaction, under
// limits on time, locks, rows, bytes and, where they are set, on the planner's
// estimate of its cost. When a caller goes away the server is told to stop.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"dw/checks"
)

// Limits of Options whose field is zero.
const (
	DefaultMaxRows     = 10_000
	DefaultTimeout     = 30 * time.Second
	DefaultLockTimeout = 5 * time.Second
	DefaultConnections = 4
)

const (
	application    = "dw"
	connectTimeout = 10 * time.Second
	idleTimeout    = 5 * time.Minute
	goodbye        = 5 * time.Second // for the server to stop a statement and to roll back
	maxMessage     = 8 << 20         // bytes of one row; the driver breaks the connection beyond
	maxAnswer      = 16 << 20        // bytes of one answer
)

// Options are where a database is and the limits of reading it.
type Options struct {
	DSN            string        // URL or key=value, as libpq reads it, with its environment and password file
	Schemas        []string      // searched in this order for names without a schema; empty is the role's own search_path
	MaxRows        int           // rows of one answer; 0 is DefaultMaxRows
	Timeout        time.Duration // of one statement; 0 is DefaultTimeout
	LockTimeout    time.Duration // of waiting for one lock; 0 is DefaultLockTimeout
	MaxCost        float64       // of the planner's total cost of a statement; 0 sets no limit
	MaxRowsScanned int64         // of the planner's estimate of the rows that a statement reads; 0 sets no limit
	Connections    int           // statements at once; 0 is DefaultConnections
}

// DB is a PostgreSQL database that is only read. It meets checks.Querier and may
// be used by several goroutines.
type DB struct {
	name     string // for people: database, host and role, never the password
	database string
	opts     Options
	preamble string
	pool     *pgxpool.Pool
}

// Open reads the options and makes the pool. It does not connect: a server that
// is down now may be up when a check is due. An error never holds the password.
func Open(opts Options) (*DB, error) {
	config, err := parse(opts.DSN)
	if err != nil {
		return nil, err
	}
	if opts, err = opts.complete(); err != nil {
		return nil, err
	}
	db := &DB{name: describe(config), database: config.ConnConfig.Database, opts: opts}
	if db.preamble, err = opts.begin(); err != nil {
		return nil, fmt.Errorf("open %s: %w", db.name, err)
	}
	tune(config, opts)
	// Nothing is connected here, so there is no context to end it.
	if db.pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		return nil, fmt.Errorf("open %s: %w", db.name, redact(err))
	}
	return db, nil
}

// complete fills in what is left out and refuses what is negative.
func (o Options) complete() (Options, error) {
	if o.MaxRows < 0 || o.Timeout < 0 || o.LockTimeout < 0 || o.MaxCost < 0 || o.MaxRowsScanned < 0 || o.Connections < 0 {
		return o, errors.New("open PostgreSQL: limits are not negative")
	}
	if o.MaxRows == 0 {
		o.MaxRows = DefaultMaxRows
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.LockTimeout == 0 {
		o.LockTimeout = DefaultLockTimeout
	}
	if o.Connections == 0 {
		o.Connections = DefaultConnections
	}
	return o, nil
}

// tune sets what every connection has in common.
func tune(config *pgxpool.Config, opts Options) {
	config.MaxConns, config.MinConns = int32(opts.Connections), 0 //nolint:gosec // a handful
	config.MaxConnIdleTime = idleTimeout
	// A connection that a restart has broken is found before it is used.
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return true }
	config.PingTimeout = goodbye
	c := &config.ConnConfig.Config
	if c.ConnectTimeout == 0 || c.ConnectTimeout > connectTimeout {
		c.ConnectTimeout = connectTimeout
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = application
	}
	c.MaxProtocolMessageBodyLen = maxMessage
	// The statement is cancelled on the server at once; the connection stays of use.
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &canceller{conn: conn}
	}
}

// begin returns the statements that open the read-only transaction in which
// everything runs. Its settings end with it, whatever the statement does, and
// make the text of values plain to read.
func (o Options) begin() (string, error) {
	settings := []string{
		fmt.Sprintf("statement_timeout = %d", max(1, o.Timeout.Milliseconds())),
		fmt.Sprintf("lock_timeout = %d", max(1, o.LockTimeout.Milliseconds())),
		fmt.Sprintf("idle_in_transaction_session_timeout = %d", max(1, (o.Timeout+goodbye).Milliseconds())),
		"TimeZone = 'UTC'", "DateStyle = 'ISO, YMD'", "IntervalStyle = 'iso_8601'", "bytea_output = 'hex'",
		"extra_float_digits = 3", "client_encoding = 'UTF8'",
	}
	if len(o.Schemas) > 0 {
		quoted := make([]string, len(o.Schemas))
		for i, schema := range o.Schemas {
			name, err := checks.Quote("postgres", schema)
			if err != nil {
				return "", fmt.Errorf("schema %q: %w", schema, err)
			}
			quoted[i] = name
		}
		settings = append(settings, "search_path = "+strings.Join(quoted, ", "))
	}
	return "BEGIN TRANSACTION READ ONLY; SET LOCAL " + strings.Join(settings, "; SET LOCAL "), nil
}

// Close closes the connections. Running statements end first.
func (db *DB) Close() error {
	db.pool.Close()
	return nil
}

// Dialect returns "postgres".
func (db *DB) Dialect() string { return "postgres" }
