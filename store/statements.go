package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// statements are the queries of one SQLite pool, each prepared before the second
// transaction that runs it: parsing one costs several times what running it does.
// Nothing is prepared within a transaction, for that may hold the pool's only
// connection. PostgreSQL's driver keeps its own.
type statements struct {
	pool   *sql.DB
	mu     sync.Mutex
	ready  map[string]*sql.Stmt
	wanted map[string]string // text by name
}

func newStatements(pool *sql.DB) *statements {
	return &statements{pool: pool, ready: map[string]*sql.Stmt{}, wanted: map[string]string{}}
}

// prepare readies what earlier transactions ran; the caller holds no connection. The
// lock is not held meanwhile: those who have the connections that it waits for take it.
func (s *statements) prepare(ctx context.Context) error {
	if s == nil {
		return nil
	}
	for name, text := range s.take() {
		stmt, err := s.pool.PrepareContext(ctx, text) //nolint:sqlclosecheck // close closes it
		if err != nil {
			return fmt.Errorf("prepare %s: %w", name, err)
		}
		if err := s.put(name, stmt); err != nil {
			return fmt.Errorf("prepare %s twice: %w", name, err)
		}
	}
	return nil
}

func (s *statements) take() (wanted map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted, s.wanted = s.wanted, map[string]string{}
	return wanted
}

// put keeps stmt, unless another was faster.
func (s *statements) put(name string, stmt *sql.Stmt) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready[name] != nil {
		return stmt.Close()
	}
	s.ready[name] = stmt
	return nil
}

// of returns the named statement, or nil where it is yet to be prepared.
func (s *statements) of(name, text string) *sql.Stmt {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stmt := s.ready[name]
	if stmt == nil {
		s.wanted[name] = text
	}
	return stmt
}

// close gives the statements back; their pool may be closed afterwards.
func (s *statements) close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, stmt := range s.ready {
		errs = append(errs, stmt.Close())
	}
	clear(s.ready)
	return errors.Join(errs...)
}

// bound are the statements of one transaction; one goroutine at a time uses them.
type bound struct {
	all    *statements
	tx     *sql.Tx
	byName map[string]*sql.Stmt
}

func (s *statements) bind(tx *sql.Tx) *bound {
	return &bound{all: s, tx: tx, byName: map[string]*sql.Stmt{}}
}

func (b *bound) of(ctx context.Context, name, text string) *sql.Stmt {
	stmt := b.byName[name]
	if stmt == nil {
		ready := b.all.of(name, text)
		if ready == nil {
			return nil
		}
		stmt = b.tx.StmtContext(ctx, ready)
		b.byName[name] = stmt
	}
	return stmt
}

func (b *bound) query(ctx context.Context, name, text string, args []any) (*sql.Rows, error) {
	if stmt := b.of(ctx, name, text); stmt != nil { //nolint:sqlclosecheck // the end of the transaction closes it
		return stmt.QueryContext(ctx, args...)
	}
	return b.tx.QueryContext(ctx, text, args...)
}

func (b *bound) exec(ctx context.Context, name, text string, args []any) (sql.Result, error) {
	if stmt := b.of(ctx, name, text); stmt != nil { //nolint:sqlclosecheck // the end of the transaction closes it
		return stmt.ExecContext(ctx, args...)
	}
	return b.tx.ExecContext(ctx, text, args...)
}
