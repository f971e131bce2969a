package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// group is one SQLite transaction in which several updates run, one after the
// other, each on its caller's goroutine and in a savepoint of its own; one commit
// makes all of them durable. Only who has the turn of the line touches it.
type group struct {
	db     *DB
	tx     *sql.Tx
	run    *bound
	end    context.CancelFunc
	log    *logEnd
	alone  bool
	joined int   // updates that ran in it
	kept   int   // those of them that succeeded
	sign   bool  // a person did something in one of them
	broken error // why SQLite has rolled all of it back, nil where it has not
	done   chan struct{}
	err    error // what became of it; read after done
}

var (
	// errGroupLost says that nothing of a group was committed, for whatever reason
	// of one of its updates or of all.
	errGroupLost = errors.New("the shared transaction was rolled back")
	// errGroupLeft is the answer of a group whose commit ended in a panic.
	errGroupLeft = errors.New("the shared transaction was given up in a panic")
)

// updateInGroup runs do in its turn. Where the shared transaction is lost as a whole,
// by the fault of another perhaps, do runs again alone, so that its error is its own.
func (db *DB) updateInGroup(ctx context.Context, do func(*writer) error) error {
	g, err := db.takeTurn(ctx, false, do)
	if g != nil && g.joined > 1 && errors.Is(g.err, errGroupLost) {
		_, err = db.takeTurn(ctx, true, do)
	}
	return err
}

// updateAlone is update in a transaction that is shared with nobody.
func (db *DB) updateAlone(ctx context.Context, do func(*writer) error) error {
	if db.server != nil || db.write == nil {
		return db.update(ctx, do)
	}
	_, err := db.takeTurn(ctx, true, do)
	return err
}

// takeTurn waits for the turn, runs do, gives the turn on, and waits for the commit.
// A refused update waits too: what it was refused for may not come to stand.
func (db *DB) takeTurn(ctx context.Context, alone bool, do func(*writer) error) (*group, error) {
	g, err := db.line.enter(ctx, alone, func(g *group) { db.leave(ctx, g) })
	if err != nil {
		return nil, fmt.Errorf("begin update: %w", err)
	}
	if g, err = db.runTurn(ctx, g, alone, do); g == nil {
		return nil, fmt.Errorf("begin update: %w", err)
	}
	<-g.done
	if err == nil && g.err != nil {
		err = fmt.Errorf("commit update: %w", g.err)
	}
	return g, err
}

// runTurn gives the turn on, whatever do does: it may panic, or end its goroutine.
func (db *DB) runTurn(ctx context.Context, open *group, alone bool, do func(*writer) error) (g *group, err error) {
	g = open
	defer func() { db.leave(ctx, g) }()
	if g == nil {
		waited := db.line.last()
		if g, err = db.beginGroup(ctx, alone); err != nil {
			if ctx.Err() == nil {
				db.line.refuse(waited, err)
			}
			return nil, err
		}
	}
	return g, g.update(ctx, do)
}

// beginGroup opens a transaction that the end of ctx no longer touches once it is
// open: it is the others' as well.
func (db *DB) beginGroup(ctx context.Context, alone bool) (*group, error) {
	if err := db.writes.prepare(ctx); err != nil {
		return nil, err
	}
	own, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, end)
	tx, err := db.write.BeginTx(own, nil)
	if !stop() || err != nil {
		end()
		if err == nil {
			err = errors.Join(ctx.Err(), tx.Rollback())
		}
		return nil, err
	}
	return &group{db: db, tx: tx, run: db.writes.bind(tx), end: end, alone: alone, log: &logEnd{}, done: make(chan struct{})}, nil
}

func (g *group) writer() *writer {
	return &writer{reader: reader{queries: g.db.sql, run: g.run, turn: &turn{log: g.log}}, db: g.db}
}

// update runs do and undoes what it wrote, and that only, unless all of it succeeded
// and ctx has not ended.
func (g *group) update(ctx context.Context, do func(*writer) error) error {
	g.joined++
	t, start, kept := g.writer(), g.log.mark(), false
	defer func() {
		t.turn.over.Store(true)
		if !kept {
			g.log.back(start)
		}
		if t.turn.saved {
			g.release(context.WithoutCancel(ctx), t, kept)
		}
	}()
	err := t.perform(do)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	kept = true
	g.kept++
	g.sign = g.sign || t.byPerson
	return nil
}

// release ends the savepoint of an update. It fails where SQLite had to roll back
// everything, on a full disk for one.
func (g *group) release(ctx context.Context, t *writer, kept bool) {
	var err error
	if !kept {
		_, err = t.statement(ctx, "savepoint_undo")
	}
	if err == nil {
		_, err = t.statement(ctx, "savepoint_release")
	}
	g.broken = errors.Join(g.broken, err)
}

// leave gives the turn to the next in line, with the open transaction if it may hold
// one more, and else commits that first.
func (db *DB) leave(ctx context.Context, g *group) {
	if g == nil {
		db.line.pass()
		return
	}
	if !g.alone && g.broken == nil && g.joined < groupMost && db.line.join(g) {
		return
	}
	defer db.line.pass()
	g.settle(context.WithoutCancel(ctx))
}

// settle commits and answers everybody who waits for g.
func (g *group) settle(ctx context.Context) {
	g.err = errGroupLeft
	defer close(g.done)
	defer g.end()
	// After a commit this does nothing; it is here for errors and panics.
	defer func() { _ = g.tx.Rollback() }()
	switch {
	case g.broken != nil:
		g.err = fmt.Errorf("%w: %w", errGroupLost, g.broken)
		return
	case g.kept == 0:
		g.err = nil
		return
	}
	if err := g.commit(ctx); err != nil {
		g.err = fmt.Errorf("%w: %w", errGroupLost, err)
		return
	}
	g.err = nil
	g.db.crash(CrashAfterCommit)
}

func (g *group) commit(ctx context.Context) error {
	t := g.writer()
	t.turn.saved = true // what fails here fails for all
	if err := t.storeLog(ctx, g.log); err != nil {
		return err
	}
	if g.sign {
		if err := t.signNow(ctx); err != nil {
			return err
		}
	}
	g.db.crash(CrashBeforeCommit)
	return g.tx.Commit()
}
