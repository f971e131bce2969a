package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dw/internal/testpg"
	"dw/store"
	"dw/store/storetest"
	"dw/workflows"
)

// counted runs writeOne's update and returns how often its function ran.
func counted(ctx context.Context, db *store.DB, n int) (runs int, err error) {
	err = db.Update(ctx, func(tx workflows.Tx) error {
		runs++
		_, err1 := tx.PutIncident(ctx, workflows.Incident{ID: fmt.Sprint(n), State: workflows.Open})
		_, err2 := tx.AppendReceipt(ctx, draft(n))
		return errors.Join(err1, err2, tx.Enqueue(ctx, workflows.Effect{Kind: "slack.note", Key: fmt.Sprint(n)}))
	})
	return runs, err
}

// The line is cut at a commit. What was committed is not done again, what was not
// is, and where nobody can be asked the store says that it does not know.
func TestFault13CutAtTheCommit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cut     int32
		runs    int
		unknown bool
		stored  int
	}{
		"before it reaches the server": {cutBefore, 2, false, 2},
		"before its answer comes back": {cutAfter, 1, false, 2},
		"and the server is away":       {cutForGood, 1, true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct := newPostgres(t)
			p, through := proxied(t, direct)
			db := open(t, through)
			store.SettleWithin(db, 20*time.Second)
			if test.unknown {
				store.SettleWithin(db, 300*time.Millisecond)
			}
			write(t, db, 1)
			p.next.Store(test.cut)
			runs, err := counted(t.Context(), db, 2)
			if errors.Is(err, store.ErrUnknownOutcome) != test.unknown || (err != nil) != test.unknown {
				t.Errorf("got error %v", err)
			}
			if runs != test.runs {
				t.Errorf("the function ran %d times, want %d", runs, test.runs)
			}
			wantAll(t, open(t, direct), test.stored)
		})
	}
}

