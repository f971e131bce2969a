// Package cases scores lineage read out of SQL against files of cases whose
// answer is known: which tables a script reads and writes. What is wrong and
// what is missing are counted apart, because a person believes the first and asks
// about the second.
package cases

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"dw/lineage/sqltables"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 16 << 20

// KindTables is the kind of case that dw answers: the tables of a script.
const KindTables = "statement_tables"

// one is a case as a file writes it.
type one struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"`
	Dialect string   `json:"dialect"`
	SQL     string   `json:"sql"`
	Sources []string `json:"expected_sources"`
	Targets []string `json:"expected_targets"`
}

// Score counts the cases of one kind from one collection.
type Score struct {
	Set     string `json:"set"`  // the first part of the cases' ids
	Kind    string `json:"kind"` // as the file says
	Cases   int    `json:"cases"`
	Exact   int    `json:"exact"`   // nothing wrong, nothing missing
	Asked   bool   `json:"asked"`   // false: dw does not answer this kind
	Right   int    `json:"right"`   // tables
	Wrong   int    `json:"wrong"`   // tables that were answered and are none
	Missing int    `json:"missing"` // tables that were not answered
}

// Share is the part of the cases that are exact.
func (s Score) Share() float64 {
	if s.Cases == 0 {
		return 0
	}
	return float64(s.Exact) / float64(s.Cases)
}

// Miss is one case that is not exact.
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

// Run answers each case of a file with one JSON object a line. A line that is
// none is an error that names it, from 1.
func Run(r io.Reader) (Report, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var out Report
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
		out.add(c)
	}
	if err := lines.Err(); err != nil {
		return Report{}, fmt.Errorf("read cases: %w", err)
	}
	return out, nil
}

func (r *Report) add(c one) {
	set, _, _ := strings.Cut(c.ID, "/")
	at := slices.IndexFunc(r.Scores, func(s Score) bool { return s.Set == set && s.Kind == c.Kind })
	if at < 0 {
		at = len(r.Scores)
		r.Scores = append(r.Scores, Score{Set: set, Kind: c.Kind, Asked: c.Kind == KindTables})
	}
	score := &r.Scores[at]
	score.Cases++
	if c.Kind != KindTables {
		return
	}
	got := sqltables.Read(c.SQL, c.Dialect)
	sources, targets := compare(got.Sources, c.Sources), compare(got.Targets, c.Targets)
	miss := Miss{ID: c.ID, Class: classOf(c.ID)}
	for _, d := range []difference{sources, targets} {
		score.Right += d.right
		miss.Wrong, miss.Missing = append(miss.Wrong, d.wrong...), append(miss.Missing, d.missing...)
	}
	score.Wrong += len(miss.Wrong)
	score.Missing += len(miss.Missing)
	if len(miss.Wrong)+len(miss.Missing) == 0 {
		score.Exact++
		return
	}
	r.Misses = append(r.Misses, miss)
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
