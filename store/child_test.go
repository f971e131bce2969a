package store_test

import (
	"bufio"
	"context"
	"database/sql"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"dw/store"
	"dw/store/storetest"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// What a child is to do, beside the points of crash_test.go.
const (
	pointFrozen  = "frozen in an update"
	pointMigrate = "migrate"
)

// child is another process of this test binary, watched by what it prints.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func spawn(t *testing.T, dsn, point string, change ...func(*child)) *child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), crashPath+"="+dsn, crashPoint+"="+point)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd, bufio.NewScanner(out)}
	for _, f := range change {
		f(c)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) // over already where the test went well
	return c
}

// until reads until the child has printed a line.
func (c *child) until(t *testing.T, line string) {
	t.Helper()
	var seen []string
	for c.lines.Scan() {
		if seen = append(seen, c.lines.Text()); c.lines.Text() == line {
			return
		}
	}
	t.Fatalf("the child never printed %q, but:\n%s", line, strings.Join(seen, "\n"))
}

// stopped waits until the child has stopped itself.
func (c *child) stopped(t *testing.T) {
	t.Helper()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(c.cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("the child has not stopped: %v, %v", status, err)
	}
}

func (c *child) goOn(t *testing.T) {
	t.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

func (c *child) kill(t *testing.T) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait()
}

func (c *child) ends(t *testing.T) {
	t.Helper()
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("the child ended with %v", err)
	}
}

// openAdmin opens a database past the store.
func openAdmin(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// actAsChild does what the point asks for; handled is false for a point at which
// a writer is killed.
func actAsChild(ctx context.Context, dsn, point string) (handled bool, err error) {
	switch point {
	case pointFrozen:
		return true, freeze(ctx, dsn, func() error { return syscall.Kill(os.Getpid(), syscall.SIGSTOP) })
	case powerPoint:
		return true, writeOnWatchedDisk(ctx, dsn)
	case lockPoint:
		return true, lockUntilTold(ctx, dsn)
	case pointMigrate:
		db, err := store.Open(ctx, dsn, store.Options{Instance: storetest.Instance})
		if err != nil {
			return true, err
		}
		return true, db.Close()
	}
	return false, nil
}
