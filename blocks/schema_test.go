package blocks_test

import (
	"context"
	"fmt"
	"strings"

	"dw/checks"
	"dw/workflows"
)

// wide is a table of eighty columns, of which nothing is read but the catalogue.
type wide struct{ name, typ string }

func (wide) Select(context.Context, string, ...any) (checks.Rows, error) { return checks.Rows{}, nil }

func (w wide) Columns(context.Context, string) ([]checks.Column, error) {
	columns := make([]checks.Column, 80)
	for i := range columns {
		columns[i] = checks.Column{Name: fmt.Sprintf("%s_%d", strings.Repeat(w.name, 4), i), Type: w.typ, Nullable: true}
	}
	return columns, nil
}

func (wide) Dialect() string { return checks.DialectPostgres }

// earlier is what the first run left.
type earlier struct{ result checks.Result }

func (e earlier) Last(context.Context, string) (checks.Result, bool, error) {
	return e.result, true, nil
}

// schemaIncident is the incident of a table of which every column changed, as the
// check itself tells it.
func schemaIncident(name string) workflows.Incident {
	spec := checks.Spec{Name: "columns", Kind: checks.KindSchema, Table: "orders"}
	first := checks.Run(context.Background(), spec, wide{name, "text"}, nil, onset)
	result := checks.Run(context.Background(), spec, wide{name + "x", "numeric(10,2)"}, earlier{first}, now)
	i := incident("orders")
	result.Asset = i.Subject
	i.Signals = []workflows.Signal{{Check: result.Check, First: now, Last: now, Count: 1, Result: result}}
	i.Diagnosis = nil
	return i
}
