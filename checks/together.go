package checks

import (
	"cmp"
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
// A check with a Timeout of its own is run alone, after the others. What can be
// asked together is asked first, and each, which may be nil, is called with the
// place and the Result of a check as soon as it has one, so that none waits for
// a slow question of another.
func RunTogether(ctx context.Context, all []Asked, q Querier, mem Memory, now time.Time, each func(int, Result)) []Result {
	results := make([]Result, len(all))
	if each == nil {
		each = func(int, Result) {}
	}
	sc := &scan{ctx: ctx, q: q, known: map[string]Rows{}, tables: map[string][]Column{}}
	for i, asked := range all {
		if q != nil && asked.Spec.Timeout == 0 {
			sc.sit(asked, mem, now, i, &results[i])
		}
	}
	sc.run(func(i int) { each(i, results[i]) })
	for i, asked := range all {
		if q == nil || asked.Spec.Timeout > 0 {
			other := asked.Other
			if other == nil {
				other = q
			}
			results[i] = RunAgainst(ctx, asked.Spec, q, other, mem, now)
			each(i, results[i])
		}
	}
	return results
}

// scan asks the questions of several checks: each check is run up to its next
// question, and those that are open are answered together.
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
	at    int // place of its check
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
func (sc *scan) sit(asked Asked, mem Memory, now time.Time, at int, place *Result) {
	s := &seat{scan: sc, at: at}
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

// run answers questions until every check has its result, and tells which has.
// A question that is asked apart waits for those that are asked together.
func (sc *scan) run(done func(at int)) {
	open := advance(sc.seats, done)
	for len(open) > 0 {
		var answered []*seat
		for _, group := range urgent(groups(open)) {
			sc.answer(group)
			answered = append(answered, group...)
		}
		rest := slices.DeleteFunc(open, func(s *seat) bool { return slices.Contains(answered, s) })
		open = append(rest, advance(answered, done)...)
		slices.SortFunc(open, func(a, b *seat) int { return cmp.Compare(a.at, b.at) })
	}
}

// advance runs checks up to their next question and returns those that have one.
func advance(seats []*seat, done func(at int)) []*seat {
	var open []*seat
	for _, s := range seats {
		question, asks := s.next()
		if !asks {
			done(s.at)
			continue
		}
		s.open = question
		open = append(open, s)
	}
	return open
}

// urgent returns the groups that are asked next: all that can be shared or, where
// there is none, one that cannot.
func urgent(sorted [][]*seat) [][]*seat {
	var shared [][]*seat
	for _, group := range sorted {
		if parts := group[0].open.parts; parts != nil && !parts.alone {
			shared = append(shared, group)
		}
	}
	if len(shared) == 0 {
		return sorted[:1]
	}
	return shared
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
