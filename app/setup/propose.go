package setup

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"dw/checks"
)

// tries bounds how many columns of a table are asked about, each with one query.
const tries = 3

// Proposed is a check for a table that passes now, and why it is proposed.
type Proposed struct {
	Spec checks.Spec
	Why  string
}

// Proposal is a first set of checks for a table.
type Proposal struct {
	Table  string
	Checks []Proposed
	Notes  []string // what could not be proposed, and what to do
}

// Propose reads the catalogue's entry of a table, tries its likely key and its
// likely times, and proposes row_count, freshness and unique as far as they hold
// now: a check that fails on its first run teaches nobody. A missing table is a
// *checks.MissingTableError.
func Propose(ctx context.Context, q checks.Querier, connection, table string, now time.Time) (Proposal, error) {
	columns, err := q.Columns(ctx, table)
	if err != nil {
		return Proposal{}, err
	}
	p := proposer{q: q, now: now, base: checks.Spec{Connection: connection, Table: table, Zone: "UTC"}, Proposal: Proposal{Table: table}}
	if err := p.rows(ctx); err != nil {
		return Proposal{}, err
	}
	p.freshness(ctx, columns)
	p.key(ctx, columns)
	return p.Proposal, nil
}

type proposer struct {
	Proposal
	q    checks.Querier
	base checks.Spec
	now  time.Time
}

func (p *proposer) run(ctx context.Context, s checks.Spec) checks.Result {
	return checks.Run(ctx, s, p.q, nothing{}, p.now)
}

// nothing is the memory of a one-off run.
type nothing struct{}

// Last meets checks.Memory.
func (nothing) Last(context.Context, string) (checks.Result, bool, error) {
	return checks.Result{}, false, nil
}

func (p *proposer) add(s checks.Spec, why string) {
	p.Checks = append(p.Checks, Proposed{Spec: s, Why: why})
}

// rows counts; an error here means that the table cannot be read at all.
func (p *proposer) rows(ctx context.Context) error {
	s := p.base
	s.Name, s.Kind, s.Schedule = p.Table+" has rows", checks.KindRowCount, "@every 15m"
	var err error
	if s.Threshold, err = checks.ParseThreshold("> 0"); err != nil {
		return fmt.Errorf("propose a count of rows: %w", err)
	}
	result := p.run(ctx, s)
	switch result.Status {
	case checks.Error, checks.Skipped:
		return fmt.Errorf("count the rows of %s: %s", p.Table, cmp.Or(result.Problem, result.Message))
	case checks.Pass:
		p.add(s, result.Message)
	default:
		p.add(s, "it is empty now, so this check opens an incident at its first run")
	}
	return nil
}

// freshness takes the likeliest column of times that holds one.
func (p *proposer) freshness(ctx context.Context, columns []checks.Column) {
	for _, column := range likely(columns, timeRank) {
		s := p.base
		s.Name, s.Kind, s.TimeColumn, s.Schedule = p.Table+" is fresh", checks.KindFreshness, column, "@every 15m"
		s.MaxAge = maxAge(0)
		if r := p.run(ctx, s); !r.LastRow.IsZero() {
			age := p.now.Sub(r.LastRow)
			s.MaxAge = maxAge(age)
			p.add(s, fmt.Sprintf("the newest %s is %s old", column, age.Round(time.Minute)))
			return
		}
	}
	p.Notes = append(p.Notes, "no column of "+p.Table+" was found that says when a row was loaded; add a freshness check with its time_column if there is one")
}

// maxAge allows about twice the age of now: two hours, a day and a bit, or twice
// the days.
func maxAge(age time.Duration) time.Duration {
	const day = 24 * time.Hour
	switch {
	case age <= time.Hour:
		return 2 * time.Hour
	case age <= day:
		return day + 2*time.Hour
	default:
		return 2 * (age.Truncate(day) + day)
	}
}

// key takes the likeliest column that is unique now.
func (p *proposer) key(ctx context.Context, columns []checks.Column) {
	rank := keyRank(p.Table)
	for _, column := range likely(columns, rank) {
		s := p.base
		s.Name, s.Kind, s.Columns, s.Schedule = p.Table+" "+column+" is unique", checks.KindUnique, []string{column}, "25 * * * *"
		if r := p.run(ctx, s); r.Status == checks.Pass {
			p.add(s, r.Message)
			return
		}
	}
	p.Notes = append(p.Notes, "no key of "+p.Table+" was found that is unique now; add a check of kind unique with its columns")
}

// likely returns the names of the best ranked columns, best first; rank 0 is out.
func likely(columns []checks.Column, rank func(checks.Column) int) []string {
	fit := slices.DeleteFunc(slices.Clone(columns), func(c checks.Column) bool { return rank(c) == 0 })
	slices.SortStableFunc(fit, func(a, b checks.Column) int { return rank(b) - rank(a) })
	names := make([]string, 0, tries)
	for _, c := range fit[:min(len(fit), tries)] {
		names = append(names, c.Name)
	}
	return names
}

var (
	loadName = regexp.MustCompile(`(?i)(load|ingest|sync|insert|extract|arriv).*(at|time|date|ts)$`)
	timeName = regexp.MustCompile(`(?i)(^|_)(at|time|timestamp|date|ts|on|created|updated)$|created|updated`)
	timeType = regexp.MustCompile(`(?i)time|date`)
)

// timeRank prefers what says when a row was loaded over what says when it
// happened.
func timeRank(c checks.Column) int {
	rank := 0
	if loadName.MatchString(c.Name) {
		rank += 4
	}
	if timeName.MatchString(c.Name) {
		rank += 2
	}
	if timeType.MatchString(c.Type) {
		rank++
	}
	return rank
}

// keyRank prefers the column that is named after the table.
func keyRank(table string) func(checks.Column) int {
	parts, err := checks.SplitName(table)
	if err != nil || len(parts) == 0 {
		parts = []string{table}
	}
	own := strings.ToLower(parts[len(parts)-1])
	return func(c checks.Column) int {
		name := strings.ToLower(c.Name)
		switch {
		case name == "id" || name == own+"_id" || name == strings.TrimSuffix(own, "s")+"_id":
			return 3
		case name == "uuid" || name == "key" || name == "pk" || name == own+"_key":
			return 2
		case strings.HasSuffix(name, "_id"):
			return 1
		default:
			return 0
		}
	}
}
