package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestSocketAcksOnlyAfterHandle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		gate := make(chan struct{})
		r.start(func(context.Context, Event) (any, error) { <-gate; return nil, nil })
		p := <-r.peers
		p.click("E1")
		synctest.Wait()
		if len(p.acks) != 0 {
			t.Fatalf("acked %q before the handler returned", <-p.acks)
		}
		close(gate)
		p.acked(t, "E1")
	})
}

func TestSocketDoesNotAckWhatWasNotHandled(t *testing.T) {
	t.Parallel()
	cases := map[string]handlerFunc{
		"error": func(context.Context, Event) (any, error) { return nil, errors.New("database is locked") },
		"panic": func(context.Context, Event) (any, error) { panic("boom") },
		"late":  func(ctx context.Context, _ Event) (any, error) { <-ctx.Done(); return nil, ctx.Err() },
	}
	for name, fail := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				var calls atomic.Int32
				r.start(func(ctx context.Context, e Event) (any, error) {
					if calls.Add(1) == 1 {
						return fail(ctx, e)
					}
					return nil, nil
				})
				p := <-r.peers
				p.click("E1")
				time.Sleep(defaultHandleTimeout)
				synctest.Wait()
				if len(p.acks) != 0 {
					t.Fatalf("acked %q", <-p.acks)
				}
				p.click("E1") // the same envelope again: it was not kept, so it is handled
				p.acked(t, "E1")
				if calls.Load() != 2 {
					t.Fatalf("handled %d times, want 2", calls.Load())
				}
			})
		})
	}
}

func TestSocketAcksWhatItCannotRead(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"broken JSON":       `{"type":"interactive","envelope_id":"E9","payload":{"type":"block_actions",`,
		"payload is a list": `{"type":"interactive","envelope_id":"E9","payload":[]}`,
		"no user":           `{"type":"slash_commands","envelope_id":"E9","payload":{"text":"status"}}`,
		"no action":         `{"type":"interactive","envelope_id":"E9","payload":{"type":"block_actions","user":{"id":"U1"},"actions":{}}}`,
	}
	for name, raw := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				var handled atomic.Int32
				r.start(func(context.Context, Event) (any, error) { handled.Add(1); return nil, nil })
				p := <-r.peers
				p.write("nothing at all")
				p.write(raw)
				p.acked(t, "E9")
				if handled.Load() != 0 {
					t.Fatal("the handler was called for an unreadable envelope")
				}
				p.click("E10") // and the connection lives
				p.acked(t, "E10")
			})
		})
	}
}

func TestSocketHandlesADuplicateOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		gate := make(chan struct{})
		var calls atomic.Int32
		r.start(func(context.Context, Event) (any, error) {
			<-gate
			return map[string]int32{"call": calls.Add(1)}, nil
		})
		p := <-r.peers
		p.click("E1")
		p.click("E1") // while the first is in the handler's hands
		synctest.Wait()
		close(gate)
		p.acked(t, "E1")
		p.acked(t, "E1")
		p.click("E1") // and afterwards
		if got := string(p.acked(t, "E1").Payload); got != `{"call":1}` {
			t.Fatalf("payload %s, want that of the first answer", got)
		}
		if calls.Load() != 1 {
			t.Fatalf("handled %d times, want once", calls.Load())
		}
	})
}

func TestSocketAnswersADuplicateOnTheConnectionThatBroughtIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		var calls atomic.Int32
		r.start(func(context.Context, Event) (any, error) { calls.Add(1); return nil, nil })
		first := <-r.peers
		event := `{"type":"events_api","envelope_id":"%s","payload":{"team_id":"T1","event_id":"Ev1","event":{"type":"app_home_opened","user":"U1","tab":"home"}}}`
		first.write(fmt.Sprintf(event, "E1"))
		first.acked(t, "E1")
		_ = first.conn.Close()
		second := <-r.peers
		second.write(fmt.Sprintf(event, "E2")) // Slack's retry: another envelope, the same event
		second.acked(t, "E2")
		if calls.Load() != 1 {
			t.Fatalf("handled %d times, want once", calls.Load())
		}
	})
}

func TestSocketFinishesWhatItAcceptedBeforeItEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		entered, gate := make(chan struct{}), make(chan struct{})
		run := r.start(func(ctx context.Context, _ Event) (any, error) {
			close(entered)
			<-gate
			return nil, ctx.Err()
		})
		p := <-r.peers
		p.click("E1")
		<-entered
		run.stop()
		synctest.Wait()
		close(gate)
		p.acked(t, "E1")
		if err := <-run.end; err != nil {
			t.Fatalf("Run returned %v, want nil", err)
		}
		<-p.closed
		if run.Connected() {
			t.Fatal("still connected after Run returned")
		}
	})
}

func TestSocketShedsLoadInsteadOfStalling(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		gate := make(chan struct{})
		r.start(func(context.Context, Event) (any, error) { <-gate; return nil, nil },
			func(o *SocketOptions) { o.Workers = 1 })
		p := <-r.peers
		p.click("E0")
		synctest.Wait() // the worker holds it
		for i := range queueLength {
			p.click(fmt.Sprintf("Q%d", i))
		}
		synctest.Wait()
		p.click("too many")
		synctest.Wait()
		close(gate)
		synctest.Wait()
		if got := len(p.acks); got != queueLength+1 {
			t.Fatalf("%d acks, want %d", got, queueLength+1)
		}
		p.acked(t, "E0")
		for i := range queueLength {
			p.acked(t, fmt.Sprintf("Q%d", i))
		}
	})
}

func TestSocketReply(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, accepts string
		reply         any
		want          string
	}{
		{"sent", "true", map[string]string{"response_action": "clear"}, `{"response_action":"clear"}`},
		{"accepted as a string", `"true"`, "ok", `"ok"`},
		{"not accepted", "false", "ok", ""},
		{"too large", "true", strings.Repeat("x", ackLimit), ""},
		{"not JSON", "true", func() {}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.start(func(context.Context, Event) (any, error) { return c.reply, nil })
				p := <-r.peers
				p.write(`{"type":"slash_commands","envelope_id":"E1","accepts_response_payload":` + c.accepts + `,"payload":{"user_id":"U1"}}`)
				if got := string(p.acked(t, "E1").Payload); got != c.want {
					t.Fatalf("payload %s, want %s", got, c.want)
				}
			})
		})
	}
}

func TestNewSocketWantsItsParts(t *testing.T) {
	t.Parallel()
	if _, err := NewSocket("", SocketOptions{}); err == nil {
		t.Error("no error for an empty token")
	}
	if _, err := NewSocket(testToken, SocketOptions{}); err == nil {
		t.Error("no error without a handler")
	}
}
