package testpg_test

import (
	"context"
	"testing"

	"dw/internal/testpg"

	"github.com/jackc/pgx/v5"
)

func query(t *testing.T, dsn, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var answer string
	if err := conn.QueryRow(context.Background(), sql).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestRestartKeepsWhatWasCommitted(t *testing.T) {
	t.Parallel()
	server := testpg.Start(t)
	dsn := server.Database(t)
	exec(t, dsn, "create table kept as select 'yes'::text as answer")
	if err := server.Restart("immediate"); err != nil {
		t.Fatal(err)
	}
	if got := query(t, dsn, "select answer from kept"); got != "yes" {
		t.Errorf("after a crash the table says %q", got)
	}
}

func TestDatabasesAreApart(t *testing.T) {
	t.Parallel()
	server := testpg.Start(t)
	a, b := server.Database(t), server.Database(t)
	if x, y := query(t, a, "select current_database()"), query(t, b, "select current_database()"); x == y {
		t.Errorf("both are %s", x)
	}
}

func TestCopyHoldsWhatWasThere(t *testing.T) {
	t.Parallel()
	server := testpg.Start(t)
	from := server.Database(t)
	exec(t, from, "create table kept as select 'yes'::text as answer")
	if got := query(t, server.Copy(t, from), "select answer from kept"); got != "yes" {
		t.Errorf("the copy says %q", got)
	}
}

func exec(t *testing.T, dsn, sql string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(context.Background(), sql); err != nil {
		t.Fatal(err)
	}
}
