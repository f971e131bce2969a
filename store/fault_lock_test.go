package store_test

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"dw/store"
	"dw/store/storetest"
)

// lockPoint has a child hold the database locked until its input ends.
const lockPoint = "lock"

func lockUntilTold(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN EXCLUSIVE"); err != nil {
		return err
	}
	_, _ = os.Stderr.WriteString("locked\n")
	_, err = io.Copy(io.Discard, os.Stdin)
	_, rolled := conn.ExecContext(ctx, "ROLLBACK")
	return errors.Join(err, rolled)
}

// locked has another process lock the database; the answer lets it go again.
func locked(t *testing.T, path string) (release func()) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = write.Close() }) // over already where the test went well
	c := spawn(t, path, lockPoint, func(c *child) { c.cmd.Stdin = read })
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	c.until(t, "locked")
	return func() {
		if err := write.Close(); err != nil {
			t.Error(err)
		}
		c.ends(t)
	}
}

// Another process holds the database. An update that can wait so long is queued
// and commits once; one that cannot fails visibly, changes nothing, and goes
// through when it is tried again. Reading goes on all the while.
func TestFault08LockedByAnotherProcess(t *testing.T) {
	t.Parallel()
	t.Run("let go in time", func(t *testing.T) {
		t.Parallel()
		path := newPath(t)
		db := open(t, path, func(o *store.Options) { o.LockWait = time.Minute })
		release := locked(t, path)
		done := make(chan error, 1)
		go func() { done <- writeOne(t.Context(), db, 1) }()
		// What is queued is read over the one connection that the update waits on.
		if n, rows := storetest.Verify(t, db), countIncidents(t, db); n != 0 || rows != 0 {
			t.Errorf("%d receipts and %d rows while the database is locked, want none", n, rows)
		}
		select {
		case err := <-done:
			t.Errorf("the update ended while the database was locked: %v", err)
			done <- err
		default:
		}
		release()
		if err := <-done; err != nil {
			t.Errorf("after the lock was gone: %v", err)
		}
		wantAll(t, db, 1)
	})
	t.Run("held too long", func(t *testing.T) {
		t.Parallel()
		path := newPath(t)
		db := open(t, path, func(o *store.Options) { o.LockWait = 50 * time.Millisecond })
		release := locked(t, path)
		for range 2 {
			if err := writeOne(t.Context(), db, 1); err == nil || !strings.Contains(err.Error(), "database is locked") {
				t.Errorf("got error %v, want that the database is locked", err)
			}
		}
		release()
		wantAll(t, db, 0)
		if err := writeOne(t.Context(), db, 1); err != nil {
			t.Errorf("after the lock was gone: %v", err)
		}
		wantAll(t, db, 1)
	})
}

// TestWritable: whether something could be written is answered while updates wait for
// a database that another process holds.
func TestWritable(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	db := open(t, path, func(o *store.Options) { o.LockWait = time.Minute })
	if err := db.Writable(t.Context()); err != nil {
		t.Fatal(err)
	}
	release := locked(t, path)
	done := make(chan error, 1)
	go func() { done <- writeOne(t.Context(), db, 1) }()
	if err := db.Writable(t.Context()); err == nil || !strings.Contains(err.Error(), "database is locked") {
		t.Errorf("while another holds it: %v", err)
	}
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := db.Writable(t.Context()); err != nil {
		t.Errorf("when it is free: %v", err)
	}
}
