package main_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the warehouse's driver

	"dw/slackdev"
)

// binary is the program under test, built once from this tree.
var binary string //nolint:gochecknoglobals // set by TestMain only

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "dw-binary")
	if err == nil {
		binary = filepath.Join(dir, "dw")
		build := exec.Command("go", "build", "-o", binary, ".")
		build.Stderr = os.Stderr
		err = build.Run()
	}
	if err != nil {
		_, _ = os.Stderr.WriteString("build the program: " + err.Error() + "\n")
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// ended is how one run of the program ended.
type ended struct {
	code           int
	stdout, stderr string
}

// dw runs the program in dir to its end.
func dw(t *testing.T, dir string, args ...string) ended {
	t.Helper()
	return dwWith(t, dir, []string{"SLACK_BOT_TOKEN=xoxb-example", "SLACK_APP_TOKEN=xapp-example"}, args...)
}

// dwWith runs the program as dw does, with these variables besides the test's own.
func dwWith(t *testing.T, dir string, env []string, args ...string) ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("dw %v: %v, %v", args, err, ctx.Err())
	}
	return ended{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// want fails unless the program ended with a code and said words.
func (e ended) want(t *testing.T, code int, words ...string) {
	t.Helper()
	if e.code != code {
		t.Errorf("exit code %d, want %d\n%s%s", e.code, code, e.stdout, e.stderr)
	}
	for _, word := range words {
		if !strings.Contains(e.stdout+e.stderr, word) {
			t.Errorf("it does not say %q:\n%s%s", word, e.stdout, e.stderr)
		}
	}
}

// farmConfig is a farm whose sensors write one table. Its checks pass, fail or
// cannot be asked, as their names say.
const farmConfig = `instance: farm-test
timezone: UTC
slack: {api_url: "http://127.0.0.1:1/api/", bot_token: xoxb-farm-bot, app_token: xapp-farm-app}
store: {dsn: dw.db}
receipts: {key_file: receipts.key, checkpoint_every: 1}
server: {listen: "127.0.0.1:0"}
jobs: {tick: 0.1, poll: 0.1, timeout: 5, rescue_after: 6}
connections:
  farm: {kind: sqlite, path: farm.db}
people:
  fern: {slack: U0FERN}
domains:
  farm: {owner: fern, channel: C0FARM, level: L1}
lineage:
  manifests:
    - {path: manifest.json, domain: farm}
  assets:
    - id: looker://harvest
      kind: explore
      name: harvest
      domain: farm
      fed_by: ["dbt://farm/model.farm.soil"]
      sla: "07:00"
checks:
  - {name: passes, kind: row_count, asset: soil, connection: farm, table: soil, threshold: "> 0", schedule: "@every 1h"}
  - {name: passes too, kind: unique, asset: soil, connection: farm, table: soil, columns: [probe], schedule: "@every 1h"}
  - {name: fails, kind: row_count, asset: soil, connection: farm, table: soil, threshold: "> 100", schedule: "@every 1h"}
  - {name: cannot be asked, kind: row_count, asset: soil, connection: farm, table: soyl, threshold: "> 0", schedule: "@every 1h"}
`

const farmManifest = `{
  "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "generated_at": "2026-06-10T03:00:00Z", "project_name": "farm"},
  "nodes": {"model.farm.soil": {"unique_id": "model.farm.soil", "resource_type": "model", "name": "soil", "package_name": "farm",
    "original_file_path": "models/soil.sql", "relation_name": "\"main\".\"soil\"", "columns": {}, "depends_on": {"nodes": ["source.farm.raw.probes"]}}},
  "sources": {"source.farm.raw.probes": {"unique_id": "source.farm.raw.probes", "resource_type": "source", "name": "probes", "source_name": "raw",
    "package_name": "farm", "identifier": "probes", "relation_name": "\"main\".\"probes\""}},
  "exposures": {}, "parent_map": {}, "child_map": {}
}
`

// farm makes the farm's folder; edits are pairs of old and new text.
func farm(t *testing.T, edits ...string) string {
	t.Helper()
	dir := t.TempDir()
	database(t, filepath.Join(dir, "farm.db"),
		"CREATE TABLE soil (probe INTEGER, wet REAL)", "INSERT INTO soil VALUES (1, 0.4), (2, 0.5), (3, 0.1)")
	write(t, dir, "manifest.json", farmManifest)
	write(t, dir, "config.yaml", strings.NewReplacer(edits...).Replace(farmConfig))
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// database runs statements on a SQLite file.
func database(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the statements' errors tell
	for _, statement := range statements {
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// farmWorkspace is the farm's team.
func farmWorkspace() slackdev.Workspace {
	return slackdev.Workspace{
		TeamID: "T0FARM", Domain: "farm", BotToken: "xoxb-farm-bot", AppToken: "xapp-farm-app", BotUserID: "U0DW", BotID: "B0DW", AppID: "A0DW",
		Users:    []slackdev.User{{ID: "U0FERN", Name: "fern", RealName: "Fern Field", Email: "fern@farm.example"}},
		Channels: []slackdev.Channel{{ID: "C0FARM", Name: "farm", Members: []string{"U0DW", "U0FERN"}}},
	}
}

// farmSlack starts the farm's workspace.
func farmSlack(t *testing.T) *slackdev.Server {
	t.Helper()
	server, err := slackdev.New(slackdev.Options{Unlimited: true, Workspace: farmWorkspace()})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}
