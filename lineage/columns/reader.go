package columns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"dw/lineage/sqltables"
)

// Engine analyses one query with options, both as the engine of package polyglot
// takes them. A *RefusedError says that it does not understand the query;
// ErrTimedOut that it takes too long.
type Engine interface {
	Analyze(ctx context.Context, sql string, options json.RawMessage) (json.RawMessage, error)
}

// ErrTimedOut says that the engine did not answer in the time that a statement
// has.
var ErrTimedOut = errors.New("timed out")

// RefusedError holds the engine's words about a query that it does not read.
type RefusedError struct{ Words string }

// Error is the engine's own.
func (e *RefusedError) Error() string { return "not understood: " + e.Words }

// Reader answers queries with an engine. The zero value, without an engine, knows
// tables only.
type Reader struct{ Engine Engine }

// NoEngine is why a Reader without an engine knows no columns.
const NoEngine = "the SQL engine is not installed (make sql-engine)"

// Read goes down the ladder until a rung holds. It returns an error only where
// ctx has ended; each other failure is the answer's Why.
func (r Reader) Read(ctx context.Context, q Query) (Answer, error) {
	if r.Engine == nil {
		return tablesOnly(q, NoEngine), nil
	}
	q.SQL = sqltables.Plain(q.SQL, q.Dialect)
	doubts := sqltables.Doubt(q.SQL, q.Dialect)
	if doubts.Star != "" {
		return tablesOnly(q, "the SQL engine does not read "+doubts.Star), nil
	}
	tables := sqltables.Read(q.SQL, q.Dialect).Sources
	schema, whole := known(tables, q.Schema)
	rung := NoSchema
	if whole {
		rung = Catalog
	}
	answer, err := r.ask(ctx, q, tables, schema)
	var refused *RefusedError
	if errors.As(err, &refused) && len(schema) > 0 {
		rung = NoSchema
		answer, err = r.ask(ctx, q, tables, nil)
	}
	switch {
	case ctx.Err() != nil:
		return Answer{}, fmt.Errorf("read the columns of a query: %w", ctx.Err())
	case err != nil:
		return tablesOnly(q, err.Error()), nil
	}
	if doubts.Pivot != "" && slices.ContainsFunc(answer.Outputs, func(o Output) bool { return o.Name == "*" }) {
		return tablesOnly(q, "the columns that "+doubts.Pivot+" makes are not listed"), nil
	}
	if len(tables) == 0 && slices.ContainsFunc(answer.Outputs, func(o Output) bool { return !o.Sure() }) {
		rung = NoSchema // it reads what is no table: a file
	}
	answer.Rung = rung
	return answer, nil
}

// known is the part of the schema that the query reads, under the names that the
// query writes, and whether it holds all of its tables.
func known(tables []string, all Schema) (Schema, bool) {
	out := Schema{}
	for _, t := range tables {
		if columns, ok := all.Find(t); ok {
			out[t] = columns
		}
	}
	return out, len(out) == len(tables)
}

func (r Reader) ask(ctx context.Context, q Query, tables []string, schema Schema) (Answer, error) {
	n := narrow(q.SQL, q.Dialect, schema)
	options, err := engineOptions(q.Dialect, tables, n.schema)
	if err != nil {
		return Answer{}, err
	}
	f := facts{tables: tables, schema: n.schema, dialect: engineDialect(q.Dialect)}
	f.analyze = func(sql string) (analysis, error) {
		var a analysis
		text, err := r.Engine.Analyze(ctx, sql, options)
		if err != nil {
			return a, err
		}
		if err := json.Unmarshal(text, &a); err != nil {
			return a, fmt.Errorf("read the SQL engine's analysis: %w", err)
		}
		return a, nil
	}
	if f.analysis, err = f.analyze(q.SQL); err != nil {
		return Answer{}, err
	}
	return Answer{Outputs: n.widen(f.outputs()), Filters: n.widenColumns(f.filters()), Tables: tables}, nil
}

// engineOptions are the options of the engine's analyze_query, the tables in the
// order of the query so that the same question has the same text.
func engineOptions(dialect string, tables []string, schema Schema) (json.RawMessage, error) {
	type column struct {
		Name string `json:"name"`
		Type string `json:"type"`
	}
	type table struct {
		Name    string   `json:"name"`
		Columns []column `json:"columns"`
	}
	var options struct {
		Dialect string `json:"dialect"`
		Schema  *struct {
			Tables []table `json:"tables"`
			Strict bool    `json:"strict"`
		} `json:"schema,omitempty"`
	}
	options.Dialect = engineDialect(dialect)
	var listed []table
	for _, name := range tables {
		columns, ok := schema[name]
		if !ok {
			continue
		}
		t := table{Name: name}
		for _, c := range columns {
			t.Columns = append(t.Columns, column{Name: c, Type: "text"})
		}
		listed = append(listed, t)
	}
	if len(listed) > 0 {
		options.Schema = &struct {
			Tables []table `json:"tables"`
			Strict bool    `json:"strict"`
		}{Tables: listed}
	}
	text, err := json.Marshal(options)
	if err != nil {
		return nil, fmt.Errorf("write the SQL engine's options: %w", err)
	}
	return text, nil
}
