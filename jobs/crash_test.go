package jobs_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dw/jobs"
	"dw/store"
	"dw/workflows"
)

// crashDir tells a re-executed test binary to die in the middle of a delivery.
const crashDir = "DW_TEST_JOBS_CRASH_DIR"

// frozenDSN tells it to freeze there instead, on this database.
const frozenDSN = "DW_TEST_JOBS_FROZEN_DSN"

// outside stands for another system: a folder of facts that it has recorded,
// idempotent by key, and of the calls that it received.
type outside struct{ dir string }

func (o outside) call(key string) error {
	calls, err := os.OpenFile(filepath.Join(o.dir, "calls"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer calls.Close()
	if _, err := calls.WriteString(key + "\n"); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(o.dir, "fact-"+key), os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return errors.Join(err, f.Close())
}

func (o outside) count(t *testing.T) (calls, facts int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(o.dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(o.dir, "fact-*"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n"), len(found)
}

// crashIfAsked is the child: it queues an effect, calls outside and is killed
// before the queue can note that the call was made.
func crashIfAsked() {
	if dir := os.Getenv(timersDir); dir != "" {
		_, _ = os.Stderr.WriteString("not killed: " + dieAmongTimers(context.Background(), dir).Error() + "\n")
		os.Exit(1)
	}
	dir := os.Getenv(crashDir)
	if dir == "" {
		return
	}
	if dsn := os.Getenv(frozenDSN); dsn != "" {
		if err := freezeInDelivery(context.Background(), dir, dsn); err != nil {
			_, _ = os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	err := deliverAndDie(context.Background(), dir)
	// Only reached if the kill did not come.
	_, _ = os.Stderr.WriteString("not killed: " + err.Error() + "\n")
	os.Exit(1)
}

func deliverAndDie(ctx context.Context, dir string) error {
	db, err := store.Open(ctx, filepath.Join(dir, "dw.db"), store.Options{Instance: "jobs-test"})
	if err != nil {
		return err
	}
	o := options(db)
	o.Deliverers = map[string]jobs.Deliverer{"": deliverFunc(func(_ context.Context, e workflows.Effect) error {
		if err := (outside{dir}).call(e.Key); err != nil {
			return err
		}
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	})}
	err = db.Update(ctx, func(tx workflows.Tx) error { return tx.Enqueue(ctx, effect("slack.note", "once")) })
	if err != nil {
		return err
	}
	r, err := jobs.New(o)
	if err != nil {
		return err
	}
	if err := r.Start(ctx); err != nil {
		return err
	}
	<-r.Stopped()
	return errors.New("the runner stopped")
}

// killedChild runs this binary with an environment that has it killed.
func killedChild(t *testing.T, environment string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), environment)
	out, err := child.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child was not killed: %v\n%s", err, out)
	}
}

// Killed after the external call and before it was noted: the call is made
// again with the same key, and the outside has one effect.
func TestFault03KilledAfterTheCall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	killedChild(t, crashDir+"="+dir)
	if calls, facts := (outside{dir}).count(t); calls != 1 || facts != 1 {
		t.Fatalf("before the restart: %d calls, %d facts, want one each", calls, facts)
	}
	db := open(t, filepath.Join(dir, "dw.db"))
	if state := states(t, db); state != "running" {
		t.Fatalf("job is %q, want running: the process died in it", state)
	}
	again := make(chan struct{}, 1)
	o := options(db)
	o.JobTimeout, o.RescueStuckJobsAfter = time.Second, 2*time.Second
	o.Deliverers = map[string]jobs.Deliverer{"": deliverFunc(func(_ context.Context, e workflows.Effect) error {
		defer func() { again <- struct{}{} }()
		return (outside{dir}).call(e.Key)
	})}
	stop := start(t, o)
	<-again
	stop()
	if state := states(t, db); state != "completed" {
		t.Errorf("job is %q, want completed", state)
	}
	if calls, facts := (outside{dir}).count(t); calls != 2 || facts != 1 {
		t.Errorf("after the restart: %d calls, %d facts, want 2 and 1", calls, facts)
	}
}
