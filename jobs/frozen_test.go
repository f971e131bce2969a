package jobs_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dw/jobs"
	"dw/store"
	"dw/workflows"
)

// freezeInDelivery is the child: it takes the effect and stops itself before it
// makes the call; when it goes on it makes the call, and ends.
func freezeInDelivery(ctx context.Context, dir, dsn string) error {
	db, err := store.Open(ctx, dsn, store.Options{Instance: "jobs-test"})
	if err != nil {
		return err
	}
	called := make(chan error, 1)
	o := options(db)
	o.Claim = db.Claim
	o.Deliverers = map[string]jobs.Deliverer{"": deliverFunc(func(_ context.Context, e workflows.Effect) error {
		if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
			return err
		}
		// The thread that asked may run on for a moment before the stop reaches it.
		for !exists(filepath.Join(dir, goOn)) {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		called <- outside{dir}.call("frozen-" + e.Key)
		return nil
	})}
	r, err := jobs.New(o)
	if err != nil {
		return err
	}
	if err := r.Start(ctx); err != nil {
		return err
	}
	if err := <-called; err != nil {
		return err
	}
	return r.Stop(ctx)
}

// goOn is the file that lets the frozen process make its call.
const goOn = "go-on"

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A process is frozen in a delivery past the time after which the queue takes it
// for lost. Nobody delivers the effect beside it, for it may still make its call;
// when it has done so, or is dead, another goes on.
func TestFault11FrozenInADelivery(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]syscall.Signal{"it goes on": syscall.SIGCONT, "it dies": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, dsn := t.TempDir(), postgres.Database(t)
			db := open(t, dsn)
			enqueue(t, db, effect("slack.note", "once"))
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
			child.Env = append(os.Environ(), crashDir+"="+dir, frozenDSN+"="+dsn)
			child.Stderr = os.Stderr
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			var status syscall.WaitStatus
			if _, err := syscall.Wait4(child.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
				t.Fatalf("the child has not stopped: %v, %v", status, err)
			}
			t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() }) // over already where the test went well
			var over atomic.Bool
			delivered, log := make(chan struct{}, 8), &logBuffer{}
			o := options(db)
			o.Claim, o.Log = db.Claim, log.logger()
			o.JobTimeout, o.RescueStuckJobsAfter, o.MaxBackoff = time.Second, 2*time.Second, 60*time.Millisecond
			o.Deliverers = map[string]jobs.Deliverer{"": deliverFunc(func(_ context.Context, e workflows.Effect) error {
				if !over.Load() {
					t.Error("the effect was delivered beside a process that had it in hand")
				}
				delivered <- struct{}{}
				return outside{dir}.call(e.Key)
			})}
			stop := start(t, o)
			await(t, func() bool {
				return len(delivered) > 0 || strings.Contains(log.String(), "another process still has this effect in hand")
			})
			over.Store(true)
			if end == syscall.SIGCONT {
				if err := os.WriteFile(filepath.Join(dir, goOn), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := child.Process.Signal(end); err != nil {
				t.Fatal(err)
			}
			// Gone on, the process ends its job itself, or the other is handed it once more.
			await(t, func() bool { return states(t, db) == "completed" })
			if end == syscall.SIGKILL && len(delivered) == 0 {
				t.Error("nobody delivered the effect of the process that died")
			}
			stop()
			if made := exists(filepath.Join(dir, "fact-frozen-once")); made != (end == syscall.SIGCONT) {
				t.Errorf("the frozen process made its call: %v", made)
			}
			if state := states(t, db); state != "completed" {
				t.Errorf("job is %q, want completed", state)
			}
		})
	}
}

func await(t *testing.T, done func() bool) {
	t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for end := time.Now().Add(2 * time.Minute); !done(); {
		if time.Now().After(end) {
			t.Fatal("waited two minutes for what did not come")
		}
		select {
		case <-poll.C:
		case <-t.Context().Done():
			t.Fatal("the test ended")
		}
	}
}
