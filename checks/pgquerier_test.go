package checks_test

import (
	"context"
	"os"
	"testing"

	"dw/checks"
	connector "dw/connectors/postgres"
	"dw/internal/testpg"

	"github.com/jackc/pgx/v5"
)

// server is the PostgreSQL server of this test binary.
var server testpg.Shared

func TestMain(m *testing.M) { os.Exit(server.Main(m)) }

// pgQuerier is a database as dw reads it, and a connection that changes it.
type pgQuerier struct {
	*connector.DB
	conn *pgx.Conn
}

var _ checks.Querier = pgQuerier{}

// postgres makes a database by statements and opens it.
func postgres(t *testing.T, statements ...string) pgQuerier {
	t.Helper()
	return postgresOf(t, connector.Options{}, statements...)
}

// postgresOf is postgres with options of its own, whose DSN is set here.
func postgresOf(t testing.TB, options connector.Options, statements ...string) pgQuerier {
	t.Helper()
	dsn := server.Database(t)
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	for _, text := range statements {
		if _, err := conn.Exec(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	options.DSN = dsn
	db, err := connector.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return pgQuerier{db, conn}
}
