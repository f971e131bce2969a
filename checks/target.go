package checks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MissingColumnError says that a table has no such column, and which names are
// near.
type MissingColumnError struct {
	Table  string
	Column string
	Near   []string // up to three, nearest first
}

// Error names the column, the table and the near names.
func (e *MissingColumnError) Error() string {
	text := fmt.Sprintf("table %s has no column %s", e.Table, e.Column)
	if len(e.Near) == 0 {
		return text
	}
	return text + "; near names: " + strings.Join(e.Near, ", ")
}

// target is a table that the catalogue knows, ready to be put into SQL.
type target struct {
	name    string // as the operator wrote it
	quoted  string
	dialect string
	columns []Column
}

// resolve looks a table up in the catalogue: first the whole name, dots and all,
// then its parts as schema and table.
func resolve(ctx context.Context, q Querier, name string) (target, error) {
	var first error
	for _, parts := range candidates(name) {
		quoted, err := quotePath(q.Dialect(), parts)
		if err != nil {
			return target{}, err
		}
		columns, err := q.Columns(ctx, quoted)
		if err == nil {
			return target{name: name, quoted: quoted, dialect: q.Dialect(), columns: columns}, nil
		}
		var missing *MissingTableError
		if !errors.As(err, &missing) {
			return target{}, fmt.Errorf("look up table %s: %w", name, err)
		}
		if first == nil || len(missing.Near) > 0 {
			first = &MissingTableError{Table: name, Near: missing.Near}
		}
	}
	if first == nil {
		return target{}, fmt.Errorf("%q cannot be a table name", name)
	}
	return target{}, first
}

// candidates returns the ways in which a table name can be read: as one
// identifier, and as a dotted path. Readings that cannot be quoted are left out.
func candidates(name string) [][]string {
	readings := [][]string{{name}}
	if parts, err := SplitName(name); err == nil && !slices.Equal(parts, readings[0]) {
		readings = append(readings, parts)
	}
	return slices.DeleteFunc(readings, func(parts []string) bool {
		_, err := quotePath(DialectSQLite, parts)
		return err != nil
	})
}

// describe returns a column as the catalogue has it. Case is overlooked where no
// other column differs by case alone.
func (t target) describe(name string) (Column, error) {
	var same []Column
	names := make([]string, len(t.columns))
	for i, column := range t.columns {
		if column.Name == name {
			return column, nil
		}
		if strings.EqualFold(column.Name, name) {
			same = append(same, column)
		}
		names[i] = column.Name
	}
	if len(same) == 1 {
		return same[0], nil
	}
	return Column{}, &MissingColumnError{Table: t.name, Column: name, Near: Near(name, names)}
}

// column returns a column's quoted name as the catalogue spells it.
func (t target) column(name string) (string, error) {
	column, err := t.describe(name)
	if err != nil {
		return "", err
	}
	return Quote(t.dialect, column.Name)
}

// columnList returns several columns' quoted names.
func (t target) columnList(names []string) ([]string, error) {
	quoted := make([]string, len(names))
	for i, name := range names {
		q, err := t.column(name)
		if err != nil {
			return nil, err
		}
		quoted[i] = q
	}
	return quoted, nil
}
