package workflows

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dw/checks"
)

// found is a result of the detector that says what it found.
func (e *estate) found(check string) checks.Result {
	r := e.result(check, checks.Fail)
	r.Detection = &checks.Detection{Start: epoch.Add(-2 * time.Hour), End: epoch}
	return r
}

func (e *estate) on(t *testing.T, r checks.Result) {
	t.Helper()
	if err := e.svc.OnResult(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

func (e *estate) answers(t *testing.T, check string) []checks.Answer {
	t.Helper()
	var out []checks.Answer
	if err := e.store.View(t.Context(), func(tx ReadTx) (err error) { out, err = tx.Answers(t.Context(), check); return err }); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTeach: who may say what, what is stored of it, and what it ends.
func TestTeach(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by      Person
		word    string
		ofLevel bool
		forbid  string
		level   float64 // asked
		plain   bool    // the detector found nothing
		other   bool    // another check fails too
		ok      bool
		ends    bool
		says    string
	}{
		"a real fault, said by anybody":      {by: mort, word: checks.AnswerReal, ok: true, says: "not learned from"},
		"expected, said by the owner":        {by: ann, word: checks.AnswerExpected, ok: true, ends: true, says: "learned from"},
		"one-off, said by the deputy":        {by: ben, word: checks.AnswerOneOff, ok: true, ends: true, says: "neither judged nor learned from"},
		"one-off, said by the escalation":    {by: cleo, word: checks.AnswerOneOff, ok: true, ends: true, says: "Recorded"},
		"expected, said by nobody":           {by: mort, word: checks.AnswerExpected, says: "those who decide for sales: Ann, Ben or Cleo"},
		"expected, said by one who is told":  {by: carl, word: checks.AnswerExpected, says: "those who decide"},
		"expected, said by a guest":          {by: ann, word: checks.AnswerExpected, forbid: "guests decide nothing", says: "guests decide nothing"},
		"expected, and something else fails": {by: ann, word: checks.AnswerExpected, other: true, ok: true, says: "Recorded"},
		"of a check that has no detector":    {by: ann, word: checks.AnswerReal, plain: true, says: "found nothing"},
		"the new level":                      {by: ann, word: checks.AnswerNewLevel, ofLevel: true, level: 0.7, ok: true, ends: true, says: "new level is what is expected"},
		"the new level, said by nobody":      {by: mort, word: checks.AnswerNewLevel, ofLevel: true, level: 0.7, says: "those who decide"},
		"no new level":                       {by: ann, word: checks.AnswerReal, ofLevel: true, level: 0.7, ok: true, says: "old level stays"},
		"no new level, said by nobody":       {by: mort, word: checks.AnswerReal, ofLevel: true, level: 0.7, says: "those who decide"},
		"a level that nobody asked about":    {by: ann, word: checks.AnswerNewLevel, ofLevel: true, says: "Nobody was asked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate()
			r := e.found("orders")
			r.Detection.NewLevel, r.Detection.LevelAt = c.level, epoch.AddDate(0, 0, -1)
			if c.plain {
				r.Detection = nil
			}
			e.on(t, r)
			if c.other {
				e.on(t, e.result("orders_dead", checks.Fail))
			}
			id := e.incident(t).ID
			a, err := e.svc.Teach(t.Context(), TeachRequest{By: c.by, NotAllowed: c.forbid, Incident: id, Key: CheckKey("orders"), Word: c.word, OfLevel: c.ofLevel, At: e.now})
			if err != nil || a.OK != c.ok || !strings.Contains(a.Text, c.says) {
				t.Fatalf("answered %+v, %v; want %q", a, err, c.says)
			}
			said, i := e.answers(t, "orders"), e.incident(t)
			if len(said) != map[bool]int{true: 1}[c.ok] || len(i.Said) != len(said) {
				t.Fatalf("stored %+v, shown %+v", said, i.Said)
			}
			want := checks.Answer{Check: "orders", Word: c.word, Start: epoch.Add(-2 * time.Hour), End: epoch, By: c.by.Name, At: e.now}
			if c.ok && said[0] != want {
				t.Errorf("stored %+v", said[0])
			}
			if (i.State == Resolved) != c.ends {
				t.Errorf("the incident is %s: %s", i.State, notesText(i))
			}
		})
	}
}

// TestTeachAgain: who answers again corrects what was said, once.
func TestTeachAgain(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.on(t, e.found("orders"))
	id := e.incident(t).ID
	for _, c := range []struct{ word, says string }{
		{checks.AnswerReal, "Recorded"}, {checks.AnswerReal, "already"}, {checks.AnswerOneOff, "Recorded"},
	} {
		a, err := e.svc.Teach(t.Context(), TeachRequest{By: ann, Incident: id, Key: CheckKey("orders"), Word: c.word, At: e.now})
		if err != nil || !strings.Contains(a.Text, c.says) {
			t.Errorf("%s: %+v, %v", c.word, a, err)
		}
	}
	if said := e.answers(t, "orders"); len(said) != 1 || said[0].Word != checks.AnswerOneOff {
		t.Errorf("stored %+v", said)
	}
	if a, err := e.svc.Teach(t.Context(), TeachRequest{By: ann, Incident: "INC-NONE", Key: CheckKey("orders"), Word: checks.AnswerReal}); err != nil || a.OK {
		t.Errorf("an incident that is not there: %+v, %v", a, err)
	}
}

// TestLevelIsAskedOnce: a question that goes on with each run is one, the next is
// another, and no answer is none.
func TestLevelIsAskedOnce(t *testing.T) {
	t.Parallel()
	e := newEstate()
	for n, day := range []int{0, 0, 0, 9} {
		r := e.found("orders")
		r.At = e.now.Add(time.Duration(n) * time.Minute)
		r.Detection.NewLevel, r.Detection.LevelAt = 0.7, epoch.AddDate(0, 0, day-10)
		e.on(t, r)
	}
	i := e.incident(t)
	asked := slices.DeleteFunc(slices.Clone(i.Notes), func(n Note) bool { return !strings.Contains(n.Text, "0.70 times its old level") })
	if len(i.Levels) != 2 || len(asked) != 2 || len(e.answers(t, "orders")) != 0 {
		t.Errorf("asked %+v: %s", i.Levels, notesText(i))
	}
	if q, open := i.LevelOpen(); !open || !q.At.Equal(epoch.AddDate(0, 0, -1)) {
		t.Errorf("open is %+v, %v", q, open)
	}
}
