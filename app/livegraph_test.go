package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"dw/app"
	"dw/internal/testpg"
)

const graphKey = "canary-graph-77a1c04e"

// lineageEvent says that a job reads one table and writes another.
func lineageEvent(from, to string) string {
	return `{"eventType":"COMPLETE","eventTime":"2026-06-10T10:00:00Z","run":{"runId":"r"},"job":{"namespace":"spark","name":"tariffs"},
		"inputs":[{"namespace":"hive://lake:9083","name":"` + from + `"}],"outputs":[{"namespace":"hive://lake:9083","name":"` + to + `"}]}`
}

// postEvent sends to /intake/openlineage and returns the status and the answer.
func (r *rig) postEvent(token, body string) (int, string) {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, "http://"+r.address+"/intake/openlineage", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	return call(r.t, request)
}

// TestLiveGraph: what events and files state is in the graph that people ask,
// while dw runs and after its restart; a file that has become bad changes
// nothing.
func TestLiveGraph(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "run.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	write(lineageEvent("grid.from_file", "grid.prices"))
	r := start(t, func(config string) string {
		return strings.Replace(config, "\nlineage:\n", "\nlineage:\n  refresh: 50ms\n  tokens: ["+graphKey+
			"]\n  sources: [{kind: openlineage, path: "+folder+"}]\n", 1)
	})
	if status, body := r.postEvent(intakeKey, lineageEvent("grid.a", "grid.b")); status != http.StatusUnauthorized {
		t.Errorf("with another's token: %d %s", status, body)
	}
	if status, body := r.postEvent(graphKey, lineageEvent("grid.tariff", "grid.prices")); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	if status, body := r.postEvent(graphKey, `{"job":{}}`); status != http.StatusBadRequest || !strings.Contains(body, "job.namespace is missing") {
		t.Errorf("a bad event: %d %s", status, body)
	}
	r.askUntil(outsider, "blast grid.tariff", "prices")
	write(lineageEvent("grid.later", "grid.prices"))
	r.askUntil(outsider, "blast grid.later", "prices")
	write("{")
	for until := time.Now().Add(patience); !strings.Contains(r.log.String(), "the one before stays"); r.ask(outsider, "help") {
		if time.Now().After(until) {
			t.Fatal("a bad file is not in the log")
		}
	}
	r.askUntil(outsider, "blast grid.later", "prices")
	write(lineageEvent("grid.later", "grid.prices"))
	r.stop()
	r.run(app.Options{})
	r.askUntil(outsider, "blast grid.tariff", "prices")
}

// TestCatalogue: the tables and views of a warehouse are in the graph that people
// ask, without a manifest; a warehouse that is away is in the log, and the graph
// stands.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	server := testpg.Start(t)
	dsn := server.Database(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "CREATE TABLE meters (id int, kwh numeric); CREATE VIEW usage_by_meter AS SELECT id, sum(kwh) AS kwh FROM meters GROUP BY id"); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := start(t, func(config string) string {
		config = strings.Replace(config, "\nlineage:\n", "\nlineage:\n  catalogues: [{connection: server, domain: grid}, {connection: away}]\n", 1)
		return strings.Replace(config, "\nconnections:\n", "\nconnections:\n  server: {kind: postgres, dsn: \""+dsn+"\"}\n  away: {kind: postgres, dsn: \"postgres://nobody@127.0.0.1:1/gone?connect_timeout=1\"}\n", 1)
	})
	r.askUntil(outsider, "trace meters", "usage_by_meter")
	r.askUntil(outsider, "explain usage_by_meter", "catalogue of server")
	for until := time.Now().Add(patience); !strings.Contains(r.log.String(), "catalogue could not be read"); r.ask(outsider, "help") {
		if time.Now().After(until) {
			t.Fatal("a warehouse that is away is not in the log")
		}
	}
}
