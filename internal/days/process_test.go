package days

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dw/jobs"
	"dw/receipts"
	"dw/store"
	"dw/workflows"
)

const instance = "days"

// errDied is what a call answers whose process died in it: nobody hears of it.
var errDied = errors.New("the process died")

// process is one dw: a store, a Service and a ticker on the world's clock. It dies
// at a point of a commit where the world wants it to.
type process struct {
	db      *store.DB
	service *workflows.Service
	queue   *queue

	dieAt  atomic.Pointer[string] // the point of the next commit at which it dies
	dead   atomic.Bool
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// dying is thrown at the point of death and caught by alive; nothing runs after
// it, as after a SIGKILL.
type dying struct{}

func (p *process) crash(point string) {
	if at := p.dieAt.Load(); at != nil && *at == point {
		p.dead.Store(true)
	}
	if p.dead.Load() {
		panic(dying{}) //nolint:forbidigo // the process ends here; alive catches it
	}
}

// alive runs a call of the process and turns its death into errDied.
func (p *process) alive(call func() error) (err error) {
	defer func() {
		switch thrown := recover(); thrown.(type) {
		case nil:
		case dying:
			err = errDied
		default:
			panic(thrown) //nolint:forbidigo // a failure of the test itself
		}
	}()
	if p.dead.Load() {
		return errDied
	}
	return call()
}

// begin starts a dw on the world's database.
func (w *world) begin(t *testing.T) {
	t.Helper()
	p := &process{}
	db, err := store.Open(context.Background(), w.path, store.Options{Instance: instance, Signer: &w.signer, Crash: p.crash})
	if err != nil {
		t.Fatal(err)
	}
	p.db, p.queue = db, &queue{db: db}
	w.open(t, db)
	p.service = workflows.NewService(workflows.Options{
		Store: db, Checks: w.warehouse, Investigator: w.warehouse, Pager: w.outside,
		Policies: func(name string) (workflows.Policy, bool) {
			for _, d := range w.domains {
				if d.Domain == name {
					return d, true
				}
			}
			return workflows.Policy{}, false
		},
		Domains: func() []workflows.Policy { return w.domains }, Command: "/dw",
		Actuators: map[string]workflows.Actuator{"sched": w.outside}, Readers: []workflows.FactReader{w.outside},
		Now: w.now, NewID: w.newID, NewNonce: func() string { return fmt.Sprintf("%032x", w.ids.Add(1)) },
	})
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	ticker := &jobs.Ticker{Store: db, Now: w.now, Every: tickEvery, Fire: func(ctx context.Context, d workflows.Deadline) error {
		return p.alive(func() error { return p.service.Fire(ctx, d) })
	}}
	start := time.Now()
	watch := &jobs.ClockWatch{
		Wall: w.now, Elapsed: func() time.Duration { return time.Since(start) }, Every: tickEvery,
		Jumped: func(ctx context.Context, from, to time.Time) error {
			return p.alive(func() error { return p.service.ClockJumped(ctx, from, to) })
		},
	}
	p.ended.Go(func() { ticker.Run(ctx) })
	p.ended.Go(func() { watch.Run(ctx) })
	w.dw = p
	w.must(t, p.alive(func() error {
		return p.service.ScheduleChecks(ctx, []string{"sales.orders", "stock.levels", "people.hours"})
	}))
	w.must(t, p.alive(func() error { return p.service.Repaint(ctx) }))
}

// end stops the process, dead or alive, as the system does with its files.
func (w *world) end(t *testing.T) {
	t.Helper()
	w.dw.cancel()
	w.dw.ended.Wait()
	if err := w.dw.db.Close(); err != nil {
		t.Fatal(err)
	}
}

// verify checks the whole log against a checkpoint signed now.
func (w *world) verify(t *testing.T) []receipts.Entry {
	t.Helper()
	ctx := context.Background()
	var entries []receipts.Entry
	w.must(t, w.dw.db.WriteCheckpoint(ctx))
	err := w.dw.db.View(ctx, func(tx workflows.ReadTx) error {
		var err1, err2, err3 error
		entries, err1 = tx.Receipts(ctx, 0, 0)
		head, err2 := tx.Head(ctx)
		note, err3 := tx.Checkpoint(ctx)
		r := receipts.VerifyEntries(func(yield func(receipts.Entry, error) bool) {
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
		}, head, note, w.signer.VerifierKey())
		if r.Code != receipts.CodeGood {
			t.Errorf("the receipts do not verify: %s", r)
		}
		return errors.Join(err1, err2, err3)
	})
	w.must(t, err)
	return entries
}
