package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"dw/checks"
	"dw/config"
	"dw/connectors/postgres"
	"dw/connectors/sqlite"
)

// database is an open connection to what the checks read.
type database interface {
	checks.Querier
	Close() error
}

// Limits of a connection that sets none.
const (
	defaultMaxRows      = 10_000
	defaultQueryTimeout = 30 * time.Second
)

// Querier opens a connection once and hands it out.
func (p *Project) Querier(name string) (checks.Querier, error) {
	return p.database(name)
}

func (p *Project) database(name string) (database, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if db, open := p.databases[name]; open {
		return db, nil
	}
	c, known := p.Config.Connections[name]
	if !known {
		return nil, fmt.Errorf("%q is not in connections", name)
	}
	open := openDatabase
	if c.Kind == config.KindPushed {
		open = func(c config.Connection) (database, error) { return p.openPushed(limitsOf(c)) }
	}
	db, err := open(c)
	if err != nil {
		return nil, fmt.Errorf("connection %s: %w", name, err)
	}
	p.databases[name] = db
	return db, nil
}

// Database is an open connection that its holder closes.
type Database interface {
	checks.Querier
	Close() error
}

// OpenConnection opens a connection that stands in no configuration yet. A
// PostgreSQL server is not asked before the first question.
func OpenConnection(c config.Connection) (Database, error) { return openDatabase(c) }

func openDatabase(c config.Connection) (database, error) {
	rows := c.MaxRows
	if rows == 0 {
		rows = defaultMaxRows
	}
	if c.Kind == config.KindPostgres {
		return postgres.Open(postgres.Options{
			DSN: c.DSN.Reveal(), Schemas: c.Schemas, MaxRows: rows, Timeout: c.Timeout.Or(defaultQueryTimeout),
			LockTimeout: c.LockTimeout.Std(), MaxCost: c.MaxCost, MaxRowsScanned: int64(c.MaxRowsScanned),
		})
	}
	if c.Kind == config.KindPushed {
		return nil, errors.New("what was pushed is read with the configuration that it belongs to")
	}
	return sqlite.Open(c.Path, limitsOf(c))
}

// limitsOf are the limits of a connection to a SQLite file.
func limitsOf(c config.Connection) sqlite.Options {
	return sqlite.Options{MaxRows: cmp.Or(c.MaxRows, defaultMaxRows), Timeout: c.Timeout.Or(defaultQueryTimeout)}
}

// checkConnections reports DSNs that cannot be read; none is connected to.
func checkConnections(c *config.Config) config.Problems {
	var problems config.Problems
	for name, connection := range c.Connections {
		if connection.Kind != config.KindPostgres || connection.DSN.Empty() {
			continue
		}
		if err := postgres.CheckDSN(connection.DSN.Reveal()); err != nil {
			problems = append(problems, c.Problem("connections."+name+".dsn", "%v", err))
		}
	}
	return problems
}

// adviser is a connection that can say what should be otherwise with its role
// and its server.
type adviser interface {
	Advice(ctx context.Context) ([]string, error)
}

// Advise connects and returns what should be otherwise with a connection, none
// where all is well. The error says why it could not be asked.
func (p *Project) Advise(ctx context.Context, connection string) ([]string, error) {
	db, err := p.database(connection)
	if err != nil {
		return nil, err
	}
	asked, ok := db.(adviser)
	if !ok {
		return nil, nil
	}
	lines, err := asked.Advice(ctx)
	if err != nil {
		return nil, fmt.Errorf("connection %s: %w", connection, err)
	}
	return lines, nil
}

// Close closes the connections.
func (p *Project) Close() error {
	var errs []error
	for _, db := range p.databases {
		errs = append(errs, db.Close())
	}
	return errors.Join(errs...)
}
