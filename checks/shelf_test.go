package checks_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

// shelf keeps histories in memory, as dw's store does on disk.
type shelf struct {
	memory
	kept    map[string]checks.Kept
	answers []checks.Answer
	now     time.Time
	problem error
}

func newShelf() *shelf { return &shelf{memory: memory{}, kept: map[string]checks.Kept{}} }

func (s *shelf) Kept(_ context.Context, h checks.History, from time.Time) (checks.Kept, error) {
	k := s.kept[h.Key()]
	out := checks.Kept{Since: k.Since, Until: k.Until, Now: s.now, Spans: map[time.Time]checks.KeptSpan{}}
	for at, span := range k.Spans {
		if !at.Before(from) {
			out.Spans[at] = span
		}
	}
	return out, s.problem
}

func (s *shelf) Keep(_ context.Context, h checks.History, read []checks.KeptSpan, until time.Time) error {
	k, known := s.kept[h.Key()]
	if !known {
		k = checks.Kept{Since: s.now, Spans: map[time.Time]checks.KeptSpan{}}
	}
	for _, span := range read {
		k.Spans[span.Start] = span
	}
	k.Until = until
	s.kept[h.Key()] = k
	return nil
}

func (s *shelf) Answers(_ context.Context, check string) (out []checks.Answer, err error) {
	for _, a := range s.answers {
		if a.Check == check {
			out = append(out, a)
		}
	}
	return out, nil
}

// run asks a check as of a time, and remembers what it found.
func (s *shelf) run(t *testing.T, spec checks.Spec, q checks.Querier, at time.Time) checks.Result {
	t.Helper()
	s.now = at
	r := checks.Run(t.Context(), spec, q, s, at)
	if r.Status != checks.Error && r.Status != checks.Skipped {
		s.memory[spec.Name] = r
	}
	return r
}

// counting is a connection that remembers from when on histories were counted.
type counting struct {
	*sqlite.DB
	from []time.Time // the first bound of each history that was asked for
	fail error       // of the next history
}

func (c *counting) Select(ctx context.Context, text string, args ...any) (checks.Rows, error) {
	if strings.Contains(text, "AS span") {
		if c.fail != nil {
			return checks.Rows{}, c.fail
		}
		bound, _ := args[0].(string)
		at, err := time.Parse(datetimeLayout, bound)
		if err != nil {
			return checks.Rows{}, err
		}
		c.from = append(c.from, at)
	}
	return c.DB.Select(ctx, text, args...)
}

// TestNothingIsCountedTwice: the first run counts all, the next one what may still
// change; what it then knows of the rest is what it counted first.
func TestNothingIsCountedTwice(t *testing.T) {
	t.Parallel()
	for _, judge := range []string{checks.JudgeDetector, checks.JudgeWeeks} {
		t.Run(judge, func(t *testing.T) {
			t.Parallel()
			w, s := steady(t, nil), newShelf()
			q := &counting{DB: w.open(sqlite.Options{})}
			spec := detectorSpec()
			spec.Judge = judge
			first := s.run(t, spec, q, now)
			w.exec("DELETE FROM orders WHERE created_at < ? AND created_at > ?", now.Add(-49*time.Hour).Format(datetimeLayout), now.AddDate(0, 0, -60).Format(datetimeLayout))
			second := s.run(t, spec, q, now)
			if first.Status != checks.Pass || second.Status != checks.Pass || *first.Expected != *second.Expected {
				t.Errorf("first %s, then %s: %s", first.Message, second.Message, second.Problem)
			}
			if len(q.from) != 2 || q.from[0].After(now.AddDate(0, 0, -50)) || now.Sub(q.from[1]) > checks.DefaultLateness+2*time.Hour {
				t.Errorf("counted from %v on", q.from)
			}
			other := spec
			other.Where = "channel = 'web'"
			if r := s.run(t, other, q, now); r.Status == checks.Pass {
				t.Errorf("another condition is another history, which lost its rows: %s", r.Message)
			}
			if len(q.from) != 3 || q.from[2].After(now.AddDate(0, 0, -50)) {
				t.Errorf("another condition: counted from %v on", q.from)
			}
		})
	}
}

// TestUnansweredIsUnknown: a history that could not be read is an error, and is
// read when it can be; it is never kept as zeros.
func TestUnansweredIsUnknown(t *testing.T) {
	t.Parallel()
	w, s := steady(t, nil), newShelf()
	q := &counting{DB: w.open(sqlite.Options{})}
	s.run(t, detectorSpec(), q, now.Add(-6*time.Hour))
	q.fail = &checks.RefusedError{Guard: "time limit", Why: "slow"}
	if r := s.run(t, detectorSpec(), q, now.Add(-3*time.Hour)); r.Status != checks.Skipped {
		t.Errorf("a query that ran out of time: %s: %s", r.Status, r.Message)
	}
	q.fail = errors.New("connection lost")
	if r := s.run(t, detectorSpec(), q, now.Add(-2*time.Hour)); r.Status != checks.Error || r.Observed != nil {
		t.Errorf("a lost connection: %s: %s", r.Status, r.Message)
	}
	q.fail = nil
	if r := s.run(t, detectorSpec(), q, now); r.Status != checks.Pass {
		t.Errorf("afterwards: %s: %s %s", r.Status, r.Message, r.Problem)
	}
	for _, k := range s.kept {
		for at, span := range k.Spans {
			if span.Rows == 0 {
				t.Errorf("%s is kept as empty", at)
			}
		}
	}
	s.problem = errors.New("the disk is full")
	if r := s.run(t, detectorSpec(), q, now); r.Status != checks.Error || !strings.Contains(r.Problem, "the disk is full") {
		t.Errorf("a store that cannot be read: %s: %s", r.Status, r.Problem)
	}
}

