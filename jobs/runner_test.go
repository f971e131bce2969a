package jobs_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dw/jobs"
	"dw/store"
	"dw/workflows"
)

// deliverFunc is a deliverer for one test.
type deliverFunc func(ctx context.Context, e workflows.Effect) error

func (f deliverFunc) Deliver(ctx context.Context, e workflows.Effect) error { return f(ctx, e) }

func options(db *store.DB) jobs.Options {
	return jobs.Options{
		DB:                db.Writer(),
		Postgres:          db.Postgres(),
		Now:               time.Now,
		FetchPollInterval: 10 * time.Millisecond,
		MaxBackoff:        10 * time.Millisecond,
	}
}

// start starts a runner and returns the function that stops it.
func start(t *testing.T, o jobs.Options) func() {
	t.Helper()
	r, err := jobs.New(o)
	if err != nil {
		t.Fatal(err)
	}
	// The test's own context ends before its clean-up.
	ctx := context.WithoutCancel(t.Context())
	if err := r.Start(ctx); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop := func() {
		if stopped {
			return
		}
		stopped = true
		if err := r.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// states returns the states of the queue's jobs, in the order of queuing.
func states(t *testing.T, db *store.DB) string {
	t.Helper()
	var list sql.NullString
	query := "SELECT group_concat(state, ' ' ORDER BY id) FROM river_job"
	if db.Postgres() {
		query = "SELECT string_agg(state::text, ' ' ORDER BY id) FROM river_job"
	}
	if err := db.Writer().QueryRowContext(t.Context(), query).Scan(&list); err != nil {
		t.Fatalf("read the queue: %v", err)
	}
	return list.String
}

// What the queue does it does on either database.
func TestRunner(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*testing.T, func(testing.TB) string){
		"longest prefix delivers":          longestPrefixDelivers,
		"effect waits for its time":        effectWaitsForItsTime,
		"failed effect is tried again":     failedEffectIsTriedAgain,
		"dead effect is reported":          deadEffectIsReported,
		"stop waits then cuts off":         stopWaitsThenCutsOff,
		"queue and store share the writer": queueAndStoreShareTheWriter,
	}
	for kind, at := range databases() {
		for name, test := range tests {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				test(t, at)
			})
		}
	}
}

func effect(kind, key string) workflows.Effect {
	return workflows.Effect{Kind: kind, Key: key, Payload: json.RawMessage(`{"text":"Zürich"}`)}
}

func longestPrefixDelivers(t *testing.T, newPath func(testing.TB) string) {
	db := open(t, newPath(t))
	got := make(chan string, 3)
	by := func(name string) jobs.Deliverer {
		return deliverFunc(func(_ context.Context, e workflows.Effect) error {
			got <- fmt.Sprintf("%s: %s %s %s", name, e.Kind, e.Key, e.Payload)
			return nil
		})
	}
	o := options(db)
	o.Workers = 1
	o.Deliverers = map[string]jobs.Deliverer{"": by("rest"), "slack.": by("slack"), "slack.note": by("note")}
	enqueue(t, db, effect("slack.note", "1"), effect("slack.incident", "2"), effect("step.run", "3"))
	stop := start(t, o)
	for _, want := range []string{
		`note: slack.note 1 {"text":"Zürich"}`,
		`slack: slack.incident 2 {"text":"Zürich"}`,
		`rest: step.run 3 {"text":"Zürich"}`,
	} {
		if line := <-got; line != want {
			t.Errorf("got %q, want %q", line, want)
		}
	}
	stop()
	if got := states(t, db); got != "completed completed completed" {
		t.Errorf("jobs are %q, want all completed", got)
	}
}

func effectWaitsForItsTime(t *testing.T, newPath func(testing.TB) string) {
	db := open(t, newPath(t))
	got := make(chan string, 2)
	o := options(db)
	o.Deliverers = map[string]jobs.Deliverer{"": deliverFunc(func(_ context.Context, e workflows.Effect) error {
		got <- e.Key
		return nil
	})}
	later := effect("slack.note", "in 2100")
	later.NotBefore = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	enqueue(t, db, later, effect("slack.note", "now"))
	stop := start(t, o)
	if key := <-got; key != "now" {
		t.Errorf("delivered %q first", key)
	}
	stop()
	if state := states(t, db); state != "scheduled completed" {
		t.Errorf("jobs are %q", state)
	}
}

