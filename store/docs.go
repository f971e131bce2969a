package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// encodeDoc returns v as the text of a doc column.
func encodeDoc(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode %T: %w", v, err)
	}
	return string(b), nil
}

// listDocs decodes the single doc column of every row of the named query; the
// answer is never nil.
func listDocs[T any](ctx context.Context, r *reader, name string, args ...any) ([]T, error) {
	list := []T{}
	err := r.scan(ctx, name, func(rows *sql.Rows) error {
		var raw []byte
		if err := rows.Scan(&raw); err != nil {
			return err
		}
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return fmt.Errorf("decode %T: %w", v, err)
		}
		list = append(list, v)
		return nil
	}, args...)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// firstDoc is listDocs for queries that answer at most one row.
func firstDoc[T any](ctx context.Context, r *reader, name string, args ...any) (T, bool, error) {
	list, err := listDocs[T](ctx, r, name, args...)
	if err != nil || len(list) == 0 {
		var none T
		return none, false, err
	}
	return list[0], true, nil
}
