package main_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSignalImport: the file reaches the running dw with the source's token, and
// what is wrong is said with an exit code.
func TestSignalImport(t *testing.T) {
	t.Parallel()
	var sent string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/intake/signals/dbt-prod" || r.Header.Get("Authorization") != "Bearer token-of-sixteen-and-more" {
			http.Error(w, `{"error":"not let in"}`, http.StatusUnauthorized)
			return
		}
		body := make([]byte, 100)
		n, _ := r.Body.Read(body)
		sent = string(body[:n])
		_, _ = w.Write([]byte(`{"recorded":2,"known":1,"old":0,"unknown":[{"check":"a","named":["b"],"problem":"unknown asset \"b\""}]}`))
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	example, err := os.ReadFile(filepath.Join("..", "..", "config.example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "config.yaml", string(example)+"\nsignals:\n  sources:\n    - {name: dbt-prod, tool: dbt, domain: shop, tokens: [token-of-sixteen-and-more]}\n")
	write(t, dir, "target/manifest.json", strings.ReplaceAll(farmManifest, "farm", "shop"))
	write(t, dir, "warehouse.db", "")
	write(t, dir, "run_results.json", `{"results":[]}`)
	dw(t, dir, "signal", "import", "--source", "dbt-prod", "--url", server.URL, "run_results.json").want(t, 3,
		"2 recorded, 1 known before", `unknown asset: a: unknown asset "b"`)
	if sent != `{"results":[]}` {
		t.Errorf("sent %q", sent)
	}
	dw(t, dir, "signal", "import", "--source", "dbt", "--url", server.URL, "run_results.json").want(t, 2, `no source "dbt"`, "dbt-prod")
	dw(t, dir, "signal", "import", "--source", "dbt-prod", "--url", server.URL, "gone.json").want(t, 2, "gone.json")
	dw(t, dir, "signal", "import", "--source", "dbt-prod", "--url", server.URL+"/elsewhere", "run_results.json").want(t, 2, "dw answers 401: not let in")
	dw(t, dir, "signal", "import", "run_results.json").want(t, 2, "source")
}