// The server crashes and comes back while several writers are at work: each
// update is there once if it was acknowledged, and at most once if not.
func TestFault12ServerCrashes(t *testing.T) {
	t.Parallel()
	const writers, each = 4, 15
	server := testpg.Start(t)
	dsn := server.Database(t)
	db := open(t, dsn)
	var acknowledged [writers * each]atomic.Bool
	var done atomic.Int32
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for k := range each {
				n := w*each + k
				_, err := counted(t.Context(), db, n)
				acknowledged[n].Store(err == nil)
				done.Add(1)
			}
		})
	}
	for _, at := range []int32{10, 30} {
		for done.Load() < at {
			if t.Context().Err() != nil {
				t.Fatal("the writers stand still")
			}
			time.Sleep(time.Millisecond) //nolint:forbidigo // polls a condition
		}
		if err := server.Restart("immediate"); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	again := open(t, dsn)
	receipts, rows, effects := storetest.Verify(t, again), countIncidents(t, again), len(mustQueued(t, again))
	if int(receipts) < rows || rows != effects {
		t.Errorf("%d receipts, %d rows, %d effects", receipts, rows, effects)
	}
	err := again.View(t.Context(), func(tx workflows.ReadTx) error {
		for n := range acknowledged {
			_, err := tx.Incident(t.Context(), fmt.Sprint(n))
			if acknowledged[n].Load() && err != nil {
				t.Errorf("update %d was acknowledged and is lost: %v", n, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Where the server has no connection left, an update is refused with its reason
// and nothing of it is kept; with room again it goes through.
func TestNoConnectionLeft(t *testing.T) {
	t.Parallel()
	server := testpg.Start(t)
	admin := server.Database(t)
	run := func(statements ...string) {
		t.Helper()
		db := openAdmin(t, admin)
		for _, s := range statements {
			if _, err := db.ExecContext(t.Context(), s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	}
	// The rights that docs/postgres.md asks for.
	run("CREATE ROLE few LOGIN PASSWORD 'c4n4ry'", "GRANT CREATE, USAGE ON SCHEMA public TO few")
	db := open(t, strings.Replace(admin, "dw_test@", "few:c4n4ry@", 1))
	write(t, db, 1)
	run("ALTER ROLE few CONNECTION LIMIT 0", "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'few'")
	runs, err := counted(t.Context(), db, 2)
	if err == nil || runs != 0 || !strings.Contains(err.Error(), "too many connections for role") {
		t.Errorf("got %v after %d runs, want that there are too many connections", err, runs)
	}
	if strings.Contains(fmt.Sprint(err), "c4n4ry") {
		t.Errorf("the password is told: %v", err)
	}
	run("ALTER ROLE few CONNECTION LIMIT 20")
	wantAll(t, db, 1)
	write(t, db, 1)
	wantAll(t, db, 2)
}

// A process that is frozen within an update holds everybody up for as long as an
// idle transaction may last. When it goes on, its update is not committed: its
// function runs again, on what the others have written.
func TestFault11FrozenInAnUpdate(t *testing.T) {
	t.Parallel()
	dsn := newPostgres(t) + "&idle_in_transaction_session_timeout=1s"
	db := open(t, dsn)
	write(t, db, 1)
	child := spawn(t, dsn, pointFrozen)
	child.until(t, "in the update")
	child.stopped(t)
	if _, err := counted(t.Context(), db, 2); err != nil {
		t.Errorf("the others wait for ever: %v", err)
	}
	child.goOn(t)
	child.until(t, "it ran 2 times: stale incident refused: true")
	child.ends(t)
	wantAll(t, db, 2)
}

// The migration's process is killed between dw's own tables and the queue's; the
// next start goes on from there.
func TestFault24KilledBetweenMigrations(t *testing.T) {
	t.Parallel()
	for kind, at := range map[string]func(testing.TB) string{"SQLite": newPath, "PostgreSQL": store.Postgres.Database} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			path := at(t)
			killed(t, path, store.CrashInMigration, 0)
			db := open(t, path)
			write(t, db, 2)
			wantAll(t, db, 2)
		})
	}
}

// The migration's process is killed within a migration: it waits for a table that
// somebody else is making, and dies there.
func TestFault24KilledWithinAMigration(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"checkpoints", "river_job"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			dsn := store.Postgres.Database(t)
			admin := openAdmin(t, dsn)
			tx, err := admin.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.ExecContext(t.Context(), "CREATE TABLE "+table+" (n int)"); err != nil {
				t.Fatal(err)
			}
			child := spawn(t, dsn, pointMigrate)
			waiting := 0
			for waiting == 0 {
				err := admin.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "+
					"AND wait_event_type = 'Lock' AND wait_event <> 'advisory' AND query ILIKE '%"+table+"%'").Scan(&waiting)
				if err != nil {
					t.Fatal(err)
				}
			}
			child.kill(t)
			if err := tx.Rollback(); err != nil {
				t.Fatal(err)
			}
			db := open(t, dsn)
			write(t, db, 2)
			wantAll(t, db, 2)
		})
	}
}

// freeze is what the child of TestFault11FrozenInAnUpdate does.
func freeze(ctx context.Context, dsn string, stop func() error) error {
	db, err := store.Open(ctx, dsn, store.Options{Instance: storetest.Instance})
	if err != nil {
		return err
	}
	runs := 0
	err = db.Update(ctx, func(tx workflows.Tx) error {
		if runs++; runs == 1 {
			fmt.Fprintln(os.Stderr, "in the update")
			if err := stop(); err != nil {
				return err
			}
		}
		// The other process has made incident 2 meanwhile.
		_, err1 := tx.AppendReceipt(ctx, draft(3))
		_, err2 := tx.PutIncident(ctx, workflows.Incident{ID: "2", State: workflows.Open})
		return errors.Join(err1, err2)
	})
	fmt.Fprintf(os.Stderr, "it ran %d times: stale incident refused: %v\n", runs, errors.Is(err, workflows.ErrConflict))
	return db.Close()
}
