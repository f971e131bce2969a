package app_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the warehouse's driver

	"dw/app"
	"dw/internal/fakes/dagster"
	"dw/slackdev"
)

// The estate of these tests is a power grid: meters in three regions send
// readings through a topic into a table, and a nightly job bills them. From
// 10:00 on the readings of the north are rejected.
const (
	team       = "T0GRID"
	botToken   = "xoxb-canary-bot-7f3a91"
	appToken   = "xapp-canary-app-51c2de"
	vendorKey  = "canary-vendor-8b20"
	intakeKey  = "canary-intake-0d9e4417"
	owner      = "U0OWNER"
	deputy     = "U0DEPUTY"
	escalation = "U0ESCAL"
	copied     = "U0CC"
	outsider   = "U0OUT"
	guest      = "U0GUEST"
	stranger   = "U0STRANGER"
	robot      = "U0ROBOT"
	channel    = "C0GRID"
	spare      = "C0SPARE"
)

// storyStart is a Wednesday; the fault began an hour and a half before.
var storyStart = time.Date(2026, 6, 10, 11, 12, 0, 0, time.UTC)

// estate is the grid in a folder, with a workspace and an orchestrator.
type estate struct {
	dir     string
	slack   *slackdev.Server
	dagster *dagster.Server
	clock   *clock
	runs    atomic.Int64 // of the build job
	dsn     string       // of dw's database; empty: dw.db in the folder

	// each is how many connections to Slack each of several processes has, which
	// then get envelopes in turn; 0 leaves the choice to chance.
	each, turn atomic.Int64
}

// database names dw's own database.
func (e *estate) database() string {
	if e.dsn != "" {
		return e.dsn
	}
	return e.path("dw.db")
}

// pick chooses which of n connections gets an envelope. Those of one process were
// opened one after the other.
func (e *estate) pick(n int) int {
	each := int(e.each.Load())
	if each == 0 {
		return rand.IntN(n)
	}
	return int(e.turn.Add(1)) * each % n
}

