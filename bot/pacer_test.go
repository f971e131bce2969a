package bot

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// at returns the virtual seconds at which n turns taken at once came.
func at(t *testing.T, l *lane, n int) []time.Duration {
	t.Helper()
	start := time.Now()
	var mu sync.Mutex
	var times []time.Duration
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if _, err := l.take(context.Background(), false, time.Minute); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			times = append(times, time.Since(start))
		})
	}
	all.Wait()
	return times
}

func TestLanePacesAfterABurst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &lane{pace: postPace()}
		for i, got := range at(t, l, 6) {
			if want := max(0, time.Duration(i-postPace().burst+1)) * postPace().every; got != want {
				t.Errorf("turn %d after %s, want %s", i, got, want)
			}
		}
		time.Sleep(time.Minute) // no more than a burst is saved up
		if got := at(t, l, postPace().burst+1); got[postPace().burst-1] != 0 || got[postPace().burst] != postPace().every {
			t.Errorf("turns after a rest at %v", got)
		}
	})
}

func TestLaneLetsUrgentPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &lane{pace: postPace()}
		at(t, l, postPace().burst) // use the burst up
		order := make(chan string, 4)
		enter := func(name string, urgent bool) {
			go func() {
				_, _ = l.take(context.Background(), urgent, time.Minute)
				order <- name
			}()
			synctest.Wait()
		}
		enter("post 1", false)
		enter("post 2", false)
		enter("update 1", true)
		enter("update 2", true)
		for _, want := range []string{"update 1", "update 2", "post 1", "post 2"} {
			if got := <-order; got != want {
				t.Fatalf("%s came, want %s", got, want)
			}
		}
	})
}

func TestLaneRefusesWhatWouldWaitTooLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &lane{pace: postPace()}
		l.pause(time.Minute)
		start := time.Now()
		after, err := l.take(context.Background(), false, 10*time.Second)
		if !errors.Is(err, errBusy) || after != time.Minute || time.Since(start) != 0 {
			t.Fatalf("take gave %s, %v after %s", after, err, time.Since(start))
		}
		if _, err := l.take(context.Background(), false, 2*time.Minute); err != nil || time.Since(start) != time.Minute {
			t.Fatalf("take gave %v after %s, want a turn when the pause ends", err, time.Since(start))
		}
	})
}

func TestLaneGivesUpATurnWithItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &lane{pace: postPace()}
		at(t, l, postPace().burst)
		ctx, cancel := context.WithCancel(context.Background())
		gone := make(chan error)
		go func() { _, err := l.take(ctx, true, time.Minute); gone <- err }()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if got := at(t, l, 1); got[0] != postPace().every {
			t.Fatalf("the next turn came after %s, want the one given up", got[0])
		}
	})
}

func TestLaneBoundsTheWaitOfThosePassed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &lane{pace: postPace()}
		at(t, l, postPace().burst)
		start := time.Now()
		passed := make(chan error)
		go func() { _, err := l.take(context.Background(), false, 5*time.Second); passed <- err }()
		synctest.Wait()
		for range 10 {
			go func() { _, _ = l.take(context.Background(), true, time.Minute) }()
		}
		if err := <-passed; !errors.Is(err, errBusy) || time.Since(start) != 5*time.Second {
			t.Fatalf("got %v after %s", err, time.Since(start))
		}
		time.Sleep(time.Minute)
	})
}

func TestPacerSweepsIdleLanes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPacer()
		busy := p.lane("busy")
		busy.pause(time.Hour)
		for i := range 10 * laneSweep {
			at(t, p.lane(string(rune(0x4e00+i))), 1)
			time.Sleep(postPace().every)
		}
		if len(p.lanes) > laneSweep || p.lane("busy") != busy {
			t.Fatalf("%d lanes are kept", len(p.lanes))
		}
	})
}
