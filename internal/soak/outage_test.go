package soak

import (
	"context"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"dw/slackdev"
)

const outagePeople, outageDomains = 5, 2

// TestOutage: a workspace whose every call answers 500 for a while, and whose
// connections break, costs nothing: what was acknowledged is kept, what could not
// be clicked is clicked afterwards, and the threads are in order.
func TestOutage(t *testing.T) {
	t.Parallel()
	lasts, err := time.ParseDuration(os.Getenv("DW_SOAK_OUTAGE"))
	if err != nil {
		t.Skip("set DW_SOAK_OUTAGE=2m, or run make soak")
	}
	e := newEstate(t, outagePeople, outageDomains)
	e.start()
	e.terminate()
	e.seed()
	e.start()
	intents := e.placed()
	ctx, cancel := context.WithTimeout(context.Background(), lasts+patience)
	defer cancel()
	c := &crowd{slack: e.slack, acked: map[intent]bool{}}
	press := func(some []intent) {
		t.Helper()
		for _, in := range some {
			if err := c.press(ctx, in); err != nil {
				t.Fatal(err)
			}
		}
	}
	quarter := len(intents) / 4
	for n := 0; n < len(intents); n += 2 * outageDomains {
		press(intents[n : n+1]) // each person once, so that dw knows them
	}
	began := time.Now()
	e.slack.FailFor(slackdev.EveryMethod, lasts, slackdev.FaultStatus(http.StatusInternalServerError))
	press(intents[:quarter]) // over the open connections
	before := c.count.Acked
	e.slack.KillSockets()
	e.wait("the connections to break", time.Minute, func(s slackdev.Snapshot) bool { return s.Sockets == 0 })
	press(intents) // waits until dw is connected again
	back := time.Since(began)
	e.painted(intents)
	e.inOrder()
	e.terminate()
	t.Logf("every call of the Web API answered 500 for %s, and all connections broke", lasts)
	t.Logf("acknowledged before the break: %d of %d clicks; all clicked %s after the begin of the outage", before, len(intents), back.Round(time.Second))
	e.judge(intents, c.acked)
}

var progress = regexp.MustCompile(`approved "(Repair part \d+)".*: (\d+) of \d+`)

// inOrder checks that the approvals of each proposal stand in its thread as they
// were counted.
func (e *estate) inOrder() {
	e.t.Helper()
	for d := range e.domains {
		last := map[string]int{}
		for _, m := range e.slack.Messages(channelOf(d)) {
			found := progress.FindStringSubmatch(m.Text)
			if found == nil {
				continue
			}
			n, err := strconv.Atoi(found[2])
			if err != nil || n != last[found[1]]+1 {
				e.t.Errorf("channel %s: after %d approvals of %s the thread says: %s", channelOf(d), last[found[1]], found[1], m.Text)
			}
			last[found[1]] = n
		}
		if len(last) != perDomain {
			e.t.Errorf("channel %s shows approvals of %d proposals", channelOf(d), len(last))
		}
	}
}
