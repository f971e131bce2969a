package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dw/app"
	"dw/config"
)

// history builds the warehouse once for all tests, which start from copies.
var history = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "dw-demo-history-")
	if err != nil {
		return "", err
	}
	day, err := newStoryDay()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "warehouse.db")
	w, err := openWarehouse(path, DefaultNames(), day)
	if err != nil {
		return "", err
	}
	if err := w.build(context.Background()); err != nil {
		return "", err
	}
	return path, w.Close()
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := history(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

func testHistory(t *testing.T) string {
	t.Helper()
	path, err := history()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func testEstate(t *testing.T, variant string) *estate {
	t.Helper()
	dir, unlock, err := prepareDir(filepath.Join(t.TempDir(), "demo"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unlock() })
	e, err := newEstate(t.Context(), dir, Options{Variant: variant, history: testHistory(t)}, DefaultNames())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func (e *estate) number(t *testing.T, query string) int {
	t.Helper()
	n, err := e.warehouse.count(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// hourOf counts the model's rows of an hour of the story's day.
func (e *estate) hourOf(t *testing.T, hour int) int {
	t.Helper()
	return e.number(t, fmt.Sprintf(`SELECT count(*) FROM "fct_ticket_orders" WHERE ordered_at >= '%s' AND ordered_at < '%s'`,
		e.day.at(hour, 0).UTC().Format(timeText), e.day.at(hour+1, 0).UTC().Format(timeText)))
}

func (e *estate) play(t *testing.T, hour, minute int) {
	t.Helper()
	if err := e.stream.advance(t.Context(), e.day.at(hour, minute)); err != nil {
		t.Fatal(err)
	}
}

func (e *estate) buildAt(t *testing.T, hour, minute int) {
	t.Helper()
	e.play(t, hour, minute)
	if err := e.builds.run(t.Context(), jobBuild); err != nil {
		t.Fatal(err)
	}
}

func TestHistoryOfAnOnSaleHour(t *testing.T) {
	t.Parallel()
	e := testEstate(t, variantNone)
	for week := 1; week <= weeksOfHistory; week++ {
		hour := e.day.at(11, 0).AddDate(0, 0, -7*week).UTC()
		total := e.number(t, fmt.Sprintf(`SELECT count(*) FROM "fct_ticket_orders" WHERE ordered_at >= '%s' AND ordered_at < '%s'`,
			hour.Format(timeText), hour.Add(3600e9).Format(timeText)))
		if total < 37_500 || total > 39_100 {
			t.Errorf("%d weeks ago the hour had %d rows, want about %d", week, total, onSaleRows)
		}
	}
}

func TestFiguresOfTheDay(t *testing.T) {
	t.Parallel()
	e := testEstate(t, variantDay)
	e.play(t, 10, 55)
	if err := e.repo.replaceRelay(t.Context(), e.day.at(10, 55)); err != nil {
		t.Fatal(err)
	}
	e.buildAt(t, 12, 5)
	eleven := e.hourOf(t, 11)
	if short := 100 * (onSaleRows - eleven) / onSaleRows; short < 30 || short > 31 {
		t.Errorf("the 11:00 hour has %d rows, %d %% short; want 31 %%", eleven, short)
	}
	e.play(t, 12, 35)
	if n := e.number(t, `SELECT count(*) FROM "checkout_events_dlq"`); n != deadRows {
		t.Errorf("%d dead-letter rows at 12:35, want %d", n, deadRows)
	}
	if n := e.number(t, harmQuery(e.names)); n != boxOfficeOrganizers {
		t.Errorf("%d organizers, want %d", n, boxOfficeOrganizers)
	}
	if n := e.number(t, `SELECT count(*) FROM "checkout_events_dlq" WHERE event_time < '2026-11-24 10:02:00' OR hex(substr(value, 1, 1)) = '00'`); n != 0 {
		t.Errorf("%d dead-letter rows before 11:02 or in the wire format", n)
	}
}

func TestRowsDoNotDependOnThePace(t *testing.T) {
	t.Parallel()
	slow, fast := testEstate(t, variantDay), testEstate(t, variantDay)
	for minute := range 36 {
		slow.play(t, 11, minute)
	}
	fast.play(t, 11, 35)
	sum := `SELECT sum(order_id * (amount_cents + organizer_id)) % 1000000007 FROM "checkout_events"`
	if a, b := slow.number(t, sum), fast.number(t, sum); a != b {
		t.Errorf("minute by minute %d, at once %d", a, b)
	}
}

func TestOtherVariantsLoseNothingToTheDeadLetter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		variant string
		least   int
		most    int
	}{{variantNone, 38_000, 38_400}, {variantDropApp, 28_000, 29_000}, {variantLate, 0, 0}} {
		t.Run(c.variant, func(t *testing.T) {
			t.Parallel()
			e := testEstate(t, c.variant)
			e.buildAt(t, 12, 5)
			if got := e.hourOf(t, 11); got < c.least || got > c.most {
				t.Errorf("the 11:00 hour has %d rows, want %d to %d", got, c.least, c.most)
			}
			if n := e.number(t, `SELECT count(*) FROM "checkout_events_dlq"`); n != 0 {
				t.Errorf("%d dead-letter rows", n)
			}
			e.buildAt(t, 14, 5)
			if got := e.hourOf(t, 13); c.variant == variantLate && got < 38_000 {
				t.Errorf("after the late load the 13:00 hour has %d rows", got)
			}
		})
	}
}

func TestBuildFailsItsTestsAndChangesNothing(t *testing.T) {
	t.Parallel()
	e := testEstate(t, variantNone)
	e.buildAt(t, 11, 5)
	before := e.hourOf(t, 10)
	if _, err := e.warehouse.db.ExecContext(t.Context(), `INSERT INTO "checkout_events" SELECT * FROM "checkout_events" LIMIT 1`); err != nil {
		t.Fatal(err)
	}
	err := e.builds.run(t.Context(), jobBuild)
	if err == nil || !strings.Contains(err.Error(), "unique order_id") {
		t.Errorf("error = %v", err)
	}
	if got := e.hourOf(t, 10); got != before {
		t.Errorf("%d rows after the failed build, before %d", got, before)
	}
}

func TestForeignFolderIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	precious := filepath.Join(dir, "warehouse.db")
	if err := os.WriteFile(precious, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := prepareDir(dir); err == nil || !strings.Contains(err.Error(), "no demo made it") {
		t.Errorf("error = %v", err)
	}
	if content, err := os.ReadFile(precious); err != nil || string(content) != "mine" {
		t.Errorf("the file is %q, %v", content, err)
	}
}

// TestOneDemoInAFolder: a second demo does not destroy the estate of one that
// runs, and may have the folder when that has ended.
func TestOneDemoInAFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	_, unlock, err := prepareDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	estate := filepath.Join(dir, "warehouse.db")
	if err := os.WriteFile(estate, []byte("rows"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := prepareDir(dir); err == nil || !strings.Contains(err.Error(), "another demo runs in "+dir) {
		t.Errorf("a second demo: %v", err)
	}
	if content, err := os.ReadFile(estate); err != nil || string(content) != "rows" {
		t.Errorf("the first demo's estate is %q, %v", content, err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	_, unlock, err = prepareDir(dir)
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

func TestConfigurationIsAccepted(t *testing.T) {
	t.Parallel()
	e := testEstate(t, variantDay)
	if err := e.configure(addresses{slack: "http://127.0.0.1:1/api/", dagster: "http://127.0.0.1:2", pager: "http://127.0.0.1:3", tracker: "http://127.0.0.1:4"}); err != nil {
		t.Fatal(err)
	}
	if err := (app.StoryTime{Story: e.day.at(10, 30)}).Write(e.path("clock.json")); err != nil {
		t.Fatal(err)
	}
	p, err := app.LoadProject(e.path("config.yaml"), config.OS(), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	e.buildAt(t, 11, 5)
	results, err := p.RunChecks(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		t.Log(r.Check, r.Status, r.Message, r.Problem, r.Took)
	}
}

// recovered is the model as a merged recovery leaves it.
const recovered = `with dw_model as (
select order_id, channel, device, amount_cents, organizer_id, event_time as ordered_at from {{ source('stream', 'checkout_events') }}
),
dw_dead_letter as (
    select cast(json_extract(cast(value as text), '$.order_id') as integer) as order_id, json_extract(cast(value as text), '$.channel') as channel,
        json_extract(cast(value as text), '$.device') as device, json_extract(cast(value as text), '$.amount_cents') as amount_cents,
        json_extract(cast(value as text), '$.organizer_id') as organizer_id, json_extract(cast(value as text), '$.event_time') as ordered_at
    from {{ source('stream', 'checkout_events_dlq') }}
),
dw_recovered as (
    select *, row_number() over (partition by order_id order by order_id) as dw_copy from dw_dead_letter
)
select order_id, channel, device, amount_cents, organizer_id, ordered_at from dw_model
union all
select order_id, channel, device, amount_cents, organizer_id, ordered_at from dw_recovered
where dw_copy = 1 and not exists (select 1 from dw_model where dw_model.order_id = dw_recovered.order_id)
`

func TestRecoveryNeedsItsDedupe(t *testing.T) {
	t.Parallel()
	e := testEstate(t, variantDay)
	if err := e.repo.replaceRelay(t.Context(), e.day.at(10, 55)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(e.repo.model(), []byte(recovered), 0o600); err != nil {
		t.Fatal(err)
	}
	e.buildAt(t, 13, 5)
	if got := e.hourOf(t, 11); got < onSaleRows*99/100 || got > onSaleRows*101/100 {
		t.Errorf("the 11:00 hour has %d rows after the recovery, want about %d", got, onSaleRows)
	}
	if err := os.WriteFile(e.repo.model(), []byte(strings.Replace(recovered, "dw_copy = 1 and ", "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.builds.run(t.Context(), jobBuild); err == nil || !strings.Contains(err.Error(), "unique order_id") {
		t.Errorf("a recovery without its dedupe builds: %v", err)
	}
}
