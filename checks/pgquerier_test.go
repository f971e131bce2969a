package checks_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"dw/checks"
	"dw/internal/testpg"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// server is the PostgreSQL server of this test binary.
var server testpg.Shared

func TestMain(m *testing.M) { os.Exit(server.Main(m)) }

// pgQuerier reads PostgreSQL as plainly as can be: what is tested with it is the
// SQL of the checks, not the guards of a connector.
type pgQuerier struct{ conn *pgx.Conn }

var _ checks.Querier = pgQuerier{}

// postgres makes a database by statements and opens it.
func postgres(t *testing.T, statements ...string) pgQuerier {
	t.Helper()
	config, err := pgx.ParseConfig(server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	config.RuntimeParams["timezone"] = "UTC"
	conn, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	for _, text := range statements {
		if _, err := conn.Exec(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return pgQuerier{conn}
}

func (pgQuerier) Dialect() string { return checks.DialectPostgres }

func (q pgQuerier) Select(ctx context.Context, text string, args ...any) (checks.Rows, error) {
	if err := checks.Guard(text); err != nil {
		return checks.Rows{}, err
	}
	rows, err := q.conn.Query(ctx, text, args...)
	if err != nil {
		return checks.Rows{}, err
	}
	defer rows.Close()
	var out checks.Rows
	for _, field := range rows.FieldDescriptions() {
		out.Columns = append(out.Columns, field.Name)
	}
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return checks.Rows{}, err
		}
		for i, value := range values {
			values[i] = plain(value)
		}
		out.Values = append(out.Values, values)
	}
	return out, rows.Err()
}

// plain turns a value of pgx into one that checks.Rows may hold.
func plain(value any) any {
	switch v := value.(type) {
	case int16:
		return int64(v)
	case int32:
		return int64(v)
	case float32:
		return float64(v)
	case time.Time:
		return v.UTC()
	case pgtype.Numeric:
		text, err := v.Value()
		if err != nil {
			return fmt.Sprint(v)
		}
		if n, err := strconv.ParseInt(fmt.Sprint(text), 10, 64); err == nil {
			return n
		}
		return text
	}
	return value
}

func (q pgQuerier) Columns(ctx context.Context, table string) ([]checks.Column, error) {
	rows, err := q.conn.Query(ctx, `SELECT attname, format_type(atttypid, atttypmod), NOT attnotnull FROM pg_attribute
		WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`, table)
	if err != nil {
		return nil, err
	}
	columns, err := pgx.CollectRows(rows, pgx.RowToStructByPos[checks.Column])
	if err == nil && len(columns) == 0 {
		return nil, &checks.MissingTableError{Table: table}
	}
	return columns, err
}
