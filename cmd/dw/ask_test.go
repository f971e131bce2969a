package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckRun: the exit code tells passed from failed from could not be asked,
// and what could not be asked weighs most.
func TestCheckRun(t *testing.T) {
	t.Parallel()
	dir := farm(t)
	for name, tc := range map[string]struct {
		checks []string
		code   int
		says   string
	}{
		"all passed":         {[]string{"passes", "passes too"}, 0, "pass"},
		"some failed":        {[]string{"passes", "fails"}, 1, "3 rows"},
		"could not be asked": {[]string{"cannot be asked"}, 2, "soyl"},
		"everything":         {nil, 2, "soyl"},
		"unknown name":       {[]string{"pases"}, 2, "passes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dw(t, dir, append([]string{"check", "run"}, tc.checks...)...).want(t, tc.code, tc.says)
			if name == "unknown name" {
				return
			}
			asJSON := dw(t, dir, append([]string{"check", "run", "--json", "-c", filepath.Join(dir, "config.yaml")}, tc.checks...)...)
			asJSON.want(t, tc.code, tc.says)
			var results []struct{ Check, Status string }
			if err := json.Unmarshal([]byte(asJSON.stdout), &results); err != nil || len(results) == 0 || results[0].Status == "" {
				t.Errorf("--json: %v\n%s", err, asJSON.stdout)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "dw.db")); err == nil {
		t.Error("check run made a database, though it records nothing")
	}
	dw(t, dir, "check", "run", "-c", "gone.yaml").want(t, 2, "gone.yaml", "cannot be read")
	broken := farm(t)
	write(t, broken, "farm.db", strings.Repeat("this is no database ", 100))
	dw(t, broken, "check", "run", "passes").want(t, 2, "farm", "not a database")
}

// TestWrongCommandLine: a mistyped flag or command never looks like a failed check
// or a changed receipt.
func TestWrongCommandLine(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"check", "run", "--jsn"},
		{"receipts", "verify", "--kye", "x"},
		{"receipts", "export"},
		{"explain"},
		{"dance"},
		{"blast", "soil", "-c", "config.yaml", "--manifest", "manifest.json"},
		{"receipts", "verify", "-c", "config.yaml", "--db", "dw.db"},
	} {
		dw(t, t.TempDir(), args...).want(t, 2, "dw: ")
	}
}

// TestExplainAndBlast: both answer from a configuration or from a bare manifest,
// as text or JSON, and an unknown asset is exit code 3 with near names.
func TestExplainAndBlast(t *testing.T) {
	t.Parallel()
	dir := farm(t)
	for _, verb := range []string{"explain", "blast"} {
		for _, from := range [][]string{{"-c", "config.yaml"}, {"--manifest", "manifest.json"}} {
			t.Run(verb+" "+from[0], func(t *testing.T) {
				t.Parallel()
				dw(t, dir, append([]string{verb, "soil"}, from...)...).want(t, 0)
				asJSON := dw(t, dir, append([]string{verb, "soil", "--json"}, from...)...)
				asJSON.want(t, 0, "model.farm.soil")
				if !json.Valid([]byte(asJSON.stdout)) {
					t.Errorf("--json is no JSON: %s", asJSON.stdout)
				}
				unknown := dw(t, dir, append([]string{verb, "soyl"}, from...)...)
				unknown.want(t, 3, "soyl", "soil")
				if unknown.stdout != "" {
					t.Errorf("an error stands on standard output: %s", unknown.stdout)
				}
			})
		}
	}
	dw(t, dir, "blast", "soil").want(t, 0, "harvest")
	dw(t, dir, "explain", "soil", "--manifest", "config.yaml").want(t, 2, "manifest")
	dw(t, dir, "explain", "soil", "--manifest", "gone.json").want(t, 2, "gone.json")
	dw(t, dir, "explain", "soil", "-c", "gone.yaml").want(t, 2, "gone.yaml")
}

// TestConfigCheck: a good file is 0; a wrong one is 2 with every problem's line
// and column.
func TestConfigCheck(t *testing.T) {
	t.Parallel()
	good := farm(t)
	dw(t, good, "config", "check", "config.yaml").want(t, 0, "good: 4 checks, 1 domains")
	wrong := farm(t, "channel: C0FARM", "chanel: C0FARM", "kind: unique", "kind: uniqe", "bot_token: xoxb-farm-bot, ", "")
	dw(t, wrong, "config", "check", "config.yaml").want(t, 2,
		"config.yaml:13:23 domains.farm.chanel: unknown key", "domains.farm.channel: is missing", "checks[1].kind", "slack.bot_token: is missing")
	dw(t, good, "config", "check", "gone.yaml").want(t, 2, "gone.yaml", "cannot be read")
}

// TestExampleConfig: the file that newcomers copy is good as it stands, where the
// files that it names exist.
func TestExampleConfig(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile(filepath.Join("..", "..", "config.example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, "config.yaml", string(example))
	write(t, dir, "target/manifest.json", strings.ReplaceAll(farmManifest, "farm", "shop"))
	write(t, dir, "warehouse.db", "")
	dw(t, dir, "config", "check", "config.yaml").want(t, 0, "good: 14 checks, 1 domains")
	dw(t, dir, "blast", "raw_orders").want(t, 0, "settle_invoices")
}
