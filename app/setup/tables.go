package setup

import (
	"context"
	"fmt"

	"dw/checks"
)

// maxTables bounds the list of tables that a person chooses from.
const maxTables = 40

// Tables lists tables and views by name, at most 40, for a person to choose from.
func Tables(ctx context.Context, q checks.Querier) ([]string, error) {
	text := `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name LIMIT 40`
	if q.Dialect() == checks.DialectPostgres {
		text = `SELECT table_schema || '.' || table_name FROM information_schema.tables
			WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1 LIMIT 40`
	}
	rows, err := q.Select(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("list the tables: %w", err)
	}
	names := make([]string, 0, maxTables)
	for _, row := range rows.Values {
		if name, ok := row[0].(string); ok {
			names = append(names, name)
		}
	}
	return names, nil
}
