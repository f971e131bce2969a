package checks_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dw/checks"
)

// Over four years with their changes of clocks and a leap day, every daily
// schedule fires once on each local day, however the ticker's looks cut the time
// into pieces: none is left out in a gap, none fires twice in an hour that comes
// twice.
func TestFault16DSTAndLeapDay(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Europe/Berlin", "Australia/Lord_Howe", "UTC"} {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		for _, clock := range []string{"0 0", "15 1", "45 1", "0 2", "15 2", "30 2", "59 2", "0 3"} {
			t.Run(zone+" "+clock, func(t *testing.T) {
				t.Parallel()
				from, to := time.Date(2026, 1, 1, 0, 0, 0, 0, loc).Add(-time.Second), time.Date(2030, 1, 1, 0, 0, 0, 0, loc).Add(-time.Second)
				fires := due(t, clock+" * * *", zone, from, to)
				onceADay(t, fires, from.Add(time.Second), loc)
				if pieces := inPieces(t, clock+" * * *", zone, from, to); !slices.EqualFunc(pieces, fires, time.Time.Equal) {
					t.Errorf("looks at odd times fire %d times, one look %d", len(pieces), len(fires))
				}
			})
		}
		if fires := due(t, "30 2 29 2 *", zone, time.Date(2026, 1, 1, 0, 0, 0, 0, loc), time.Date(2034, 1, 1, 0, 0, 0, 0, loc)); len(fires) != 2 {
			t.Errorf("%s: the leap day fires at %v, want 2028 and 2032", zone, fires)
		}
	}
}

func due(t *testing.T, spec, zone string, from, to time.Time) []time.Time {
	t.Helper()
	fires, err := checks.Due(spec, zone, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return fires
}

func onceADay(t *testing.T, fires []time.Time, first time.Time, loc *time.Location) {
	t.Helper()
	for n, at := range fires {
		if want := first.In(loc).AddDate(0, 0, n).Format(time.DateOnly); at.In(loc).Format(time.DateOnly) != want {
			t.Fatalf("fire %d is at %s, want it on %s", n, at.In(loc), want)
		}
	}
	if want := 4*365 + 1; len(fires) != want {
		t.Errorf("%d fires in %d days", len(fires), want)
	}
}

// inPieces looks as a ticker does that is sometimes late: at times of no order.
func inPieces(t *testing.T, spec, zone string, from, to time.Time) []time.Time {
	t.Helper()
	random := rand.New(rand.NewPCG(16, uint64(len(spec+zone))))
	var fires []time.Time
	for from.Before(to) {
		next := from.Add(time.Duration(random.IntN(40*60)+1) * time.Minute)
		if next.After(to) {
			next = to
		}
		fires = append(fires, due(t, spec, zone, from, next)...)
		from = next
	}
	if len(fires) == 0 {
		t.Fatal(fmt.Sprint("nothing fires: ", spec))
	}
	return fires
}
