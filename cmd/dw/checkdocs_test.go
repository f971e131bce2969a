package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"dw/checks"
)

// TestCheckExamples runs every example of docs/checks.md: each kind has one, the
// configuration takes it, and it passes on tables that are right.
func TestCheckExamples(t *testing.T) {
	t.Parallel()
	dir := exampleShop(t)
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "checks.md"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join("..", "..", "config.example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(example), "\nchecks:\n")
	config := before + "\nchecks:\n"
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(doc), -1) {
		config += regexp.MustCompile("(?m)^").ReplaceAllString(strings.TrimSpace(block[1]), "  ") + "\n"
	}
	write(t, dir, "config.yaml", config)
	ran := dw(t, dir, "check", "run", "--json")
	var results []checks.Result
	if err := json.Unmarshal([]byte(ran.stdout), &results); err != nil {
		t.Fatalf("%v\n%s%s", err, ran.stdout, ran.stderr)
	}
	seen := map[string]checks.Status{}
	for _, r := range results {
		seen[r.Kind] = r.Status
		if r.Status != checks.Pass && r.Kind != checks.KindSchema {
			t.Errorf("%s: %s: %s %s", r.Check, r.Status, r.Message, r.Problem)
		}
	}
	if seen[checks.KindSchema] != checks.Learning {
		t.Errorf("schema: %s, want it to learn", seen[checks.KindSchema])
	}
	for _, kind := range checks.Kinds() {
		if _, found := seen[kind]; !found {
			t.Errorf("docs/checks.md has no example of %s", kind)
		}
	}
	if strings.Contains(ran.stdout, "0001-01-01") {
		t.Errorf("a time that is not known is printed:\n%s", ran.stdout)
	}
}

// exampleShop makes the files that the example configuration names, with nine
// weeks of hourly orders up to now.
func exampleShop(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "target/manifest.json", strings.ReplaceAll(farmManifest, "farm", "shop"))
	hour := time.Now().UTC().Truncate(time.Hour)
	fill := fmt.Sprintf(`WITH RECURSIVE h (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM h WHERE n < %d),
		k (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 19)
		INSERT INTO raw_orders SELECT n * 20 + i, 1 + i %% 2, 'paid', 10 + i, CASE WHEN i < 12 THEN 'web' ELSE 'app' END,
			strftime('%%Y-%%m-%%d %%H:%%M:%%S', %d - n * 3600 + i * 180, 'unixepoch') FROM h, k`, 9*7*24, hour.Add(-time.Hour).Unix())
	database(t, filepath.Join(dir, "warehouse.db"),
		"CREATE TABLE customers (id INTEGER)", "INSERT INTO customers VALUES (1), (2)",
		"CREATE TABLE raw_orders (order_id INTEGER, customer_id INTEGER, status TEXT, amount NUMERIC, channel TEXT, created_at TEXT)",
		fill, "CREATE TABLE orders AS SELECT * FROM raw_orders", "CREATE TABLE raw_orders_dlq (event_time TEXT, value TEXT)")
	return dir
}
