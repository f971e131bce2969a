package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dw/config"
	"dw/lineage"
	"dw/lineage/columns"
)

// TestColumnsOfAnOlderManifest: what was read out of SQL goes into the graph; of a
// manifest that has changed since, what still fits does, and nothing else stops.
func TestColumnsOfAnOlderManifest(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "manifest.json")
	write := func(models ...string) {
		t.Helper()
		var nodes []string
		for _, m := range models {
			nodes = append(nodes, `"model.p.`+m+`": {"unique_id": "model.p.`+m+`", "resource_type": "model", "name": "`+m+`", "relation_name": "s.`+m+`", "compiled_code": "select 1 as one", "depends_on": {"nodes": []}}`)
		}
		text := `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "generated_at": "2026-06-10T03:00:00Z", "project_name": "p", "adapter_type": "postgres"}, "nodes": {` + strings.Join(nodes, ",") + `}}`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := &config.Config{Lineage: config.Lineage{Manifests: []config.Manifest{{Path: path}}}}
	p := &Project{Config: c, Now: func() time.Time { return time.Date(2026, 6, 10, 11, 0, 0, 0, time.UTC) }}
	write("kept", "gone")
	if err := p.ReadColumns(t.Context(), columns.Reader{}); err != nil {
		t.Fatal(err)
	}
	says := func(model string) string {
		a, _ := p.Current().Asset(lineage.AssetID("dbt://p/model.p." + model))
		return a.Properties[columns.Property]
	}
	if want := "unknown, tables from dbt: " + columns.NoEngine; says("kept") != want || says("gone") != want {
		t.Errorf("kept: %q, gone: %q, want %q", says("kept"), says("gone"), want)
	}
	write("kept", "new")
	if err := p.redraw(lineage.Statements{}); err != nil {
		t.Fatal(err)
	}
	if says("kept") == "" || says("gone") != "" || p.Current().Len() != 2 {
		t.Errorf("kept: %q, gone: %q, %d assets", says("kept"), says("gone"), p.Current().Len())
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.ReadColumns(t.Context(), columns.Reader{}); err == nil || !strings.Contains(err.Error(), "lineage.manifests[0]") {
		t.Errorf("a broken manifest: %v", err)
	}
}
