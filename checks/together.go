package checks

import (
	"context"
	"iter"
	"slices"
	"time"
)

// Asked is a check to be asked together with others of its connection.
type Asked struct {
	Spec  Spec
	Other Querier // reconcile: where the table To is; nil is the connection itself
}

// RunTogether asks several checks of one connection as of now and returns their
// Results in order, each as Run would return it. What they ask of the same rows
// of a table is put into one SELECT, and a question that two ask is asked once.
// Where a SELECT of several cannot be answered it is asked in parts, so that the
// error, or the refusal as too costly, is that of the check whose question it is.
// A check with a Timeout of its own is run alone, after the others.
func RunTogether(ctx context.Context, all []Asked, q Querier, mem Memory, now time.Time) []Result {
	results := make([]Result, len(all))
	sc := &scan{ctx: ctx, q: q, known: map[string]Rows{}, tables: map[string][]Column{}}
	for i, asked := range all {
		if q != nil && asked.Spec.Timeout == 0 {
			sc.sit(asked, mem, now, &results[i])
		}
	}
	sc.run()
	for i, asked := range all {
		if q == nil || asked.Spec.Timeout > 0 {
			other := asked.Other
			if other == nil {
				other = q
			}
			results[i] = RunAgainst(ctx, asked.Spec, q, other, mem, now)
		}
	}
	return results
}

// scan asks the questions of several checks in rounds: each check is run up to
// its next question, and those of all are answered together.
type scan struct {
	ctx    context.Context
	q      Querier
	seats  []*seat
	known  map[string]Rows     // by the key of the statement
	tables map[string][]Column // by quoted name
}

// seat is one check of a scan, and the Querier that it is given. Its check runs
// only while the scan waits for its next question.
type seat struct {
	scan  *scan
	yield func(*statement) bool
	next  func() (*statement, bool)
	open  *statement // the question that it waits for
	reply reply
}

// reply is the answer to one question.
type reply struct {
	rows Rows
	err  error
}

var _ Querier = (*seat)(nil)

// sit begins a check, whose Result will be in place when the scan has run.
func (sc *scan) sit(asked Asked, mem Memory, now time.Time, place *Result) {
	s := &seat{scan: sc}
	other := asked.Other
	if other == nil || other == sc.q {
		other = s
	}
	s.next, _ = iter.Pull(func(yield func(*statement) bool) {
		s.yield = yield
		*place = RunAgainst(sc.ctx, asked.Spec, s, other, mem, now)
	})
	sc.seats = append(sc.seats, s)
}

// run answers questions until every check has its result.
func (sc *scan) run() {
	for {
		var open []*seat
		for _, s := range sc.seats {
			if question, asks := s.next(); asks {
				s.open = question
				open = append(open, s)
			}
		}
		if sc.seats = open; len(open) == 0 {
			return
		}
		for _, group := range groups(open) {
			sc.answer(group)
		}
	}
}

// ask hands a question to the scan and returns its answer.
func (s *seat) ask(question *statement) (Rows, error) {
	if rows, known := s.scan.known[question.key()]; known {
		return rows, nil
	}
	s.yield(question)
	return s.reply.rows, s.reply.err
}

// Select asks a statement as it stands.
func (s *seat) Select(_ context.Context, text string, args ...any) (Rows, error) {
	return s.ask((&statement{dialect: s.Dialect(), args: slices.Clone(args)}).add(text))
}

// Columns looks a table up, once for all checks.
func (s *seat) Columns(ctx context.Context, table string) ([]Column, error) {
	if columns, known := s.scan.tables[table]; known {
		return slices.Clone(columns), nil
	}
	columns, err := s.scan.q.Columns(ctx, table)
	if err == nil {
		s.scan.tables[table] = slices.Clone(columns)
	}
	return columns, err
}

// Dialect is that of the connection.
func (s *seat) Dialect() string { return s.scan.q.Dialect() }
