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
	for _, verb := range []string{"explain", "blast", "trace"} {
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
	dw(t, dir, "blast", "soil").want(t, 0, "harvest", "\n  harvest (explore) reads it at ", "looker://harvest")
	dw(t, dir, "explain", "soil", "--manifest", "config.yaml").want(t, 2, "manifest")
	dw(t, dir, "explain", "soil", "--manifest", "gone.json").want(t, 2, "gone.json")
	dw(t, dir, "explain", "soil", "-c", "gone.yaml").want(t, 2, "gone.yaml")
}

// TestTrace: both directions, or one, to a depth.
func TestTrace(t *testing.T) {
	t.Parallel()
	dir := farm(t)
	dw(t, dir, "trace", "soil").want(t, 0, "fed by: 1\n  dbt://farm/source.farm.raw.probes  (dbt manifest, ", "feeds: 1\n  looker://harvest  (config)")
	if up := dw(t, dir, "trace", "harvest", "--up", "--depth", "1"); up.code != 0 || up.stdout != "fed by: 1\n  dbt://farm/model.farm.soil  (config)\n" {
		t.Errorf("up one edge: %+v", up)
	}
	if down := dw(t, dir, "trace", "raw.probes", "--down"); down.code != 0 || strings.Contains(down.stdout, "fed by") || !strings.Contains(down.stdout, "feeds: 2") {
		t.Errorf("down: %+v", down)
	}
	dw(t, dir, "trace", "soil", "--depth", "-1").want(t, 2, "--depth")
}

// TestCatalog: a catalog beside the manifest adds columns and rows, with its own
// source; a broken one, or one alone, is no answer.
func TestCatalog(t *testing.T) {
	t.Parallel()
	dir := farm(t)
	write(t, dir, "catalog.json", `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/catalog/v1.json", "generated_at": "2026-06-10T03:00:00Z"},
		"nodes": {"model.farm.soil": {"columns": {"probe": {"name": "probe", "type": "text", "index": 1}}, "stats": {"row_count": {"value": 4711}}}}, "sources": {}}`)
	write(t, dir, "broken.json", `{"metadata": {`)
	dw(t, dir, "explain", "soil", "--manifest", "manifest.json", "--catalog", "catalog.json").want(t, 0, "probe text", "4711", "(dbt catalog, ")
	dw(t, dir, "explain", "soil", "--manifest", "manifest.json", "--catalog", "broken.json").want(t, 2, "broken.json", "truncated")
	dw(t, dir, "explain", "soil", "--manifest", "manifest.json", "--catalog", "gone.json").want(t, 2, "gone.json", "cannot be read")
	dw(t, dir, "explain", "soil", "--catalog", "catalog.json").want(t, 2, "--catalog needs the --manifest")
	configured := farm(t, "path: manifest.json, domain", "path: manifest.json, catalog: catalog.json, domain")
	dw(t, configured, "explain", "soil").want(t, 2, "lineage.manifests[0].catalog: cannot be read")
	write(t, configured, "catalog.json", readFile(t, dir, "catalog.json"))
	dw(t, configured, "explain", "soil").want(t, 0, "probe text", "(dbt catalog, ")
}

func readFile(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPublicProject: the program answers about public artifacts as they are
// published, compressed, without a configuration.
func TestPublicProject(t *testing.T) {
	t.Parallel()
	root := os.Getenv("DW_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	folder, err := filepath.Abs(filepath.Join(root, "fixtures", "dbt", "colibri"))
	if err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(folder, "redshift_manifest.json.gz")
	if _, err := os.Stat(manifest); err != nil && os.Getenv("CI") != "true" {
		t.Skipf("no public dbt artifacts: set DW_SHARED (%v)", err)
	}
	from := []string{"--manifest", manifest, "--catalog", filepath.Join(folder, "redshift_catalog.json")}
	ask := func(words ...string) ended { return dw(t, t.TempDir(), append(words, from...)...) }
	ask("explain", "orders").want(t, 0, "order_total numeric(20,6)", "(dbt catalog, ", "fed by")
	ask("blast", "raw_orders").want(t, 0, "raw_orders -> ", "\n  orders (model) ")
	ask("trace", "customers", "--up").want(t, 0, "dbt://jaffle_shop/source.jaffle_shop.ecom.raw_orders")
	for _, verb := range []string{"explain", "blast", "trace"} {
		ask(verb, "ordres").want(t, 3, "ordres", "orders")
	}
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