// clock is a clock file that the test moves.
type clock struct {
	path string
	mu   sync.Mutex
	now  time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(t testing.TB, at time.Time) {
	t.Helper()
	c.mu.Lock()
	c.now = at
	c.mu.Unlock()
	if err := (app.StoryTime{Story: at, Real: time.Unix(0, 0)}).Write(c.path); err != nil {
		t.Fatal(err)
	}
}

// newEstate builds the grid; edits change the configuration.
func newEstate(t testing.TB, edits ...func(string) string) *estate {
	t.Helper()
	e := &estate{dir: t.TempDir()}
	e.clock = &clock{path: e.path("clock.json")}
	e.clock.set(t, storyStart)
	copyFile(t, warehouseFile(t), e.path("warehouse.db"))
	e.write(t, "project/models/fct_readings.sql", modelFile)
	e.write(t, "project/relay.yaml", relayFile)
	e.write(t, "project/manifest.json", manifestFile)
	e.write(t, "keys/README", "the signing key is made here\n")
	e.git(t)
	e.startSlack(t)
	url := e.startDagster(t)
	text := strings.NewReplacer("{api_url}", e.slack.APIURL(), "{bot_token}", botToken, "{app_token}", appToken,
		"{dagster_url}", url, "{vendor_key}", vendorKey, "{intake_key}", intakeKey).Replace(configFile)
	for _, edit := range edits {
		text = edit(text)
	}
	e.write(t, "config.yaml", text)
	return e
}

func (e *estate) path(name string) string { return filepath.Join(e.dir, filepath.FromSlash(name)) }

func (e *estate) write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(e.path(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(e.path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (e *estate) read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(e.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// git commits the project as its team would.
func (e *estate) git(t testing.TB) {
	t.Helper()
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "."},
		{"-c", "user.name=grid", "-c", "user.email=grid@example.com", "commit", "-q", "-m", "deployed"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = e.path("project")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// applyDiff does what a step's diff asks of its owner.
func (e *estate) applyDiff(t testing.TB, diff string) {
	t.Helper()
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir, cmd.Stdin = e.path("project"), strings.NewReader(diff)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, diff)
	}
}

func workspace() slackdev.Workspace {
	return slackdev.Workspace{
		TeamID: team, Domain: "grid", BotToken: botToken, AppToken: appToken, BotUserID: "U0DW", BotID: "B0DW", AppID: "A0DW",
		Users: []slackdev.User{
			{ID: owner, Name: "olga", RealName: "Olga Owner", Email: "olga@grid.example"},
			{ID: deputy, Name: "dan", RealName: "Dan Deputy", Email: "dan@grid.example"},
			{ID: escalation, Name: "esra", RealName: "Esra Third", Email: "esra@grid.example"},
			{ID: copied, Name: "cleo", RealName: "Cleo Copied"},
			{ID: outsider, Name: "otto", RealName: "Otto Outside"},
			{ID: guest, Name: "gus", RealName: "Gus Guest", Email: "gus@grid.example", UltraRestricted: true},
			{ID: stranger, Name: "fay", RealName: "Fay Foreign", TeamID: "T0OTHER", Stranger: true},
			{ID: "U0LEFT", Name: "lena", RealName: "Lena Left", Deleted: true},
			{ID: robot, Name: "robot", RealName: "Robot", Bot: true},
		},
		Channels: []slackdev.Channel{
			{ID: channel, Name: "grid-data", Members: []string{"U0DW", owner, deputy, escalation, copied, outsider, guest, stranger, robot}},
			{ID: spare, Name: "spare", Members: []string{"U0DW", owner}},
		},
		Groups: []slackdev.Group{
			{ID: "S0LEADS", Handle: "leads", Name: "Leads", Users: []string{owner, outsider, guest, robot}},
			{ID: "S0OLGA", Handle: "olga", Name: "Olga", Users: []string{owner}},
			{ID: "S0EMPTY", Handle: "nobody", Name: "Nobody"},
		},
	}
}

func (e *estate) startSlack(t testing.TB) {
	t.Helper()
	server, err := slackdev.New(slackdev.Options{Workspace: workspace(), Now: e.clock.Now, Unlimited: true, AckTimeout: 5 * time.Second, Pick: e.pick})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	e.slack = server
	t.Cleanup(func() { _ = server.Close() })
}

func (e *estate) startDagster(t testing.TB) string {
	t.Helper()
	var ids atomic.Int64
	server, err := dagster.New(dagster.Options{
		Location: "grid", Repository: "__repository__", Jobs: []string{"build_readings", "bill_meters"}, Token: vendorKey,
		Schedules: []dagster.Schedule{{Name: "nightly_bill", Job: "bill_meters", Cron: "0 2 * * *", Running: true}},
		Runner:    e.runJob, Now: e.clock.Now,
		NewID: func() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", ids.Add(1)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	e.dagster = server
	listener := httptest.NewServer(server)
	t.Cleanup(func() {
		server.Close()
		listener.CloseClientConnections()
		listener.Close()
	})
	return listener.URL
}

// runJob does what the jobs of the grid do: the build adds the rejected rows
// once its model says so.
func (e *estate) runJob(ctx context.Context, job string) error {
	if job != "build_readings" {
		return nil
	}
	e.runs.Add(1)
	model, err := os.ReadFile(e.path("project/models/fct_readings.sql"))
	if err != nil || !strings.Contains(string(model), "dw_recovered") {
		return err
	}
	return e.exec(ctx, `INSERT INTO fct_readings SELECT json_extract(value, '$.reading_id'), json_extract(value, '$.region'),
		json_extract(value, '$.kwh'), json_extract(value, '$.read_at') FROM readings_rejected
		WHERE json_extract(value, '$.reading_id') NOT IN (SELECT reading_id FROM fct_readings)`)
}

func (e *estate) exec(ctx context.Context, statement string) error {
	db, err := sql.Open("sqlite", "file:"+e.path("warehouse.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // the statement's error tells
	_, err = db.ExecContext(ctx, statement)
	return err
}

// warehouse runs a statement on the warehouse, as its loaders do.
func (e *estate) warehouse(t testing.TB, statement string) {
	t.Helper()
	if err := e.exec(context.Background(), statement); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// built is the warehouse that every estate gets a copy of, and the program.
var built struct { //nolint:gochecknoglobals // built once for all tests, removed by TestMain
	once sync.Once
	path string
	err  error

	programOnce sync.Once
	program     string // the built program, beside the warehouse
	programErr  error
}

func warehouseFile(t testing.TB) string {
	t.Helper()
	built.once.Do(func() { built.path, built.err = buildWarehouse() })
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// buildWarehouse makes eight weeks of hours, sixty readings a region from 8 to 16
// and six in the others, and the hours to come of the last day. From its 10:00 on
// the north's are gone, in the dead letter up to 11:10.
func buildWarehouse() (string, error) {
	dir, err := os.MkdirTemp("", "dw-app-test")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "warehouse.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(OFF)&_pragma=synchronous(0)")
	if err != nil {
		return "", err
	}
	defer db.Close() //nolint:errcheck // the statements' errors tell
	first := storyStart.Truncate(24*time.Hour).AddDate(0, 0, -57)
	minutes := int(storyStart.Truncate(24*time.Hour).AddDate(0, 0, 1).Sub(first).Minutes())
	for _, statement := range []string{
		`CREATE TABLE fct_readings (reading_id INTEGER, region TEXT, kwh REAL, read_at TEXT)`,
		`CREATE TABLE readings_rejected (event_time TEXT, reading_id INTEGER, value BLOB)`,
		fmt.Sprintf(`WITH RECURSIVE m(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM m WHERE n + 1 < %d),
			r(k, region) AS (VALUES (0, 'north'), (1, 'south'), (2, 'west'))
			INSERT INTO fct_readings SELECT n * 3 + k, region, 1.5, datetime('%s', '+' || n || ' minutes') FROM m, r
			WHERE n / 60 %% 24 BETWEEN 8 AND 15 OR n %% 10 = 0`,
			minutes, first.Format(time.DateTime)),
		`INSERT INTO readings_rejected SELECT read_at, reading_id, CAST(json_object('reading_id', reading_id, 'region', region, 'kwh', kwh, 'read_at', read_at) AS BLOB)
			FROM fct_readings WHERE region = 'north' AND read_at >= '2026-06-10 10:00:00'  AND read_at < '2026-06-10 11:10:00'`,
		`DELETE FROM fct_readings WHERE region = 'north' AND read_at >= '2026-06-10 10:00:00'`,
	} {
		if _, err := db.Exec(statement); err != nil {
			return "", fmt.Errorf("build the warehouse: %w: %s", err, statement)
		}
	}
	return path, nil
}
