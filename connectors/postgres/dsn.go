package postgres

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// CheckDSN reports what is wrong with a DSN, without connecting and without
// repeating any of it but what is no secret.
func CheckDSN(dsn string) error {
	_, err := parse(dsn)
	return err
}

// parse reads a DSN, the PG* environment and the password file as libpq does.
func parse(dsn string) (*pgxpool.Config, error) {
	if strings.TrimSpace(dsn) == "" {
		return nil, errors.New("the DSN of PostgreSQL is empty: write postgres://USER@HOST:5432/DATABASE, or host=HOST dbname=DATABASE user=USER")
	}
	if scheme, _, found := strings.Cut(dsn, "://"); found && scheme != "postgres" && scheme != "postgresql" {
		return nil, errors.New("the DSN is not PostgreSQL's: it must begin with postgres:// or be host=HOST dbname=DATABASE user=USER")
	}
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("the DSN of PostgreSQL cannot be read: %w", redact(err))
	}
	return config, nil
}

// redact keeps of a driver's error only what it says itself: a DSN, even with
// its password struck out, is no part of a message.
func redact(err error) error {
	if _, ok := errors.AsType[*pgconn.ParseConfigError](err); !ok {
		return err
	}
	// The driver writes "cannot parse `DSN`: reason (cause)"; the cause of a bad
	// URL repeats it, that of TLS names what is wrong with a setting.
	text := err.Error()
	if _, after, found := strings.Cut(text, "`: "); found {
		text = after
	}
	reason, cause, _ := strings.Cut(text, " (")
	if strings.Contains(reason, "TLS") {
		return errors.New(reason + ": " + strings.TrimSuffix(cause, ")"))
	}
	return errors.New(reason)
}

// describe names a database for people.
func describe(config *pgxpool.Config) string {
	c := config.ConnConfig
	where := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	if strings.HasPrefix(c.Host, "/") {
		where = c.Host
	}
	return fmt.Sprintf("PostgreSQL database %s on %s as %s", c.Database, where, c.User)
}
