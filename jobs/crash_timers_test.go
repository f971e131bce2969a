package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dw/jobs"
	"dw/store"
	"dw/workflows"
)

// timersDir tells a re-executed test binary to fire timers until it is killed.
const timersDir = "DW_TEST_JOBS_TIMERS_DIR"

const (
	timers       = 1000
	killedAfter  = 400 // timers fired
	timersSpread = 10 * time.Second
)

// setTimers sets 1,000 deadlines over ten seconds, all past.
func setTimers(ctx context.Context, db *store.DB) error {
	start := time.Now().Add(-2 * timersSpread)
	return db.Update(ctx, func(tx workflows.Tx) error {
		var err error
		for n := range timers {
			at := start.Add(time.Duration(n) * timersSpread / timers)
			err = errors.Join(err, tx.SetDeadline(ctx, workflows.Deadline{Kind: workflows.DeadlineRemind, Subject: fmt.Sprint(n), DueAt: at}))
		}
		return err
	})
}

// fireInto takes a deadline and queues its effect in one transaction, as
// workflows does. The same effect is queued by whoever wins the deadline.
func fireInto(db *store.DB, fired *atomic.Int64) func(context.Context, workflows.Deadline) error {
	return func(ctx context.Context, d workflows.Deadline) error {
		return db.Update(ctx, func(tx workflows.Tx) error {
			won, err := tx.TakeDeadline(ctx, d)
			if err != nil || !won {
				return err
			}
			fired.Add(1)
			// Not unique by the deadline: a second firing would be a second effect.
			return tx.Enqueue(ctx, effect("slack.direct", fmt.Sprintf("%s/%d/%d", d.Subject, os.Getpid(), fired.Load())))
		})
	}
}

// dieAmongTimers is the child.
func dieAmongTimers(ctx context.Context, dir string) error {
	var fired atomic.Int64
	db, err := store.Open(ctx, filepath.Join(dir, "dw.db"), store.Options{Instance: "jobs-test", Crash: func(point string) {
		if point == store.CrashBeforeCommit && fired.Load() >= killedAfter {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}})
	if err != nil {
		return err
	}
	if err := setTimers(ctx, db); err != nil {
		return err
	}
	ticker := jobs.Ticker{Store: db, Fire: fireInto(db, &fired), Now: time.Now, Every: 10 * time.Millisecond}
	ticker.Run(ctx)
	return errors.New("the ticker ended")
}

// Killed with 1,000 timers due over ten seconds: after the restart all have
// fired, each once.
func TestFault04KilledWithTimersDue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	killedChild(t, timersDir+"="+dir)
	db := open(t, filepath.Join(dir, "dw.db"))
	left := countDue(t, db)
	if left == 0 || left == timers {
		t.Fatalf("%d of %d timers were left at the kill, so it was not among them", left, timers)
	}
	var fired atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ticker := jobs.Ticker{Store: db, Now: time.Now, Every: 10 * time.Millisecond}
	fire := fireInto(db, &fired)
	ticker.Fire = func(ctx context.Context, d workflows.Deadline) error {
		err := fire(ctx, d)
		if fired.Load() == int64(left) {
			cancel()
		}
		return err
	}
	ticker.Run(ctx)
	if n := countDue(t, db); n != 0 {
		t.Errorf("%d timers still stand", n)
	}
	wantOneEffectEach(t, db)
}

func countDue(t *testing.T, db *store.DB) (n int) {
	t.Helper()
	err := db.View(t.Context(), func(tx workflows.ReadTx) error {
		due, err := tx.Due(t.Context(), time.Now(), 2*timers)
		n = len(due)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func wantOneEffectEach(t *testing.T, db *store.DB) {
	t.Helper()
	var jobs, subjects int
	err := db.Writer().QueryRowContext(t.Context(),
		`SELECT count(*), count(DISTINCT substr(json_extract(args, '$.key'), 1, instr(json_extract(args, '$.key'), '/'))) FROM river_job`).Scan(&jobs, &subjects)
	if err != nil {
		t.Fatal(err)
	}
	if jobs != timers || subjects != timers {
		t.Errorf("%d effects of %d timers, want one each of %d", jobs, subjects, timers)
	}
}
