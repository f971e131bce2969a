package app

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dw/receipts"
)

// logOf is a log that grows by hand and is signed as signing says.
type logOf struct {
	size   atomic.Int64
	signed atomic.Int64 // how often
	broken atomic.Bool
}

func (l *logOf) signing() *signing {
	return &signing{
		head: func(context.Context) (receipts.Head, error) { return receipts.Head{Seq: l.size.Load()}, nil },
		sign: func(context.Context) error {
			if l.broken.Load() {
				return errors.New("the key cannot be read")
			}
			l.signed.Add(1)
			return nil
		},
		idle: 5 * time.Second, every: time.Minute, log: slog.New(slog.DiscardHandler),
	}
}

func (l *logOf) want(t *testing.T, when string, times int64) {
	t.Helper()
	synctest.Wait()
	if n := l.signed.Load(); n != times {
		t.Errorf("%s: signed %d times, want %d", when, n, times)
	}
}

func signingInBubble(t *testing.T, test func(t *testing.T, l *logOf)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		l, done := &logOf{}, make(chan struct{})
		l.size.Store(3)
		go func() {
			defer close(done)
			if err := l.signing().run(ctx); err != nil {
				t.Errorf("run: %v", err)
			}
		}()
		test(t, l)
		stop()
		<-done
	})
}

// A log is signed when nothing has come for a while, and not again before something
// does.
func TestIdleLogIsSignedOnce(t *testing.T) {
	t.Parallel()
	signingInBubble(t, func(t *testing.T, l *logOf) {
		l.want(t, "at the start", 1)
		time.Sleep(time.Hour)
		l.want(t, "nothing new for an hour", 1)
		for range 3 {
			l.size.Add(1)
			time.Sleep(4 * time.Second)
		}
		l.want(t, "receipts every four seconds", 1)
		time.Sleep(3 * time.Second)
		l.want(t, "idle", 2)
		time.Sleep(time.Hour)
		l.want(t, "idle for another hour", 2)
	})
}

// A log that is never idle is signed every minute, and one that could not be signed
// is tried again.
func TestBusyLogIsSignedNowAndThen(t *testing.T) {
	t.Parallel()
	signingInBubble(t, func(t *testing.T, l *logOf) {
		for range 150 {
			l.size.Add(1)
			time.Sleep(time.Second)
		}
		l.want(t, "after two and a half minutes", 3)
		l.broken.Store(true)
		time.Sleep(time.Minute)
		l.want(t, "while the key is gone", 3)
		l.broken.Store(false)
		time.Sleep(7 * time.Second)
		l.want(t, "when it is back", 4)
	})
}
