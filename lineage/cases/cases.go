// Package cases scores lineage read out of SQL against files of cases whose
// answer is known: which tables a script reads and writes, and which columns a
// column comes from. What is wrong and what is missing are counted apart, because a person believes the first and asks
// about the second.
package cases

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"dw/lineage/columns"
	"dw/lineage/sqltables"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 16 << 20

// KindTables is the kind of case whose answer is the tables of a script.
const KindTables = "statement_tables"

// one is a case as a file writes it.
type one struct {
	ID       string                     `json:"id"`
	Kind     string                     `json:"kind"`
	Dialect  string                     `json:"dialect"`
	SQL      string                     `json:"sql"`
	Sources  []string                   `json:"expected_sources"`
	Targets  []string                   `json:"expected_targets"`
	Edges    []edge                     `json:"expected_edges"`
	Column   string                     `json:"column"`
	Views    map[string]string          `json:"views"`
	Expected map[string][]string        `json:"expected"`
	Tables   map[string]json.RawMessage `json:"schema"`
}

func (c one) query(schema columns.Schema) columns.Query {
	return columns.Query{SQL: c.SQL, Dialect: c.Dialect, Schema: schema}
}

// schema reads a list of columns, or an object of columns and types.
func (c one) schema() columns.Schema {
	out := columns.Schema{}
	for table, text := range c.Tables {
		var list []string
		if json.Unmarshal(text, &list) != nil {
			list = keys(text)
		}
		out[table] = list
	}
	return out
}

// keys are those of an object in the order of the file.
func keys(text json.RawMessage) []string {
	decoder := json.NewDecoder(bytes.NewReader(text))
	var out []string
	for {
		token, err := decoder.Token()
		if err != nil {
			return out
		}
		if name, ok := token.(string); ok {
			out = append(out, name)
			if _, err := decoder.Token(); err != nil { // the type
				return out
			}
		}
	}
}

// Score counts the answers to one kind of question from one collection.
type Score struct {
	Set     string `json:"set"`  // the first part of the cases' ids
	Kind    string `json:"kind"` // as the file says
	Cases   int    `json:"cases"`
	Answers int    `json:"answers"` // what is scored: cases, or the columns of models
	Exact   int    `json:"exact"`   // answers with nothing wrong and nothing missing
	Asked   bool   `json:"asked"`   // false: dw does not answer this kind, or its SQL engine is not there
	Right   int    `json:"right"`   // tables or columns
	Wrong   int    `json:"wrong"`   // those that were answered and are none
	Missing int    `json:"missing"` // those that were not answered
	// Unknown are those of the wrong ones of which the answer says that their table
	// is not known.
	Unknown int `json:"unknown"`
}

// Share is the part of the answers that are exact.
func (s Score) Share() float64 {
	if s.Answers == 0 {
		return 0
	}
	return float64(s.Exact) / float64(s.Answers)
}

// Miss is one answer that is not exact.
type Miss struct {
	ID      string   `json:"id"`
	Class   string   `json:"class"` // the group of the collection that it is in
	Wrong   []string `json:"wrong"`
	Missing []string `json:"missing"`
}

// Report is the result of a file of cases.
type Report struct {
	Scores []Score `json:"scores"`
	Misses []Miss  `json:"misses"`
}

// Run answers each case of a file with one JSON object a line; cases of columns
// only where the reader has an engine. A line that is no case is an error that
// names it, from 1.
func Run(ctx context.Context, r io.Reader, reader columns.Reader) (Report, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	run := runner{reader: reader}
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var c one
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return Report{}, fmt.Errorf("line %d is no case: %w", n, err)
		}
		if c.ID == "" || c.Kind == "" {
			return Report{}, fmt.Errorf("line %d is no case: it has no id or no kind", n)
		}
		if err := run.add(ctx, c); err != nil {
			return Report{}, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return Report{}, fmt.Errorf("read cases: %w", err)
	}
	return run.report, nil
}

type runner struct {
	reader columns.Reader
	report Report
}

func (r *runner) add(ctx context.Context, c one) error {
	score := r.score(c)
	score.Cases++
	if !score.Asked {
		return nil
	}
	answers, err := r.answers(ctx, c)
	if err != nil {
		return err
	}
	miss := Miss{ID: c.ID, Class: classOf(c.ID)}
	for _, d := range answers {
		score.Answers++
		score.Right += d.right
		if len(d.wrong)+len(d.missing) == 0 {
			score.Exact++
		}
		miss.Wrong, miss.Missing = append(miss.Wrong, d.wrong...), append(miss.Missing, d.missing...)
	}
	score.Wrong += len(miss.Wrong)
	if score.Kind != KindTables {
		score.Unknown += count(miss.Wrong, saidUnknown)
	}
	score.Missing += len(miss.Missing)
	if len(miss.Wrong)+len(miss.Missing) > 0 {
		r.report.Misses = append(r.report.Misses, miss)
	}
	return nil
}

// score finds the line of the report that a case belongs to.
func (r *runner) score(c one) *Score {
	set, _, _ := strings.Cut(c.ID, "/")
	at := slices.IndexFunc(r.report.Scores, func(s Score) bool { return s.Set == set && s.Kind == c.Kind })
	if at < 0 {
		at = len(r.report.Scores)
		asked := c.Kind == KindTables || r.reader.Engine != nil && slices.Contains([]string{KindEdges, KindSources, KindModel}, c.Kind)
		r.report.Scores = append(r.report.Scores, Score{Set: set, Kind: c.Kind, Asked: asked})
	}
	return &r.report.Scores[at]
}

func (r *runner) answers(ctx context.Context, c one) ([]difference, error) {
	switch c.Kind {
	case KindEdges:
		d, err := r.statementColumns(ctx, c)
		return []difference{d}, err
	case KindSources:
		d, err := r.columnSources(ctx, c)
		return []difference{d}, err
	case KindModel:
		return r.modelColumns(ctx, c)
	}
	got := sqltables.Read(c.SQL, c.Dialect)
	sources, targets := compare(got.Sources, c.Sources), compare(got.Targets, c.Targets)
	return []difference{{
		right: sources.right + targets.right,
		wrong: append(sources.wrong, targets.wrong...), missing: append(sources.missing, targets.missing...),
	}}, nil
}

// classOf is the name of the test that a case is of, without its number.
func classOf(id string) string {
	name, _, _ := strings.Cut(id[strings.LastIndex(id, ":")+1:], "#")
	return name
}

type difference struct {
	right          int
	wrong, missing []string
}

// compare takes names for the same whatever their quotes and their case: the
// collections write some with and some without.
func compare(got, want []string) difference {
	var d difference
	want = bare(want)
	got = bare(got)
	for _, name := range got {
		if slices.Contains(want, name) {
			d.right++
		} else {
			d.wrong = append(d.wrong, name)
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			d.missing = append(d.missing, name)
		}
	}
	return d
}

func bare(names []string) []string {
	var out []string
	for _, name := range names {
		name = strings.ToLower(strings.NewReplacer("`", "", `"`, "", "[", "", "]", "").Replace(name))
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// saidUnknown reports that an answer names no table: `a -> t.b`, `b <- a`, `a`.
func saidUnknown(answer string) bool {
	if _, from, found := strings.Cut(answer, " <- "); found {
		answer = from
	}
	from, _, _ := strings.Cut(answer, " -> ")
	return !strings.Contains(from, ".")
}

func count(list []string, is func(string) bool) int {
	n := 0
	for _, s := range list {
		if is(s) {
			n++
		}
	}
	return n
}
