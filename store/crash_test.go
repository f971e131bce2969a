package store_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"dw/store"
	"dw/store/storetest"
)

// A re-executed test binary is told by these where to die.
const (
	crashPath  = "DW_TEST_STORE_CRASH_PATH"
	crashPoint = "DW_TEST_STORE_CRASH_POINT"
	crashCount = "DW_TEST_STORE_CRASH_COUNT"
)

// crashIfAsked is the child: it writes so many transactions and is killed at
// the named point of the last.
func crashIfAsked() {
	path := os.Getenv(crashPath)
	if path == "" {
		return
	}
	if handled, err := actAsChild(context.Background(), path, os.Getenv(crashPoint)); handled {
		if err != nil {
			_, _ = os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	count, err := strconv.Atoi(os.Getenv(crashCount))
	if err == nil {
		err = writeAndDie(context.Background(), path, os.Getenv(crashPoint), count)
	}
	_, _ = os.Stderr.WriteString("not killed: " + err.Error() + "\n")
	os.Exit(1)
}

func writeAndDie(ctx context.Context, path, at string, count int) error {
	written := 0
	db, err := store.Open(ctx, path, store.Options{
		Instance: storetest.Instance,
		Crash: func(point string) {
			if point == at && written == count {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		},
	})
	if err != nil {
		return err
	}
	if !db.Postgres() {
		// What the migrations wrote goes into the file: the WAL is the updates'.
		if _, err := db.Writer().ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			return err
		}
	}
	for written < count {
		written++
		if err := writeOne(ctx, db, written); err != nil {
			return err
		}
	}
	return errors.New("all was written")
}

func killed(t *testing.T, path, point string, count int) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), crashPath+"="+path, crashPoint+"="+point, crashCount+"="+strconv.Itoa(count))
	out, err := child.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child was not killed: %v\n%s", err, out)
	}
}

// Killed before the commit nothing is kept, after it everything is; either way
// the same transaction tried again leaves one row, one receipt, one effect.
func TestKilled(t *testing.T) {
	t.Parallel()
	onBoth(t, killedAtEachPoint)
}

func killedAtEachPoint(t *testing.T, newPath func(testing.TB) string) {
	t.Helper()
	for point, want := range map[string]int{store.CrashBeforeCommit: 0, store.CrashAfterCommit: 1} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			killed(t, path, point, 1)
			db := open(t, path)
			wantAll(t, db, want)
			// Without the row's own check, as a caller would that asks again.
			if err := writeOne(t.Context(), db, 1); (err != nil) != (want == 1) {
				t.Errorf("the same again: got error %v", err)
			}
			wantAll(t, db, 1)
		})
	}
}

func wantAll(t *testing.T, db *store.DB, want int) {
	t.Helper()
	n := storetest.Verify(t, db)
	if rows, effects := countIncidents(t, db), len(mustQueued(t, db)); n != int64(want) || rows != want || effects != want {
		t.Errorf("%d receipts, %d rows, %d effects, want %d each", n, rows, effects, want)
	}
}
