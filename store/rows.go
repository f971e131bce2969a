package store

import (
	"context"
	"fmt"
	"strings"
)

// rowsAtOnce is how many rows one statement inserts where there are so many.
const rowsAtOnce = 16

// insertRows runs the named insertion of one row for all rows, in their order; args
// holds columns values for each.
func (t *writer) insertRows(ctx context.Context, name string, columns int, args []any) error {
	for len(args) >= rowsAtOnce*columns && t.turn != nil {
		if err := t.insertMany(ctx, name, args[:rowsAtOnce*columns]); err != nil {
			return err
		}
		args = args[rowsAtOnce*columns:]
	}
	for ; len(args) > 0; args = args[columns:] {
		if _, err := t.exec(ctx, name, args[:columns]...); err != nil {
			return err
		}
	}
	return nil
}

// insertMany is the named insertion with its row of values rowsAtOnce times.
func (t *writer) insertMany(ctx context.Context, name string, args []any) error {
	text, err := t.text(name)
	if err != nil {
		return t.fail(err)
	}
	text = strings.TrimSuffix(text, ";")
	row := text[strings.LastIndexByte(text, '('):]
	_, err = t.run.exec(ctx, name+" many", text+strings.Repeat(", "+row, rowsAtOnce-1), args)
	if err != nil {
		return t.fail(fmt.Errorf("statement %s, %d rows: %w", name, rowsAtOnce, err))
	}
	return nil
}
