package store

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
)

// TestRefusedTogether: who has waited as long as one who could not have the database
// is refused with them; who came later gets the turn.
func TestRefusedTogether(t *testing.T) {
	t.Parallel()
	var l line
	if _, err := l.enter(t.Context(), false, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	locked := errors.New("database is locked")
	answers := map[string]chan error{"first": make(chan error, 1), "second": make(chan error, 1), "later": make(chan error, 1)}
	enter := func(name string) {
		before := l.last()
		go func() {
			_, err := l.enter(ctx, false, func(*group) {})
			answers[name] <- err
		}()
		for l.last() == before {
			runtime.Gosched()
		}
	}
	enter("first")
	enter("second")
	waited := l.last()
	enter("later")
	l.refuse(waited, locked)
	for _, name := range []string{"first", "second"} {
		if err := <-answers[name]; !errors.Is(err, locked) {
			t.Errorf("the %s is answered %v", name, err)
		}
	}
	l.pass()
	if err := <-answers["later"]; err != nil {
		t.Errorf("who came later is answered %v", err)
	}
	l.pass()
	if l.taken || len(l.waiting) > 0 {
		t.Errorf("the line is left with %+v", &l)
	}
}
