package days

import (
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// The length and the seed of the long run may be set by these; CI plays its own.
const (
	spanEnv = "DW_DAYS"
	seedEnv = "DW_DAYS_SEED"
)

// play plays so much virtual time from a seed and has the history checked.
func play(t *testing.T, seed uint64, span time.Duration) (f findings, w *world) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w = newWorld(t, seed)
		w.begin(t)
		w.during(t, span)
		w.finish(t)
		f = w.check(t)
		w.end(t)
	})
	return f, w
}

// TestFortyEightHours: two days of thousands of clicks by the right and the wrong
// people, in time, late, twice and on old cards, of incidents, requests,
// escalations, stops, deaths, jumps of the clock, and faults of Slack, pager and
// scheduler. Nothing acknowledged is lost, each request ends once, nothing is
// carried out that was not approved or opened for dw at L3, nothing happens twice, and the receipts verify.
func TestFortyEightHours(t *testing.T) {
	t.Parallel()
	seed, span := setting(t, seedEnv, 1), 48*time.Hour
	if text := os.Getenv(spanEnv); text != "" {
		var err error
		if span, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", spanEnv, err)
		}
	}
	start := time.Now()
	f, w := play(t, seed, span)
	t.Logf("seed %d: %s in %s: %d clicks, %d decisions, %d refusals, %d steps begun, %d by dw itself, %d expiries, %d revoked, %d stops, %d deaths, %d jumps of the clock with %d receipts, %d runs, %d acts of the pager, ended %v",
		seed, span, time.Since(start).Round(time.Second/10), f.clicks, f.decisions, f.refusals, f.intents, f.itself, f.expiries, f.revoked, f.stops,
		w.history.killed, w.history.jumps, f.jumps, len(w.outside.runs), len(w.outside.count), f.final)
	if span >= 48*time.Hour && (f.clicks < 2000 || f.decisions < 80 || f.intents < 30 || f.itself < 3 || f.expiries < 3 || f.stops == 0 || f.jumps == 0 || len(w.outside.runs) < 10 || len(w.outside.count) < 10) {
		t.Error("too little happened to prove anything")
	}
}

// TestMorning is a short run of the same, in which patches that take a guard out
// are noticed. Acts may race with what is due at the same instant, so that one seed
// has several courses; the bars hold for the quietest that was seen.
func TestMorning(t *testing.T) {
	t.Parallel()
	if f, w := play(t, 3, 5*time.Hour); f.decisions < 10 || f.intents < 5 || len(w.outside.runs) < 2 {
		t.Errorf("too little happened to prove anything: %+v", f)
	}
}

func setting(t *testing.T, name string, unset uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return unset
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}
