package checks

import (
	"context"
	"errors"
)

// Names looks up every table and column that a check names and returns what the
// catalogue lacks, joined: *MissingTableError, *MissingColumnError, or why it
// could not be asked. It reads no rows. The table of a dead-letter check may be
// missing, since no record was rejected yet; a query of the check sql is not
// looked into.
func Names(ctx context.Context, q Querier, s Spec) error {
	kind, _ := KindOf(s.Kind)
	own := append(append([]string{s.TimeColumn}, s.Columns...), s.Dimensions...)
	err := namesOf(ctx, q, s.Table, own)
	if _, missing := errors.AsType[*MissingTableError](err); missing && kind == KindDeadLetter {
		err = nil
	}
	mainTime := s.MainTime
	if mainTime == "" {
		mainTime = s.TimeColumn
	}
	return errors.Join(err, namesOf(ctx, q, s.MainTable, []string{mainTime}))
}

func namesOf(ctx context.Context, q Querier, table string, columns []string) error {
	if table == "" {
		return nil
	}
	t, err := resolve(ctx, q, table)
	if err != nil {
		return err
	}
	var missing []error
	for _, column := range columns {
		if column == "" {
			continue
		}
		if _, err := t.column(column); err != nil {
			missing = append(missing, err)
		}
	}
	return errors.Join(missing...)
}
