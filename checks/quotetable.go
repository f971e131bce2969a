package checks

import "context"

// QuoteTable returns a table's name as it stands in SQL, from the catalogue of a
// connection. The name is read as checks read theirs: as it stands, dots and
// all, or else as schema and table. A missing table is a *MissingTableError.
func QuoteTable(ctx context.Context, q Querier, name string) (string, error) {
	t, err := resolve(ctx, q, name)
	return t.quoted, err
}
