package soak

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"dw/internal/testpg"
	"dw/slackdev"
)

var server testpg.Shared //nolint:gochecknoglobals // one PostgreSQL server for all tests, ended by TestMain

func TestMain(m *testing.M) { os.Exit(server.Main(m)) }

// sizes say how much is tried.
type sizes struct{ refreshes, kills, clicks, people int }

const (
	atOnce      = 8                // people who click at the same time
	maxSockets  = 8                // before the next refresh, so that Slack's ten are not reached
	cardsWithin = 2 * time.Minute  // all of them, after the start
	patience    = 20 * time.Minute // for what is painted after the last click
)

// TestSoak: through forced refreshes and kills of the process, no decision that
// was acknowledged to a person is lost and none is made twice; what is shown in
// the end is what is recorded.
func TestSoak(t *testing.T) {
	t.Parallel()
	var n sizes
	if _, err := fmt.Sscanf(os.Getenv("DW_SOAK"), "refreshes=%d,kills=%d,clicks=%d,people=%d", &n.refreshes, &n.kills, &n.clicks, &n.people); err != nil {
		t.Skip("set DW_SOAK=refreshes=100,kills=20,clicks=2000,people=25, or run make soak")
	}
	perDomainClicks := max(2, n.people) * perDomain
	if n.people < 2 || n.refreshes < 1 || n.kills < 0 || n.kills > n.refreshes || n.clicks%perDomainClicks != 0 || n.clicks%n.refreshes != 0 {
		t.Fatalf("clicks must be a multiple of %d (twice the people, of whom there are two or more) and of refreshes, kills at most refreshes: %+v", perDomainClicks, n)
	}
	e := newEstate(t, n.people, n.clicks/perDomainClicks)
	e.start()
	e.terminate()
	e.seed()
	e.start()
	intents := e.placed()
	began := time.Now()
	c := e.clicked(n, intents)
	clicked := time.Since(began)
	e.painted(intents)
	painted := time.Since(began) - clicked
	e.terminate()
	report(t, n, c.count, e.recorded(), clicked, painted)
	e.judge(intents, c.acked)
}

// clicked has every intent clicked while connections are refreshed and dw killed.
func (e *estate) clicked(n sizes, intents []intent) *crowd {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	c := &crowd{slack: e.slack, acked: map[intent]bool{}}
	work, done := make(chan int), make(chan error)
	for range atOnce {
		go func() { // ends when work is closed, which the end of this function waits for
			for i := range work {
				c.disturb(ctx, i)
				done <- c.press(ctx, intents[i])
			}
			done <- nil
		}()
	}
	e.drive(n, c, work, done)
	close(work)
	for range atOnce {
		<-done
	}
	return c
}

// drive hands the clicks out, a batch for each refresh, and in the midst of a
// batch refreshes or kills.
func (e *estate) drive(n sizes, c *crowd, work chan<- int, done <-chan error) {
	batch := n.clicks / n.refreshes
	killed := 0
	for r := range n.refreshes {
		next, finished := r*batch, 0
		refresh, kill := true, killed*n.refreshes < (r+1)*n.kills
		for finished < batch {
			var hand chan<- int
			if next < (r+1)*batch {
				hand = work
			}
			select {
			case hand <- next:
				next++
			case err := <-done:
				if err != nil {
					e.t.Errorf("a person gave up: %v", err)
				}
				finished++
			}
			if refresh && next-r*batch > batch/4 {
				refresh = false
				e.slack.Disconnect("warning")
			}
			if kill && next-r*batch > batch/2 {
				kill = false
				killed++
				c.outage(e.kill)
			}
		}
		e.wait("old connections to close", time.Minute, func(s slackdev.Snapshot) bool { return s.Sockets > 0 && s.Sockets <= maxSockets })
	}
}

// outage notes how long dw is away.
func (c *crowd) outage(kill func()) {
	c.mu.Lock()
	c.down = append(c.down, span{from: time.Now()})
	c.mu.Unlock()
	kill()
	c.mu.Lock()
	c.down[len(c.down)-1].to = time.Now()
	c.mu.Unlock()
}

// kill ends dw without a warning and starts it again.
func (e *estate) kill() {
	e.t.Helper()
	if err := e.dw.Process.Kill(); err != nil {
		e.t.Fatal(err)
	}
	_ = e.dw.Wait() // it was killed
	e.wait("the connections of the dead process to end", time.Minute, func(s slackdev.Snapshot) bool { return s.Sockets == 0 })
	e.start()
}

// terminate stops dw as an operator does.
func (e *estate) terminate() {
	e.t.Helper()
	if err := e.dw.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		e.t.Fatal(err)
	}
	if err := e.dw.Wait(); err != nil {
		e.t.Errorf("dw ended with %v", err)
	}
	e.wait("the connections to end", time.Minute, func(s slackdev.Snapshot) bool { return s.Sockets == 0 })
}
