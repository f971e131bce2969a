package days

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"dw/receipts"
	"dw/workflows"
)

// idle lets time pass in which nobody does anything.
func (w *world) idle(t *testing.T, span time.Duration) {
	t.Helper()
	for end := time.Now().Add(span); time.Now().Before(end); {
		time.Sleep(tickEvery)
		synctest.Wait()
		w.drain(t)
	}
}

// TestFault17SlackDownTwoHours: Slack answers nothing for two hours while requests
// wait. They escalate and expire by their stored times, the pager is told
// meanwhile, nothing is granted; when Slack is back everything that was queued
// arrives, and its cards say how it ended.
func TestFault17SlackDownTwoHours(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 17)
		w.begin(t)
		w.warehouse.set(func(h *warehouse) { h.failing["sales.orders"] = true })
		r, err := w.warehouse.result("sales.orders")
		w.must(t, err)
		w.must(t, w.dw.service.OnResult(context.Background(), r))
		w.idle(t, 6*time.Minute)
		if len(w.cards) != 4 {
			t.Fatalf("%d requests are asked, want 4", len(w.cards))
		}
		w.slackDown, w.slackBack = true, time.Now().Add(2*time.Hour)
		arrived := w.notes
		w.idle(t, 2*time.Hour-tickEvery)
		if w.notes != arrived {
			t.Fatalf("%d messages reached a Slack that is down", w.notes-arrived)
		}
		w.slackWasDown(t)
		w.idle(t, time.Minute)
		for _, p := range w.cards {
			if p.State != workflows.Expired && p.State != workflows.Withdrawn { // the recovery goes with the change it waits for
				t.Errorf("the card of %q still says %s", p.Title, p.State)
			}
		}
		if left, err := w.dw.queue.read(context.Background()); err != nil || w.notes == arrived {
			t.Errorf("%d effects are left, %d messages arrived, %v", len(left), w.notes-arrived, err)
		}
		w.check(t)
		w.end(t)
	})
}

// slackWasDown looks at what happened without Slack: all by the stored times.
func (w *world) slackWasDown(t *testing.T) {
	t.Helper()
	escalated := w.outside.counted(workflows.EffectPageEscalate)
	if escalated != 1 {
		t.Errorf("the page was escalated %d times, want once", escalated)
	}
	kinds, late := map[string]int{}, -time.Hour
	for _, e := range w.verify(t) {
		var r struct {
			Predicate struct {
				Kind string    `json:"kind"`
				At   time.Time `json:"at"`
				Body struct {
					DueAt time.Time `json:"due_at"`
				} `json:"body"`
			} `json:"predicate"`
		}
		if err := json.Unmarshal(e.Bytes, &r); err != nil {
			t.Fatal(err)
		}
		kinds[r.Predicate.Kind]++
		if r.Predicate.Kind == receipts.KindExpiry {
			late = max(late, r.Predicate.At.Sub(r.Predicate.Body.DueAt))
		}
	}
	if kinds[receipts.KindEscalation] != 8 || kinds[receipts.KindExpiry] != 4 || kinds[receipts.KindStepIntent]+kinds[receipts.KindDecisionRecorded] != 0 {
		t.Errorf("receipts %v, want 8 escalations, 4 expiries, and nothing decided or done", kinds)
	}
	if late < 0 || late > 2*tickEvery {
		t.Errorf("an expiry came %s late", late)
	}
}

// counted is how often a kind of call had its effect.
func (o *outside) counted(kind string) (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, times := range o.count {
		if len(key) > len(kind) && key[:len(kind)] == kind {
			n += times
		}
	}
	return n
}
