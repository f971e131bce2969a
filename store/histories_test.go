package store_test

import (
	"reflect"
	"testing"
	"time"

	"dw/checks"
	"dw/workflows"
)

// TestHistories: spans are replaced by what was read later, another condition is
// another history, and what is old or no longer asked for goes.
func TestHistories(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, newPath func(testing.TB) string) {
		db := open(t, newPath(t))
		h := checks.History{Connection: "w", Table: `"orders"`, Column: `"at"`, Measure: "rows"}
		start := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
		span := func(hour int, rows float64, seen ...checks.Sighting) checks.KeptSpan {
			return checks.KeptSpan{Start: start.Add(time.Duration(hour) * time.Hour), Value: rows, Rows: rows, Seen: seen}
		}
		keep := func(h checks.History, until, now time.Time, spans ...checks.KeptSpan) {
			t.Helper()
			if err := db.KeepHistory(t.Context(), h, spans, until, now); err != nil {
				t.Fatal(err)
			}
		}
		holds := func(h checks.History, since, until time.Time, spans ...checks.KeptSpan) {
			t.Helper()
			got, err := db.History(t.Context(), h, start)
			if err != nil {
				t.Fatal(err)
			}
			want := checks.Kept{Since: since, Until: until, Spans: map[time.Time]checks.KeptSpan{}}
			for _, s := range spans {
				if s.Seen == nil {
					s.Seen = []checks.Sighting{}
				}
				want.Spans[s.Start] = s
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		}
		holds(h, time.Time{}, time.Time{})
		first, second := start.Add(5*time.Hour), start.Add(6*time.Hour)
		grown := checks.Sighting{Age: time.Hour, Value: 9}
		keep(h, first, first, span(-1, 3), span(0, 0), span(1, 7))
		keep(h, second, second, span(1, 9, grown))
		holds(h, first, second, span(0, 0), span(1, 9, grown))
		keep(h, first, first, span(1, 7)) // a run that is overtaken
		holds(h, first, second, span(0, 0), span(1, 9, grown))
		other := h
		other.Where = "a = 1"
		holds(other, time.Time{}, time.Time{})
		keep(other, second, second.AddDate(0, 0, 89))
		holds(h, first, second, span(0, 0), span(1, 9, grown))
		keep(other, second, second.AddDate(0, 0, 91))
		holds(h, time.Time{}, time.Time{})
		keep(other, second, second.AddDate(0, 0, 92), span(0, 1))
		holds(other, second.AddDate(0, 0, 89), second, span(0, 1))
		keep(other, second, second.AddDate(0, 0, 401))
		holds(other, second.AddDate(0, 0, 89), second)
	})
}

// TestAnswers: each stands by its id, in the order in which it was given.
func TestAnswers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, newPath func(testing.TB) string) {
		db := open(t, newPath(t))
		at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
		late := checks.Answer{Check: "c", Word: checks.AnswerReal, Start: at, End: at.Add(time.Hour), By: "Ann", At: at.Add(3 * time.Hour)}
		early, other, changed := late, late, late
		early.At, other.Check, changed.Word = at.Add(2*time.Hour), "d", checks.AnswerOneOff
		err := db.Update(t.Context(), func(tx workflows.Tx) error {
			for id, a := range map[string]checks.Answer{"1": late, "2": early, "3": other} {
				if err := tx.PutAnswer(t.Context(), id, a); err != nil {
					return err
				}
			}
			return tx.PutAnswer(t.Context(), "1", changed)
		})
		if err != nil {
			t.Fatal(err)
		}
		err = db.View(t.Context(), func(tx workflows.ReadTx) error {
			got, err := tx.Answers(t.Context(), "c")
			if want := []checks.Answer{early, changed}; !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
