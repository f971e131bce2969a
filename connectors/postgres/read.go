package postgres

import (
	"context"
	"fmt"
	"time"
)

// rows runs a query on the catalogue, which is dw's own and needs no guard.
func (s *session) rows(ctx context.Context, text string, args ...any) ([][]any, error) {
	found, err := s.run(ctx, text, maxCatalogue, args...)
	if err != nil {
		return nil, err
	}
	if found.cut {
		return nil, fmt.Errorf("the catalogue has more than %d entries; name the schemas to read", maxCatalogue)
	}
	rows, err := rowsOf(found)
	return rows.Values, err
}

// maxCatalogue bounds one answer of the catalogue.
const maxCatalogue = 200_000

// names runs a query on the catalogue that answers one column of text.
func (s *session) names(ctx context.Context, text string, args ...any) ([]string, error) {
	rows, err := s.rows(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(rows))
	for i, row := range rows {
		if err := scan(row, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// scan copies a row into variables; NULL leaves one as it is.
func scan(row []any, into ...any) error {
	if len(row) != len(into) {
		return fmt.Errorf("read the catalogue: expected %d columns, got %d", len(into), len(row))
	}
	for i, variable := range into {
		value := row[i]
		if value == nil {
			continue
		}
		ok := false
		switch to := variable.(type) {
		case *string:
			*to, ok = value.(string)
		case *int64:
			*to, ok = value.(int64)
		case *float64:
			*to, ok = value.(float64)
		case *bool:
			*to, ok = value.(bool)
		case *time.Time:
			*to, ok = value.(time.Time)
		}
		if !ok {
			return fmt.Errorf("read the catalogue: column %d is a %T", i+1, value)
		}
	}
	return nil
}
