package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
)

// One process holds at most pgWriters + pgReaders + pgClaims connections: one for
// the update whose turn it is, the rest for the queue, and the readers.
const (
	pgWriters  = 6
	pgReaders  = 4
	pgIdleTime = 5 * time.Minute
	// pgKeepAlive finds a server that is gone without a word within minutes.
	pgKeepAlive = 15 * time.Second
	// leastPostgres is PostgreSQL 14, the oldest release that its makers still
	// mend; pg_xact_status needs 13.
	leastPostgres = 140000
)

// setting is one of a session; the DSN may say otherwise.
type setting struct{ name, value string }

// writerSettings are made on every connection that writes. A process that is
// frozen within a transaction holds the lock of the log's head, so the server
// ends an idle transaction after 15 s: whatever that process does when it goes on
// is refused. Others wait twice as long for the lock. A machine that vanished is
// noticed within a minute.
func writerSettings() []setting {
	return []setting{
		{"application_name", "dw"},
		{"synchronous_commit", "on"},
		{"idle_in_transaction_session_timeout", "15s"},
		{"lock_timeout", "30s"},
		{"tcp_keepalives_idle", "30"},
		{"tcp_keepalives_interval", "10"},
		{"tcp_keepalives_count", "3"},
	}
}

func readerSettings() []setting {
	return []setting{
		{"application_name", "dw reader"},
		{"default_transaction_read_only", "on"},
		{"idle_in_transaction_session_timeout", "60s"},
	}
}

// server is a PostgreSQL database and how this process takes turns on it.
type server struct {
	config       *pgx.ConnConfig
	turn         chan struct{} // holds one token; who has it may update
	settleWithin time.Duration // how long the outcome of a commit is asked for
}

var errDSN = errors.New("the DSN cannot be read as one of PostgreSQL; write postgres://USER:PASSWORD@HOST:PORT/DATABASE, " +
	"with %XX for special characters of the password")

// postgresConfig reads dsn. The parser's own error is left out, for it repeats
// parts of the DSN.
func postgresConfig(dsn string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errDSN
	}
	if config.Database == "" {
		return nil, errors.New("the DSN names no database; write postgres://USER:PASSWORD@HOST:PORT/DATABASE")
	}
	return config, nil
}

func newServer(dsn string) (*server, error) {
	config, err := postgresConfig(dsn)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{KeepAlive: pgKeepAlive}
	config.DialFunc = dialer.DialContext
	s := &server{config: config, turn: make(chan struct{}, 1), settleWithin: settleWithin}
	s.turn <- struct{}{}
	return s, nil
}

func shownConfig(c *pgx.ConnConfig) string {
	hosts := []string{net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))}
	for _, other := range c.Fallbacks {
		if host := net.JoinHostPort(other.Host, strconv.Itoa(int(other.Port))); host != hosts[len(hosts)-1] {
			hosts = append(hosts, host)
		}
	}
	return "postgres://" + strings.Join(hosts, ",") + "/" + c.Database
}

// String names the database without user, password and parameters.
func (s *server) String() string { return shownConfig(s.config) }

// pool opens a pool whose connections all get the settings.
func (s *server) pool(settings []setting, most int) *sql.DB {
	var set strings.Builder
	for _, one := range settings {
		if _, given := s.config.RuntimeParams[one.name]; !given {
			fmt.Fprintf(&set, "SET %s = '%s';", one.name, one.value)
		}
	}
	db := stdlib.OpenDB(*s.config, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, set.String())
		return err
	}))
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	db.SetConnMaxIdleTime(pgIdleTime)
	return db
}

func (s *server) open(ctx context.Context, db *DB) (err error) {
	db.server = s
	if db.sql, err = loadQueries(queryFiles, "queries/postgres"); err != nil {
		return err
	}
	db.write = s.pool(writerSettings(), pgWriters)
	if err := db.checkServer(ctx, db.write); err != nil {
		return err
	}
	if err := s.migrate(ctx, db); err != nil {
		return err
	}
	if db.queue, err = newQueue(riverdatabasesql.New(db.write), db.opts); err != nil {
		return err
	}
	db.read, db.claims = s.pool(readerSettings(), pgReaders), s.pool(writerSettings(), pgClaims)
	return db.claimInstance(ctx)
}

func (s *server) openReadOnly(ctx context.Context, db *DB) (err error) {
	db.server = s
	if db.sql, err = loadQueries(queryFiles, "queries/postgres"); err != nil {
		return err
	}
	db.read = s.pool(readerSettings(), pgReaders)
	if err := db.read.PingContext(ctx); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if err := postgresSchema(db.read).check(ctx, db.read); err != nil {
		return err
	}
	db.instance, err = readMeta(ctx, db.read, db.sql, metaInstance)
	return err
}

// migrationLock is the advisory lock under which one process migrates and the
// others wait: "dw" in ASCII. It ends with its connection, also by a kill.
const migrationLock = 0x6477

func (s *server) migrate(ctx context.Context, db *DB) (err error) {
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect to migrate: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, db.sql["migration_lock"], migrationLock); err != nil {
		return fmt.Errorf("wait for another process that migrates: %w", err)
	}
	err = postgresSchema(db.write).migrate(ctx, db)
	if _, unlockErr := conn.ExecContext(context.WithoutCancel(ctx), db.sql["migration_unlock"], migrationLock); unlockErr != nil {
		err = errors.Join(err, fmt.Errorf("let other processes migrate: %w", unlockErr))
	}
	return err
}

// facts are what a server says of itself.
type facts struct {
	version                     int64
	encoding, fsync, syncCommit string
	standby                     bool
}

// checkServer refuses a server on which receipts could be lost or garbled.
func (db *DB) checkServer(ctx context.Context, pool *sql.DB) error {
	var f facts
	err := pool.QueryRowContext(ctx, db.sql["server_facts"]).Scan(&f.version, &f.encoding, &f.fsync, &f.syncCommit, &f.standby)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	return f.check()
}

func (f facts) check() error {
	switch {
	case f.version < leastPostgres:
		return fmt.Errorf("PostgreSQL %d.%d is too old; dw needs %d or later", f.version/10000, f.version%10000, leastPostgres/10000)
	case f.standby:
		return errors.New("it is a standby, which cannot be written; name the primary, or add target_session_attrs=read-write to the DSN")
	case f.encoding != "UTF8":
		return fmt.Errorf("the database's encoding is %s; make one with ENCODING 'UTF8'", f.encoding)
	case f.fsync != "on":
		return errors.New("the server runs with fsync = off, so receipts that were acknowledged can be lost; set fsync = on")
	case f.syncCommit == "off":
		return errors.New("synchronous_commit is off, so receipts that were acknowledged can be lost; set it on")
	}
	return nil
}
