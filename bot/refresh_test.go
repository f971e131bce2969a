package bot

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestRefreshesLeaveNoGap: as often as Slack asks for a new connection, the next
// one is there before Slack, ten seconds after its warning, closes the old one.
func TestRefreshesLeaveNoGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start(quiet)
		p := <-r.peers
		for range 30 {
			go p.keepAlive(10 * time.Second)
			time.Sleep(settledAfter)
			at := time.Now()
			p.write(`{"type":"disconnect","reason":"warning"}`)
			next := <-r.peers
			if waited := time.Since(at); waited > backoffFirst {
				t.Fatalf("the next connection came after %s of virtual time", waited)
			}
			p.click("late")
			p.acked(t, "late")
			p = next
		}
		if got := run.Status(); got.Refreshes != 30 || got.Breaks != 0 || got.Refusals != 0 {
			t.Fatalf("status %+v, want 30 refreshes", got)
		}
	})
}

// TestRefreshStormBacksOff: a Slack that asks for a new connection right after
// each hello is not obeyed at full speed.
func TestRefreshStormBacksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.start(quiet)
		at := time.Now()
		for range 20 {
			(<-r.peers).write(`{"type":"disconnect","reason":"refresh_requested"}`)
		}
		<-r.peers
		if storm := time.Since(at); storm < 2*time.Minute {
			t.Fatalf("20 new connections within %s of virtual time", storm)
		}
	})
}

// TestRefreshWhileTheAPIFails: the old connection serves until there is a new one.
func TestRefreshWhileTheAPIFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		var down atomic.Bool
		r.refuse = func(int32) (int, string) {
			if down.Load() {
				return 500, "<html>"
			}
			return 0, ""
		}
		run := r.start(quiet)
		old := <-r.peers
		time.Sleep(settledAfter)
		down.Store(true)
		old.write(`{"type":"disconnect","reason":"warning"}`)
		time.Sleep(8 * time.Second)
		old.click("late")
		old.acked(t, "late")
		if got := run.Status(); !run.Connected() || got.Refusals == 0 || !strings.Contains(got.Problem, "500") {
			t.Fatalf("status %+v, want refusals with their reason on an open connection", got)
		}
		down.Store(false)
		next := <-r.peers
		next.click("new")
		next.acked(t, "new")
		if got := run.Status(); got.Problem != "" {
			t.Fatalf("the problem is mended, and the status says %q", got.Problem)
		}
	})
}

// TestAPIDownForTwoMinutes: dw asks again in growing steps and is back within one
// step of the end.
func TestAPIDownForTwoMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		start := time.Now()
		r.refuse = func(int32) (int, string) {
			if time.Since(start) < 2*time.Minute {
				return 500, "<html>"
			}
			return 0, ""
		}
		run := r.start(quiet, func(o *SocketOptions) { o.Connections = 2 })
		one, two := <-r.peers, <-r.peers
		if back := time.Since(start); back > 2*time.Minute+backoffMax {
			t.Errorf("connected %s after the start, the API was down for two minutes", back)
		}
		got := run.Status()
		if got.Refusals < 10 || got.Refusals > 60 {
			t.Errorf("%d attempts of two connections in two minutes", got.Refusals)
		}
		one.click("E1")
		two.click("E2")
		one.acked(t, "E1")
		two.acked(t, "E2")
	})
}

// act is a click under an envelope id with a trigger, which is one act's.
func (p *peer) act(envelope, trigger string) {
	p.write(`{"type":"interactive","envelope_id":"` + envelope + `","payload":{"type":"block_actions","trigger_id":"` + trigger + `",` +
		`"user":{"id":"U1","team_id":"T1"},"actions":[{"action_id":"approve","value":"v","action_ts":"1.1"}]}}`)
}

// TestOneActOverBothConnections: the same click under two envelope ids is one
// click; the next click of the same button is another.
func TestOneActOverBothConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		var calls atomic.Int32
		gate := make(chan struct{})
		run := r.start(func(context.Context, Event) (any, error) { calls.Add(1); <-gate; return nil, nil },
			func(o *SocketOptions) { o.Connections = 2 })
		one, two := <-r.peers, <-r.peers
		one.act("E1", "t1")
		two.act("E2", "t1") // while the first is in the handler's hands
		synctest.Wait()
		close(gate)
		one.acked(t, "E1")
		two.acked(t, "E2")
		one.act("E3", "t1") // and afterwards
		one.acked(t, "E3")
		if calls.Load() != 1 {
			t.Fatalf("one act was handled %d times", calls.Load())
		}
		two.act("E4", "t2")
		two.acked(t, "E4")
		if got := run.Status(); calls.Load() != 2 || got.Events != 2 || got.Repeats != 2 {
			t.Fatalf("two acts were handled %d times; status %+v", calls.Load(), got)
		}
	})
}

// TestLostAckIsAnsweredAgain: Slack's redelivery over the other connection, after
// the acknowledgement was lost with its own, is answered and not handled.
func TestLostAckIsAnsweredAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		var calls atomic.Int32
		gate := make(chan struct{})
		run := r.start(func(context.Context, Event) (any, error) { calls.Add(1); <-gate; return nil, nil },
			func(o *SocketOptions) { o.Connections = 2 })
		one, two := <-r.peers, <-r.peers
		one.click("E1")
		synctest.Wait()
		_ = one.conn.Close() // before the handler is done
		synctest.Wait()
		close(gate)
		synctest.Wait()
		two.click("E1")
		two.acked(t, "E1")
		if got := run.Status(); calls.Load() != 1 || got.LostAcks != 1 || got.Breaks != 1 {
			t.Fatalf("handled %d times; status %+v, want one lost acknowledgement of one broken connection", calls.Load(), got)
		}
	})
}

// TestStatus: what an operator can read of the connections.
func TestStatus(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		fail := errors.New("disk full")
		run := r.start(func(_ context.Context, e Event) (any, error) {
			if e.EnvelopeID() == "bad" {
				return nil, fail
			}
			return nil, nil
		}, func(o *SocketOptions) { o.Connections = 2 })
		if got := run.Status(); got.Greeted || got.Wanted != 2 || !got.Event.IsZero() {
			t.Errorf("before the first hello: %+v", got)
		}
		one, two := <-r.peers, <-r.peers
		synctest.Wait()
		if got := run.Status(); !got.Greeted || got.Open != 2 || got.Heard.IsZero() || !got.Event.IsZero() {
			t.Errorf("after both hellos: %+v", got)
		}
		one.click("good")
		one.acked(t, "good")
		at := time.Now()
		one.click("bad")
		synctest.Wait()
		go two.keepAlive(10 * time.Second)
		one.write(`{"type":"disconnect","reason":"too_many_websockets"}`)
		time.Sleep(20 * time.Second)
		got := run.Status()
		if got.Events != 2 || got.Unanswered != 1 || got.Crowded != 1 || !got.Event.Equal(at) || time.Since(got.Heard) > 10*time.Second {
			t.Errorf("after a click that failed and a crowded connection: %+v", got)
		}
		two.write(`{"type":"disconnect","reason":"link_disabled"}`)
		<-run.end
		if got := run.Status(); got.Stopped == nil || got.Stopped.Code != "link_disabled" || got.Open != 0 {
			t.Errorf("after link_disabled: %+v", got)
		}
	})
}
