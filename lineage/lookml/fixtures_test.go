package lookml_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"dw/lineage"
	"dw/lineage/lookml"
)

// sharedProject reads a public project; its files were laid flat, with two
// underscores for a slash.
func sharedProject(t *testing.T, name string) fstest.MapFS {
	t.Helper()
	shared := os.Getenv("DW_SHARED")
	if shared == "" {
		t.Skip("set DW_SHARED to the folder that holds the public fixtures")
	}
	paths, err := filepath.Glob(filepath.Join(shared, "fixtures", "looker", name, "*lk*ml"))
	more, _ := filepath.Glob(filepath.Join(shared, "fixtures", "looker", name, "*.lookml"))
	if err != nil || len(paths)+len(more) == 0 {
		t.Fatalf("no files of %s: %v", name, err)
	}
	out := fstest.MapFS{}
	for _, path := range append(paths, more...) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.ReplaceAll(filepath.Base(path), "__", "/")] = &fstest.MapFile{Data: content}
	}
	return out
}

// TestSharedDashboards: each dashboard of the public project whose explores are
// in the project leads to a table.
func TestSharedDashboards(t *testing.T) {
	t.Parallel()
	s, err := lookml.Load(sharedProject(t, "block-cortex-sap"), lookml.Options{
		Project: "sap", System: "bigquery", SeenAt: noon, Constants: map[string]string{"GCP_PROJECT": "acme", "REPORTING_DATASET": "reporting"},
	})
	if err != nil {
		t.Fatal(err)
	}
	b := lineage.NewBuilder()
	s.Add(b)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	dashboards, linked, fields := 0, 0, 0
	for _, a := range g.Assets() {
		if a.Kind != lineage.KindDashboard {
			continue
		}
		dashboards++
		up, err := g.Trace(a.ID, true, 0)
		if err != nil {
			t.Fatal(err)
		}
		tables := 0
		for _, step := range up {
			if strings.HasPrefix(string(step.Asset), "bigquery://acme.reporting.") {
				tables++
			}
			if step.Depth == 1 {
				fields += len(step.Via.Columns)
			}
		}
		if tables > 0 {
			linked++
		} else {
			t.Logf("%s leads to no table: %d steps up", a.ID, len(up))
		}
	}
	t.Logf("%d of %d dashboards lead to tables, through %d fields", linked, dashboards, fields)
	if linked < dashboards-2 || dashboards < 20 || fields < 300 {
		t.Errorf("%d of %d dashboards lead to tables, through %d fields", linked, dashboards, fields)
	}
}

// TestSharedCases: each file of the parser's cases is read.
func TestSharedCases(t *testing.T) {
	t.Parallel()
	for name, file := range sharedProject(t, "lkml-parser-cases") {
		if _, err := lookml.Load(fstest.MapFS{name: file}, lookml.Options{Project: "p"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