func failedEffectIsTriedAgain(t *testing.T, newPath func(testing.TB) string) {
	db := open(t, newPath(t))
	tries := make(chan struct{}, 3)
	o := options(db)
	o.OnDead = func(_ context.Context, e workflows.Effect, cause error) {
		t.Errorf("gave up on %s: %v", e.Key, cause)
	}
	o.Deliverers = map[string]jobs.Deliverer{"": deliverFunc(func(context.Context, workflows.Effect) error {
		tries <- struct{}{}
		if len(tries) < cap(tries) {
			return errors.New("no answer")
		}
		return nil
	})}
	enqueue(t, db, effect("slack.note", "1"))
	stop := start(t, o)
	awaitFull(t, tries)
	stop()
	if got := states(t, db); got != "completed" {
		t.Errorf("job is %q, want completed", got)
	}
}

// awaitFull returns when as many values were sent as the channel holds; the
// test's own deadline ends a wait that would not.
func awaitFull[T any](t *testing.T, c chan T) {
	t.Helper()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for len(c) < cap(c) {
		select {
		case <-poll.C:
		case <-t.Context().Done():
			t.Fatal("the test ended")
		}
	}
}

type death struct {
	key   string
	cause error
}

// Whatever ends an effect for good is reported, with the effect and the cause.
func deadEffectIsReported(t *testing.T, newPath func(testing.TB) string) {
	errLost := errors.New("channel is archived")
	for name, test := range map[string]struct {
		kind    string
		deliver deliverFunc
		cause   error
		text    string
		state   string
	}{
		"permanent error": {
			"slack.note",
			func(context.Context, workflows.Effect) error { return fmt.Errorf("post: %w", jobs.Permanent(errLost)) },
			errLost, `deliver effect slack.note "1": post: channel is archived`, "cancelled",
		},
		"attempts used up": {
			"slack.note",
			func(context.Context, workflows.Effect) error { return errLost },
			errLost, "after 2 attempts: ", "discarded",
		},
		"attempts used up by panics": {
			"slack.note",
			func(context.Context, workflows.Effect) error { panic("nil map") },
			nil, "after 2 attempts: deliverer panicked: nil map", "discarded",
		},
		"attempts used up by time-outs": {
			"slack.note",
			func(ctx context.Context, _ workflows.Effect) error { <-ctx.Done(); return ctx.Err() },
			context.DeadlineExceeded, "after 2 attempts: ", "discarded",
		},
		"permanent error when its time is over": {
			"slack.note",
			func(ctx context.Context, _ workflows.Effect) error { <-ctx.Done(); return jobs.Permanent(errLost) },
			errLost, "channel is archived", "cancelled",
		},
		"kind without deliverer": {
			"step.run",
			func(context.Context, workflows.Effect) error { return nil },
			jobs.ErrNoDeliverer, "step.run", "cancelled",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t, newPath(t), func(o *store.Options) { o.MaxAttempts = 2 })
			dead := make(chan death, 2)
			log := &logBuffer{}
			o := options(db)
			o.Log = log.logger()
			o.JobTimeout, o.RescueStuckJobsAfter = 50*time.Millisecond, time.Minute
			o.Deliverers = map[string]jobs.Deliverer{"slack.": test.deliver}
			o.OnDead = func(ctx context.Context, e workflows.Effect, cause error) {
				if ctx.Err() != nil {
					t.Errorf("the report cannot be stored, its context is over: %v", ctx.Err())
				}
				dead <- death{e.Key, cause}
			}
			enqueue(t, db, effect(test.kind, "1"))
			stop := start(t, o)
			got := <-dead
			stop()
			if got.key != "1" || !strings.Contains(got.cause.Error(), test.text) {
				t.Errorf("reported %q: %v, want %q", got.key, got.cause, test.text)
			}
			if test.cause != nil && !errors.Is(got.cause, test.cause) {
				t.Errorf("cause is %v, want %v", got.cause, test.cause)
			}
			if len(dead) > 0 {
				t.Errorf("reported again: %v", <-dead)
			}
			if state := states(t, db); state != test.state {
				t.Errorf("job is %q, want %q", state, test.state)
			}
			if !strings.Contains(log.String(), "gave up on an effect") {
				t.Errorf("the log does not say so: %s", log)
			}
		})
	}
}

