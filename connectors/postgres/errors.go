package postgres

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"dw/checks"
)

// explain says what a failure means and what to do. late says that dw's own time
// limit has passed.
func (db *DB) explain(err error, late bool) error {
	if busy, ok := errors.AsType[*busyError](err); ok {
		return fmt.Errorf("read %s: %w", db.name, busy)
	}
	if timedOut(err, late) {
		return &checks.RefusedError{
			Guard: "time limit",
			Why:   fmt.Sprintf("the statement on %s took longer than %s and was stopped on the server", db.name, db.opts.Timeout),
		}
	}
	big, isBig := errors.AsType[*tooBigError](err)
	_, isLong := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err)
	switch {
	case isBig:
		return &checks.RefusedError{Guard: "size limit", Why: big.Error()}
	case isLong:
		return &checks.RefusedError{Guard: "size limit", Why: fmt.Sprintf("a row is bigger than %d bytes; select less", maxMessage)}
	}
	if advice := db.advise(err); advice != "" {
		return fmt.Errorf("read %s: %s: %w", db.name, advice, short(err))
	}
	return fmt.Errorf("read %s: %w", db.name, err)
}

// timedOut reports whether the statement was stopped for its length, by the
// server or by dw, and not by a person with pg_cancel_backend.
func timedOut(err error, late bool) bool {
	coded, ok := errors.AsType[*pgconn.PgError](err)
	return late || ok && coded.Code == codeCancelled && !strings.Contains(coded.Message, "user request")
}

// short is the server's own sentence without its position in a text that dw has
// wrapped.
func short(err error) error {
	coded, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	return fmt.Errorf("%s (SQLSTATE %s)", coded.Message, coded.Code)
}

// SQLSTATEs that are explained, from appendix A of PostgreSQL's manual.
const (
	codeCancelled  = "57014"
	codeAdminStop  = "57P01"
	codeCrashStop  = "57P02"
	codeStarting   = "57P03"
	codeLock       = "55P03"
	codeDeadlock   = "40P01"
	codeConflict   = "40001" // on a standby: rows that the statement reads were removed
	codeForbidden  = "42501"
	codeReadOnly   = "25006"
	codeNoTable    = "42P01"
	codeNoColumn   = "42703"
	codeNoFunction = "42883"
	codeSyntax     = "42601"
	codeBadText    = "22P02"
	codeNoDatabase = "3D000"
	codeNoSchema   = "3F000"
	codePassword   = "28P01"
	codeNoLogin    = "28000"
	codeTooMany    = "53300"
	codeDiskFull   = "53100"
	codeMemory     = "53200"
)

// advise says what to do about a failure, "" where nothing can be said.
func (db *DB) advise(err error) string {
	coded, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return unreachable(err)
	}
	switch coded.Code {
	case codeAdminStop, codeCrashStop:
		return "the server was stopped or restarted while it answered; the next run connects anew"
	case codeCancelled:
		return "someone stopped it on the server, as pg_cancel_backend does; the next run asks again"
	case codeStarting:
		return "the server is starting or stopping; the next run connects anew"
	case codeLock:
		return fmt.Sprintf("another session has locked the table for longer than %s, as ALTER TABLE, VACUUM FULL or LOCK do; "+
			"see pg_locks, or run it again later", db.opts.LockTimeout)
	case codeDeadlock:
		return "it and another session waited for each other; run it again"
	case codeConflict:
		return "the standby removed rows that it was reading; run it again, or set hot_standby_feedback on the standby"
	case codeTooMany:
		return "the server has no connection left for this role; raise max_connections or the role's CONNECTION LIMIT, or read from a replica"
	case codeDiskFull, codeMemory:
		return "the server has no room for the statement's work; narrow it with where"
	}
	return adviseText(coded.Code)
}

// adviseText says what to do about a statement or a right that is wrong.
func adviseText(code string) string {
	switch code {
	case codeForbidden:
		return "the role may not read this; an owner of it runs GRANT USAGE ON SCHEMA … and GRANT SELECT ON … to the role"
	case codeReadOnly:
		return "it would write, and dw only reads"
	case codeNoTable, codeNoColumn:
		return "a name in the statement does not exist; correct it (in PostgreSQL names without quotes are lower case)"
	case codeNoFunction:
		return "there is no such function for these types; correct the statement"
	case codeSyntax:
		return "it is not SQL that PostgreSQL reads; correct the statement"
	case codeBadText:
		return "a value does not fit its column's type; correct the statement"
	case codeNoDatabase:
		return "there is no such database; correct the dsn"
	case codeNoSchema:
		return "there is no such schema; correct schemas"
	case codePassword:
		return "the password is wrong; correct dsn or dsn_file"
	case codeNoLogin:
		return "the server lets this role not in; see its pg_hba.conf and whether the role may LOGIN"
	}
	return ""
}

// unreachable says what to do where no server answered.
func unreachable(err error) string {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return "no connection; see that the server runs, and that host, port and sslmode of the dsn are right"
	}
	if pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "EOF") || strings.Contains(err.Error(), "connection reset") {
		return "the connection broke; the next run connects anew"
	}
	return ""
}
