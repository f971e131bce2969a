package store

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Error codes of PostgreSQL, by its appendix A.
const (
	lockNotAvailable   = "55P03"
	tooManyConnections = "53300"
	classConnection    = "08"  // connection exceptions
	classRollback      = "40"  // serialization failure, deadlock
	classIntervention  = "57P" // shutdown, crash, starting up
	idleInTransaction  = "25P03"
)

// code returns the server's code of an error, empty where it is not the server's.
func code(err error) string {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refused.Code
	}
	return ""
}

// raced reports whether the server rolled a transaction back because of another.
func raced(err error) bool { return strings.HasPrefix(code(err), classRollback) }

// transient reports whether err, of a transaction that had not begun, comes from
// a server that is away, starting, or has no connection left: it may be back
// soon. What the server refuses for another reason it will refuse again.
func transient(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	c := code(err)
	return c == "" || c == tooManyConnections || c == idleInTransaction ||
		strings.HasPrefix(c, classConnection) || strings.HasPrefix(c, classIntervention)
}

// refusedCommit reports whether the server answered a commit by rolling back. The
// end of its session, by a shutdown say, is no such answer: it may come after the
// commit was carried out.
func refusedCommit(err error) bool {
	if errors.Is(err, pgx.ErrTxCommitRollback) {
		return true
	}
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.SeverityUnlocalized == "ERROR"
}