// An effect that Stop cuts off is carried out after the next start.
func stopWaitsThenCutsOff(t *testing.T, newPath func(testing.TB) string) {
	db := open(t, newPath(t))
	began, finished := make(chan struct{}, 2), make(chan struct{}, 1)
	slow := true
	o := options(db)
	o.StopWithin = 20 * time.Millisecond
	o.OnDead = func(_ context.Context, e workflows.Effect, cause error) {
		t.Errorf("gave up on %s: %v", e.Key, cause)
	}
	o.Deliverers = map[string]jobs.Deliverer{"": deliverFunc(func(ctx context.Context, _ workflows.Effect) error {
		began <- struct{}{}
		if slow {
			<-ctx.Done()
			return ctx.Err()
		}
		finished <- struct{}{}
		return nil
	})}
	enqueue(t, db, effect("slack.note", "1"))
	stop := start(t, o)
	<-began
	stop()
	if state := states(t, db); state == "completed" || state == "running" {
		t.Fatalf("job is %q after it was cut off", state)
	}
	slow = false
	stop = start(t, o)
	<-finished
	stop()
	if state := states(t, db); state != "completed" {
		t.Errorf("job is %q, want completed", state)
	}
}

// The queue shares the one connection with the store: neither starves.
func queueAndStoreShareTheWriter(t *testing.T, newPath func(testing.TB) string) {
	const n = 100
	db := open(t, newPath(t))
	got := make(chan string, n)
	o := options(db)
	o.Deliverers = map[string]jobs.Deliverer{"": deliverFunc(func(ctx context.Context, e workflows.Effect) error {
		// A deliverer that records what it did, as real ones do.
		err := db.Update(ctx, func(tx workflows.Tx) error {
			return tx.SetDeadline(ctx, workflows.Deadline{Kind: workflows.DeadlinePoll, Subject: e.Key, DueAt: time.Unix(1, 0)})
		})
		if err == nil {
			got <- e.Key
		}
		return err
	})}
	stop := start(t, o)
	for k := range n {
		enqueue(t, db, effect("slack.note", fmt.Sprint(k)))
	}
	keys := map[string]bool{}
	for range n {
		keys[<-got] = true
	}
	stop()
	if len(keys) != n {
		t.Errorf("delivered %d effects, want %d", len(keys), n)
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	db := open(t, newPath(t))
	for name, test := range map[string]struct {
		change func(*jobs.Options)
		want   string
	}{
		"no database":           {func(o *jobs.Options) { o.DB = nil }, "DB is missing"},
		"no clock":              {func(o *jobs.Options) { o.Now = nil }, "Now is missing"},
		"no deliverers":         {func(o *jobs.Options) { o.Deliverers = nil }, "Deliverers is empty"},
		"nil deliverer":         {func(o *jobs.Options) { o.Deliverers["x."] = nil }, `"x." is nil`},
		"negative workers":      {func(o *jobs.Options) { o.Workers = -1 }, "Workers is -1"},
		"negative time":         {func(o *jobs.Options) { o.MaxBackoff = -1 }, "MaxBackoff"},
		"rescue before timeout": {func(o *jobs.Options) { o.RescueStuckJobsAfter = time.Second }, "must be longer than JobTimeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(db)
			o.Deliverers = map[string]jobs.Deliverer{"": deliverFunc(nil)}
			test.change(&o)
			if _, err := jobs.New(o); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
}

func TestPermanent(t *testing.T) {
	t.Parallel()
	cause := errors.New("gone")
	switch {
	case jobs.Permanent(nil) != nil:
		t.Error("Permanent(nil) is not nil")
	case jobs.IsPermanent(cause) || jobs.IsPermanent(nil):
		t.Error("an ordinary error is permanent")
	case !jobs.IsPermanent(fmt.Errorf("post: %w", jobs.Permanent(cause))):
		t.Error("a wrapped permanent error is not")
	case !errors.Is(jobs.Permanent(cause), cause):
		t.Error("the cause is lost")
	}
}
