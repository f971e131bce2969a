package demo

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/internal/testpg"
)

// playAuto plays a variant and returns the last line of its timeline.
func playAuto(t *testing.T, o Options) (outcome, []entry) {
	t.Helper()
	var out bytes.Buffer
	o.Dir, o.Auto, o.JSON, o.Out = filepath.Join(t.TempDir(), "demo"), true, true, &out
	if o.NamesFile == "" {
		o.history = testHistory(t)
	}
	err := Run(t.Context(), o)
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(o.Dir, "dw.log"))
		t.Fatalf("%v\n%s\n%s\n%s", err, out.String(), unfinished(t, filepath.Join(o.Dir, "dw.db")), tail(log, 4000))
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var end outcome
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &end); err != nil {
		t.Fatalf("last line %s: %v", lines[len(lines)-1], err)
	}
	var entries []entry
	for _, line := range lines[:len(lines)-1] {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("line %s: %v", line, err)
		}
		entries = append(entries, e)
	}
	t.Log(out.String())
	return end, entries
}

// unfinished lists the effects that dw has not delivered.
func unfinished(t *testing.T, path string) string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		return err.Error()
	}
	defer db.Close()
	var jobs sql.NullString
	err = db.QueryRowContext(context.Background(), "SELECT group_concat(json_object('state', state, 'args', json(args), 'errors', json(errors))) FROM river_job WHERE state <> 'completed'").Scan(&jobs)
	return fmt.Sprint(jobs.String, err)
}

func tail(b []byte, n int) []byte { return b[max(0, len(b)-n):] }

// The day is the same with dw's own state in PostgreSQL, whose DSN is told
// nowhere.
func TestDayOnPostgres(t *testing.T) {
	t.Parallel()
	dsn := strings.Replace(testpg.Start(t).Database(t), "dw_test@", "dw_test:c4n4ry@", 1)
	end, entries := playAuto(t, Options{Variant: variantDay, Store: dsn})
	if end.Cause == nil || end.Cause.ID != "missing_wire_format" || len(end.Decisions) != 3 || !end.Verified {
		t.Errorf("the day ended with %+v", end)
	}
	if told := fmt.Sprint(end, entries); strings.Contains(told, "c4n4ry") {
		t.Errorf("the password is told: %s", told)
	}
}

func TestVariants(t *testing.T) {
	t.Parallel()
	for variant, c := range map[string]struct {
		cause, segment string
		decisions      int
		undo           bool
		outside        []string // what is seen in PagerDuty and Jira
	}{
		variantDay: {"missing_wire_format", "boxoffice", 3, true, []string{
			"12h PagerDuty page triggered", "12h PagerDuty page acknowledged", "PagerDuty note on the page", "14h PagerDuty page resolved", "14h Jira ticket opened",
		}},
		variantNone: {},
		// The page goes out without a cause; when the next hour names it, a note follows.
		variantDropApp: {"missing_feed_segment", "app", 0, false, []string{"12h PagerDuty page triggered", "PagerDuty note on the page"}},
		variantLate: {"late_load", "", 0, false, []string{
			"13h PagerDuty page triggered", "14h PagerDuty page resolved", "14h Jira ticket opened",
		}},
		variantNight: {"schema_drift", "", 3, false, []string{"23h PagerDuty page triggered", "01h PagerDuty page resolved", "01h Jira ticket opened"}},
	} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			end, entries := playAuto(t, Options{Variant: variant})
			if !end.Verified || len(end.Decisions) != c.decisions || (len(end.Receipts.Undo) > 0) != c.undo {
				t.Errorf("end = %+v", end)
			}
			if (end.Incident == nil) != (c.cause == "") {
				t.Fatalf("incident %v", text(end.Incident))
			}
			if end.Cause != nil && (end.Cause.ID != c.cause || end.Cause.Segment["channel"] != c.segment) {
				t.Errorf("cause = %+v", end.Cause)
			}
			if got := outside(t, entries); !slices.Equal(got, c.outside) {
				t.Errorf("PagerDuty and Jira show %q, want %q", got, c.outside)
			}
			for _, e := range entries {
				if e.Event == notBuilt && (variant != variantDay || e.Detail != "metric redpanda_iceberg_translation_invalid_records") {
					t.Errorf("%s says that %s is not built", variant, e.Detail)
				}
			}
		})
	}
}

// outside lists what the timeline shows of PagerDuty and Jira, by the hour: dw may take moments of the story.
func outside(t *testing.T, entries []entry) []string {
	t.Helper()
	var out []string
	for _, e := range entries {
		if e.System != "PagerDuty" && e.System != "Jira" {
			continue
		}
		at, err := time.Parse(time.RFC3339, e.StoryTime)
		if err != nil {
			t.Fatal(err)
		}
		row := e.System + " " + e.Event
		if e.Event != "note on the page" { // which follows a diagnosis: its hour is the machine's
			row = at.Format("15h") + " " + row
		}
		out = append(out, row)
	}
	return out
}

func TestRenamed(t *testing.T) {
	t.Parallel()
	names := map[string]string{
		tableOrders: "fct_meter_readings", tableEvents: "readings", tableDead: "readings_rejected", jobBuild: "build_readings", jobPayout: "bill_customers",
		pipelineFeed: "north_relay", exploreSales: "usage", channelIncidents: "grid-alerts", personOwner: "Ann O'Hara \"Annie\"",
		valueBoxOffice: "north & 'east' <old>", valueCounter: "pulse", harmUnit: "households",
	}
	content, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "names.json")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	end, entries := playAuto(t, Options{NamesFile: file})
	if got := end.Cause.Segment["channel"]; got != names[valueBoxOffice] {
		t.Errorf("segment %q", got)
	}
	if first := end.Blast.First; first.Asset != "dagster://bill_customers" || first.Unit != "households" || first.Count != boxOfficeOrganizers {
		t.Errorf("first harm %+v", first)
	}
	for _, e := range entries {
		for story := range names {
			if word(story).MatchString(e.Event + "\n" + e.Detail) {
				t.Errorf("the timeline says %q: %s %s", story, e.Event, e.Detail)
			}
		}
	}
}

// word finds a name that no letter goes before or after.
func word(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[^a-z])` + regexp.QuoteMeta(name) + `([^a-z]|$)`)
}

func TestNamesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given map[string]string
		want  string
	}{
		"unknown":            {map[string]string{"orders": "x"}, "is no name of the story"},
		"table with quotes":  {map[string]string{tableOrders: `a"b`}, "cannot be the name of a table"},
		"empty":              {map[string]string{personOwner: ""}, "is empty"},
		"variable":           {map[string]string{valueApp: "${HOME}"}, "would expand"},
		"control":            {map[string]string{valueApp: "a\nb"}, "cannot be shown"},
		"twice":              {map[string]string{valueApp: valueWeb}, "is already the name of"},
		"twice but for case": {map[string]string{tableEvents: "FCT_ticket_orders"}, "is already the name of"},
		"Slack channel":      {map[string]string{channelIncidents: "Data Incidents"}, "cannot be the name of a Slack channel"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := renamed(c.given); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v, want %q", err, c.want)
			}
		})
	}
}

func TestUnknownVariantIsRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	err := Run(t.Context(), Options{Dir: dir, Variant: "dropp=app"})
	if err == nil || !strings.Contains(err.Error(), "boxoffice, none, drop=app, late, migration") {
		t.Errorf("error = %v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder was made: %v", err)
	}
}
