package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dw/jobs"
	"dw/store"
	"dw/workflows"
)

// ticking is a Ticker on a real database in virtual time.
type ticking struct {
	db     *store.DB
	log    *logBuffer
	mu     sync.Mutex
	fired  []string // "subject at offset", in order
	start  time.Time
	cancel context.CancelFunc
	done   chan struct{}
}

// take is what workflows does: exactly one caller wins a deadline.
func (k *ticking) take(ctx context.Context, d workflows.Deadline) error {
	return k.db.Update(ctx, func(tx workflows.Tx) error {
		won, err := tx.TakeDeadline(ctx, d)
		if won {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.fired = append(k.fired, fmt.Sprintf("%s at %s", d.Subject, time.Since(k.start)))
		}
		return err
	})
}

func (k *ticking) list() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.fired)
}

// run starts a ticker with one look a second; fire nil means take.
func (k *ticking) run(t *testing.T, fire func(ctx context.Context, d workflows.Deadline) error) {
	if fire == nil {
		fire = k.take
	}
	ctx, cancel := context.WithCancel(t.Context())
	k.cancel, k.done = cancel, make(chan struct{})
	ticker := jobs.Ticker{Store: k.db, Fire: fire, Now: time.Now, Every: time.Second, Log: k.log.logger()}
	go func() {
		defer close(k.done)
		ticker.Run(ctx)
	}()
}

func (k *ticking) stop() {
	k.cancel()
	<-k.done
}

// inVirtualTime runs test in a bubble whose clock moves when all wait: a sleep
// there takes no real time and races with nothing.
func inVirtualTime(t *testing.T, test func(t *testing.T, k *ticking)) {
	t.Helper()
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		test(t, &ticking{db: open(t, path), log: &logBuffer{}, start: time.Now()})
	})
}

func (k *ticking) set(t *testing.T, subject string, after time.Duration) {
	t.Helper()
	update(t, k.db, func(ctx context.Context, tx workflows.Tx) error {
		return tx.SetDeadline(ctx, workflows.Deadline{
			Kind: workflows.DeadlineRemind, Subject: subject, DueAt: k.start.Add(after),
		})
	})
}

func expect(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

func TestTickerFiresOnTimeAndOnce(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, k *ticking) {
		k.set(t, "overdue", -time.Hour)
		k.set(t, "later", 10*time.Minute)
		k.set(t, "soon", 1500*time.Millisecond)
		k.run(t, nil)
		time.Sleep(15 * time.Minute)
		k.stop()
		expect(t, "fired", k.list(), []string{"overdue at 0s", "soon at 2s", "later at 10m0s"})
	})
}

func TestTickersOfTwoProcessesFireEachOnce(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, k *ticking) {
		want := make([]string, 0, 50)
		for n := range 50 {
			k.set(t, fmt.Sprintf("%02d", n), 10*time.Second)
			want = append(want, fmt.Sprintf("%02d at 10s", n))
		}
		other := &ticking{db: k.db, log: k.log}
		k.run(t, nil)
		other.run(t, k.take)
		time.Sleep(time.Minute)
		k.stop()
		other.stop()
		got := k.list()
		slices.Sort(got)
		expect(t, "fired", got, want)
		if text := k.log.String(); text != "" {
			t.Errorf("a race for a deadline is no failure, but was logged: %s", text)
		}
	})
}

// More than one batch, most of it failing, and earliest: the rest still fires.
func TestFailingDeadlinesDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, k *ticking) {
		update(t, k.db, func(ctx context.Context, tx workflows.Tx) error {
			for n := range 250 {
				d := workflows.Deadline{Kind: workflows.DeadlinePoll, Subject: fmt.Sprint("bad ", n), DueAt: k.start}
				if err := tx.SetDeadline(ctx, d); err != nil {
					return err
				}
			}
			return nil
		})
		k.set(t, "good", time.Second)
		k.run(t, func(ctx context.Context, d workflows.Deadline) error {
			if strings.HasPrefix(d.Subject, "bad") {
				return errors.New("no answer")
			}
			return k.take(ctx, d)
		})
		time.Sleep(5 * time.Second)
		k.stop()
		expect(t, "fired", k.list(), []string{"good at 1s"})
	})
}

func TestSlowDeadlineDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, k *ticking) {
		k.set(t, "slow", 0)
		k.set(t, "quick", 2*time.Second)
		k.run(t, func(ctx context.Context, d workflows.Deadline) error {
			if d.Subject == "slow" {
				<-ctx.Done()
				return ctx.Err()
			}
			return k.take(ctx, d)
		})
		time.Sleep(3 * time.Second)
		k.stop()
		expect(t, "fired", k.list(), []string{"quick at 2s"})
		if text := k.log.String(); text != "" {
			t.Errorf("being stopped is no failure, but was logged: %s", text)
		}
	})
}

func TestTickerFiresFourAtOnceEarliestFirst(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, k *ticking) {
		for n := range 6 {
			k.set(t, fmt.Sprint(n), -time.Duration(n)*time.Minute)
		}
		var begun []string
		release := make(chan struct{})
		k.run(t, func(ctx context.Context, d workflows.Deadline) error {
			k.mu.Lock()
			begun = append(begun, d.Subject)
			k.mu.Unlock()
			<-release
			return k.take(ctx, d)
		})
		synctest.Wait()
		k.mu.Lock()
		slices.Sort(begun)
		expect(t, "begun while all four wait", begun, []string{"2", "3", "4", "5"})
		k.mu.Unlock()
		close(release)
		time.Sleep(time.Minute)
		k.stop()
		if n := len(k.list()); n != 6 {
			t.Errorf("fired %d, want 6", n)
		}
	})
}

// A failing deadline is tried with growing pauses, logged once per reason, and
// fires when it can.
func TestFailureBacksOffAndIsLoggedOncePerReason(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, k *ticking) {
		k.set(t, "stubborn", 0)
		var at []string
		k.run(t, func(ctx context.Context, d workflows.Deadline) error {
			at = append(at, time.Since(k.start).String())
			switch n := len(at); {
			case n <= 3:
				return errors.New("reason one")
			case n == 4:
				return errors.New("reason two")
			}
			return k.take(ctx, d)
		})
		time.Sleep(time.Minute)
		k.stop()
		expect(t, "tries", at, []string{"0s", "1s", "3s", "7s", "15s"})
		expect(t, "fired", k.list(), []string{"stubborn at 15s"})
		text := k.log.String()
		for reason, want := range map[string]int{"reason one": 1, "reason two": 1, "fired after failures": 1} {
			if got := strings.Count(text, reason); got != want {
				t.Errorf("%q was logged %d times, want %d:\n%s", reason, got, want, text)
			}
		}
	})
}

// Fire that leaves the deadline standing must not spin.
func TestDeadlineLeftStandingBacksOff(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, k *ticking) {
		k.set(t, "left", 0)
		var at []string
		k.run(t, func(context.Context, workflows.Deadline) error {
			at = append(at, time.Since(k.start).String())
			return nil
		})
		time.Sleep(10 * time.Second)
		k.stop()
		if len(at) > 5 {
			t.Errorf("fired at %v, want growing pauses", at)
		}
		if got := strings.Count(k.log.String(), "still stands"); got != 1 {
			t.Errorf("logged %d times, want once:\n%s", got, k.log)
		}
	})
}

func TestUnreadableStoreIsLoggedOnce(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, k *ticking) {
		if err := k.db.Close(); err != nil {
			t.Fatal(err)
		}
		k.run(t, nil)
		time.Sleep(time.Minute)
		k.stop()
		if got := strings.Count(k.log.String(), "cannot be read"); got != 1 {
			t.Errorf("logged %d times, want once:\n%s", got, k.log)
		}
	})
}
