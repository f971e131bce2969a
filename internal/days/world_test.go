package days

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dw/receipts"
	"dw/workflows"
)

// tickEvery is between two looks of the ticker.
const tickEvery = 15 * time.Second

// world is everything around dw, and what people and systems remember of it.
type world struct {
	path      string
	signer    receipts.Signer
	random    *mathrand.Rand
	domains   []workflows.Policy
	warehouse *warehouse
	outside   *outside
	dw        *process
	ids       atomic.Int64
	offset    atomic.Int64 // of the wall clock from the bubble's
	slackDown bool
	slackBack time.Time // by the bubble's clock

	cards map[string]workflows.Proposal // as they stand in Slack
	order []string                      // of cards, oldest first
	keys  map[string]int64              // effect key -> job, to see one queued twice
	notes int                           // effects delivered to Slack

	history history
}

func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	dir := t.TempDir()
	signer, err := receipts.CreateKey(filepath.Join(dir, "key"), instance, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		path: filepath.Join(dir, "dw.db"), signer: signer, random: mathrand.New(mathrand.NewPCG(seed, 48)), domains: domains(), //nolint:gosec // a seed repeats a run
		outside: newOutside(), cards: map[string]workflows.Proposal{}, keys: map[string]int64{}, history: newHistory(),
	}
	w.warehouse = &warehouse{failing: map[string]bool{}, now: w.now}
	return w
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.offset.Load())).UTC() }

// newID makes ids that begin with the time, as dw's own do, so that they sort.
func (w *world) newID(prefix string) string { return fmt.Sprintf("%s-%08d", prefix, w.ids.Add(1)) }

func (w *world) chance(percent int) bool { return w.random.IntN(100) < percent }

func pick[T any](w *world, from []T) T { return from[w.random.IntN(len(from))] }

// must ends the test at an error that is neither a death nor a fault of an outside
// system.
func (w *world) must(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, errDied) {
		t.Fatal(err)
	}
}

// during plays so much time: an act, a moment, what became due, what was queued;
// and starts dw again where it died.
func (w *world) during(t *testing.T, span time.Duration) {
	t.Helper()
	acts := w.acts()
	for end := time.Now().Add(span); time.Now().Before(end); {
		time.Sleep(time.Duration(w.random.IntN(int(2*meanPause))) + time.Millisecond)
		if w.chance(90) {
			synctest.Wait() // else the act races with what is due at this instant
		}
		pickAct(w, acts)(t)
		w.drain(t)
		if w.dw.dead.Load() {
			w.end(t)
			w.begin(t)
		}
		w.history.sweep(t, w, false)
	}
}

// drain delivers what is queued until only what cannot be delivered is left.
func (w *world) drain(t *testing.T) {
	t.Helper()
	tried := map[int64]bool{}
	for range 100 {
		list, err := w.dw.queue.read(context.Background())
		w.must(t, err)
		if !w.deliverAll(t, list, tried) {
			return
		}
	}
	t.Fatal("the effects do not end")
}

// deliverAll delivers each effect that was not tried before, and reports whether
// there was one. What was delivered is taken out at the end: a process that dies
// before that delivers it again.
func (w *world) deliverAll(t *testing.T, list []queued, tried map[int64]bool) (fresh bool) {
	t.Helper()
	ctx := context.Background()
	var delivered []int64
	for _, one := range list {
		if tried[one.id] || one.effect.NotBefore.After(w.now()) {
			continue
		}
		tried[one.id], fresh = true, true
		w.once(t, one)
		err := w.dw.alive(func() error { return w.deliver(ctx, one.effect) })
		if w.dw.dead.Load() {
			return false
		}
		if err == nil && !w.chance(2) { // else it comes again
			delivered = append(delivered, one.id)
		}
	}
	w.must(t, w.dw.queue.done(ctx, delivered))
	return fresh
}

// once fails where one key was queued as two jobs.
func (w *world) once(t *testing.T, one queued) {
	t.Helper()
	key := one.effect.Kind + " " + one.effect.Key
	if id, known := w.keys[key]; known && id != one.id {
		t.Errorf("the effect %s was queued twice", key)
	}
	w.keys[key] = one.id
}

var errSlackDown = errors.New("Slack answers 500") //nolint:staticcheck // a name

func (w *world) deliver(ctx context.Context, e workflows.Effect) error {
	switch e.Kind {
	case workflows.EffectIncidentCard, workflows.EffectThreadNote, workflows.EffectDirect, workflows.EffectNotice, workflows.EffectApprovalCard:
		if w.slackDown && time.Now().Before(w.slackBack) {
			return errSlackDown
		}
		w.notes++
		if e.Kind == workflows.EffectApprovalCard {
			return w.paint(ctx, e)
		}
		return nil
	}
	return w.dw.service.Perform(ctx, e)
}

// finish lets the weather clear and everything that was begun come to its end.
func (w *world) finish(t *testing.T) {
	t.Helper()
	w.slackDown = false
	w.outside.set(func(o *outside) { o.sky = fair })
	w.warehouse.set(func(w *warehouse) { w.silent, w.failing = false, map[string]bool{} })
	w.dw.dieAt.Store(nil)
	for range 30 {
		time.Sleep(15 * time.Minute)
		synctest.Wait()
		w.outside.finish(true)
		w.drain(t)
		if w.dw.dead.Load() {
			w.end(t)
			w.begin(t)
		}
	}
}
