package detect

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestWording(t *testing.T) {
	t.Parallel()
	at := monday.AddDate(0, 0, 1).Add(11 * time.Hour)
	hour := func(v Verdict) Verdict {
		v.Start, v.End = at, at.Add(time.Hour)
		if v.Window.Start.IsZero() {
			v.Window.Start = at
		}
		if v.Window.Since.IsZero() {
			v.Window.Since = v.Window.Start
		}
		return v
	}
	short := Window{Observed: 4800, Expected: 6940}
	cases := map[string]struct {
		verdict Verdict
		unit    string
	}{
		"normal":         {hour(Verdict{Observed: 6900, Expected: 6940, Low: 5552, High: 8328}), "rows"},
		"learning":       {hour(Verdict{State: Learning, Observed: 6900, Days: 3}), "rows"},
		"holiday":        {hour(Verdict{State: Holiday, Observed: 2100}), "rows"},
		"unknown":        {hour(Verdict{State: Unknown}), "rows"},
		"one hour short": {hour(Verdict{State: Alarm, Observed: 4800, Expected: 6940, Low: 5552, High: 8328, Window: short}), "rows"},
		"none in twelve hours": {hour(Verdict{State: Alarm, Expected: 0.9, Window: Window{
			Start: at.Add(-11 * time.Hour), Expected: 10.8, Low: 3, High: 21, Score: -4.1,
		}}), "rows"},
		"ten days of a leak": {hour(Verdict{State: Alarm, Observed: 6000, Expected: 6940, Window: Window{
			Start: at.Add(-239 * time.Hour), Since: at.Add(-100 * time.Hour), Observed: 1.2e6, Expected: 1.4e6, Low: 1.3e6, High: 1.5e6,
		}}), "rows"},
		"three times as many": {hour(Verdict{
			State: Alarm, Observed: 21000, Expected: 6940, Low: 5552, High: 8328,
			Window: Window{Observed: 21000, Expected: 6940},
		}), "rows"},
		"late load": {hour(Verdict{
			State: Alarm, Observed: 27760, Expected: 6940, Low: 5552, High: 8328,
			Window: Window{Observed: 27760, Expected: 6940, Late: true, Since: at},
		}), "rows"},
		"NULLs": {hour(Verdict{State: Alarm, Observed: 6.2, Expected: 0.4, High: 3.1, Window: Window{Observed: 18.6, Expected: 1.2}}), "% NULL"},
		"NULLs over six hours": {hour(Verdict{
			State: Alarm, Observed: 2.2, Expected: 0.4, High: 3.1,
			Window: Window{Start: at.Add(-5 * time.Hour), Observed: 30, Expected: 7.2},
		}), "% NULL"},
	}
	zone := berlin()
	var lines []string
	for name, c := range cases {
		lines = append(lines, name+": "+c.verdict.Text(zone, c.unit))
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	path := filepath.Join("testdata", "wording.golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the sentences changed:\n%s\nwant:\n%s", got, want)
	}
}