// TestLateRowsHeal: what was short when it was read is judged again with the rows
// that came, and the message says which.
func TestLateRowsHeal(t *testing.T) {
	t.Parallel()
	w, s := steady(t, map[string]int{"10-01 10": 12, "10-01 11": 18}), newShelf()
	q := w.open(sqlite.Options{})
	if r := s.run(t, detectorSpec(), q, now); r.Status != checks.Fail || r.Landed != "" || r.Detection == nil || r.Detection.Start.Hour() != 10 {
		t.Fatalf("two short hours: %s: %s %+v", r.Status, r.Message, r.Detection)
	}
	for range 29 {
		w.exec("INSERT INTO orders (channel, device, created_at) VALUES ('web', 'phone', '2026-10-01 10:59:00')")
	}
	for range 23 {
		w.exec("INSERT INTO orders (channel, device, created_at) VALUES ('web', 'phone', '2026-10-01 11:59:00')")
	}
	r := s.run(t, detectorSpec(), q, now.Add(10*time.Minute))
	if want := "late rows landed: 10:00 now 41 of 41 expected, 11:00 now 41 of 41 expected"; r.Status != checks.Pass || r.Landed != want || !strings.Contains(r.Message, want) {
		t.Errorf("%s: %s", r.Status, r.Message)
	}
	if r := s.run(t, detectorSpec(), q, now.Add(15*time.Minute)); r.Status != checks.Pass || r.Landed != "" {
		t.Errorf("it is told once: %s", r.Message)
	}
}

// TestLearnsForTwoWeeks: a young table is learned, and one that was known and is
// young now has lost its rows.
func TestLearnsForTwoWeeks(t *testing.T) {
	t.Parallel()
	w, s := steady(t, nil), newShelf()
	w.exec("DELETE FROM orders WHERE created_at < ?", now.AddDate(0, 0, -9).Format("2006-01-02"))
	r := checks.Run(t.Context(), detectorSpec(), w.open(sqlite.Options{}), s, now)
	if r.Status != checks.Learning || !strings.Contains(r.Message, "learning 9 of 14 days: 4") {
		t.Errorf("%s: %s", r.Status, r.Message)
	}
	s.memory[detectorSpec().Name] = checks.Result{Samples: 60}
	r = checks.Run(t.Context(), detectorSpec(), w.open(sqlite.Options{}), s, now)
	if r.Status != checks.Fail || !strings.Contains(r.Message, "the history is gone") || r.Samples != 60 {
		t.Errorf("after sixty days: %s: %s", r.Status, r.Message)
	}
}

// TestJudgedByDefault: without thresholds a volume check is the detector's.
func TestJudgedByDefault(t *testing.T) {
	t.Parallel()
	w := steady(t, map[string]int{"10-01 11": 18}).open(sqlite.Options{})
	spec := detectorSpec()
	spec.Judge = ""
	if r := checks.Run(t.Context(), spec, w, nil, now); r.Status != checks.Fail || r.Detection == nil {
		t.Errorf("%s: %s", r.Status, r.Message)
	}
	spec.Threshold = checks.Threshold{Op: ">", Low: 10}
	if r := checks.Run(t.Context(), spec, w, nil, now); r.Detection != nil {
		t.Errorf("with a threshold: %s: %s", r.Status, r.Message)
	}
}

// TestAnswersAreHeard: what people said of an alarm.
func TestAnswersAreHeard(t *testing.T) {
	t.Parallel()
	w := steady(t, map[string]int{"10-01 10": 120, "10-01 11": 120}).open(sqlite.Options{})
	at := now.Truncate(time.Hour)
	for word, status := range map[string]checks.Status{
		checks.AnswerReal: checks.Fail, checks.AnswerExpected: checks.Pass, checks.AnswerOneOff: checks.Pass,
	} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			s := newShelf()
			if r := s.run(t, detectorSpec(), w, now); r.Status != checks.Fail {
				t.Fatalf("unanswered: %s: %s", r.Status, r.Message)
			}
			s.answers = []checks.Answer{{
				Check: detectorSpec().Name, Word: word, Start: at.Add(-2 * time.Hour), End: at, By: "Ann", At: now.Add(time.Minute),
			}}
			r := s.run(t, detectorSpec(), w, now.Add(5*time.Minute))
			if r.Status != status || (status == checks.Pass) != strings.Contains(r.Message, "Ann said at 2026-10-01 12:21:00 UTC that this is ") {
				t.Errorf("%s: %s", r.Status, r.Message)
			}
			s.answers[0].At = now.AddDate(0, 0, -2)
			if r := s.run(t, detectorSpec(), w, now.Add(5*time.Minute)); word == checks.AnswerExpected && r.Status != checks.Fail {
				t.Errorf("an answer of two days ago is about another event: %s: %s", r.Status, r.Message)
			}
		})
	}
}
