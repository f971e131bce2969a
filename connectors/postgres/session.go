package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// session is one read-only transaction on one connection.
type session struct {
	db   *DB
	pool *pgxpool.Conn
	conn *pgconn.PgConn
}

// busyError says that no connection of the pool came free in time.
type busyError struct{ text string }

func (e *busyError) Error() string { return e.text }

// inside hands work a connection, on which nothing is left over afterwards.
func (db *DB) inside(ctx context.Context, work func(*session) error) error {
	pooled, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	s := &session{db: db, pool: pooled, conn: pooled.Conn().PgConn()}
	defer s.end()
	return work(s)
}

// acquire takes a connection from the pool.
func (db *DB) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	limited, cancel := context.WithTimeout(ctx, db.opts.Timeout)
	defer cancel()
	pooled, err := db.pool.Acquire(limited)
	if err == nil {
		return pooled, nil
	}
	stat := db.pool.Stat()
	if errors.Is(err, context.DeadlineExceeded) && stat.AcquiredConns() >= stat.MaxConns() {
		return nil, &busyError{fmt.Sprintf("all %d connections were busy for %s; spread the schedules of the checks, or make slow ones cheaper",
			stat.MaxConns(), db.opts.Timeout)}
	}
	return nil, fmt.Errorf("connect: %w", err)
}

// begin opens the read-only transaction with its limits.
func (s *session) begin(ctx context.Context) error {
	if _, err := s.conn.Exec(ctx, s.db.preamble).ReadAll(); err != nil {
		return fmt.Errorf("begin a read-only transaction: %w", err)
	}
	return nil
}

// end rolls back and gives the connection back. One that does not answer is
// closed, so that the next statement gets another.
func (s *session) end() {
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	err := s.rollBack(ctx)
	if coded, ok := errors.AsType[*pgconn.PgError](err); ok && coded.Code == codeCancelled {
		err = s.rollBack(ctx) // a cancel request that came late hit the first
	}
	if err != nil {
		_ = s.conn.Close(ctx) // the pool drops it; there is nothing more to be done
	}
	s.pool.Release()
}

func (s *session) rollBack(ctx context.Context) error {
	if s.conn.IsClosed() {
		return nil
	}
	_, err := s.conn.Exec(ctx, "ROLLBACK").ReadAll()
	return err
}

// answer is what one statement answered, as PostgreSQL wrote it.
type answer struct {
	fields []pgconn.FieldDescription
	rows   [][][]byte // nil is NULL
	cut    bool       // there are more rows than were asked for
}

// run sends one statement in the extended protocol, in which the server itself
// refuses a second one, and reads at most limit rows.
func (s *session) run(ctx context.Context, text string, limit int, args ...any) (answer, error) {
	values, types, err := encode(args)
	if err != nil {
		return answer{}, err
	}
	reader := s.conn.ExecParams(ctx, text, values, types, nil, nil)
	var out answer
	bytes := 0
	for reader.NextRow() {
		if len(out.rows) == limit {
			out.cut = true
			continue // the statement itself ends soon: Select wraps it in a LIMIT
		}
		row := reader.Values()
		kept := make([][]byte, len(row))
		for i, value := range row {
			if value != nil {
				kept[i] = append(make([]byte, 0, len(value)), value...)
			}
			bytes += len(value)
		}
		if bytes > maxAnswer {
			_ = s.conn.Close(ctx) // there is no other way to stop an answer that is on its way
			return answer{}, &tooBigError{bytes: maxAnswer}
		}
		out.rows = append(out.rows, kept)
	}
	out.fields = reader.FieldDescriptions()
	if _, err := reader.Close(); err != nil {
		return answer{}, err
	}
	return out, nil
}

// tooBigError says that an answer has too many bytes.
type tooBigError struct{ bytes int }

func (e *tooBigError) Error() string {
	return fmt.Sprintf("the answer is bigger than %d bytes; select less", e.bytes)
}
