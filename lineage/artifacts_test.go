package lineage_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dw/lineage"
)

// loadBeside is LoadCatalog or LoadRunResults.
type loadBeside func(text []byte, manifest []lineage.Asset) ([]lineage.Asset, error)

func loadCatalog(text []byte, manifest []lineage.Asset) ([]lineage.Asset, error) {
	return lineage.LoadCatalog(bytes.NewReader(text), manifest, lineage.ManifestOptions{})
}

func loadRunResults(text []byte, manifest []lineage.Asset) ([]lineage.Asset, error) {
	return lineage.LoadRunResults(bytes.NewReader(text), manifest, lineage.ManifestOptions{})
}

// sharedBeside lists the public artifacts of a kind, each with the manifest of
// the same name, or the first of the same folder.
func sharedBeside(t *testing.T, kind string) map[string]string {
	t.Helper()
	manifests := sharedManifests(t)
	root := filepath.Dir(filepath.Dir(manifests[0]))
	files, err := filepath.Glob(filepath.Join(root, "*", "*"+kind+"*.json*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s in %s: %v", kind, root, err)
	}
	out := map[string]string{}
	for _, file := range files {
		if base := strings.TrimSuffix(file, ".gz"); strings.HasSuffix(base, "__manifest.json") || kind == "catalog" && strings.HasSuffix(base, "run_results.json") {
			continue // of the project that is called catalog
		}
		out[file] = ""
		for _, m := range slices.Backward(manifests) {
			if filepath.Dir(m) == filepath.Dir(file) {
				out[file] = m
			}
		}
		for _, ending := range []string{".json", ".json.gz"} {
			same := strings.TrimSuffix(strings.TrimSuffix(strings.Replace(file, kind, "manifest", 1), ".gz"), ".json") + ending
			if slices.Contains(manifests, same) {
				out[file] = same
			}
		}
	}
	return out
}

// manifestAssets loads a manifest, or stands in for one that is not public.
func manifestAssets(t *testing.T, file string) ([]lineage.Asset, []lineage.Edge) {
	t.Helper()
	if file == "" {
		return []lineage.Asset{{ID: "dbt://p/model.p.other", Kind: lineage.KindModel, Name: "other", From: []lineage.Provenance{{Source: "test"}}}}, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	assets, edges, err := lineage.LoadManifest(bytes.NewReader(text), lineage.ManifestOptions{Project: "p"})
	if err != nil {
		t.Fatal(err)
	}
	return assets, edges
}

// TestSharedCatalogs loads each public catalog beside its manifest: every object
// explains itself with its columns in the order of the table.
func TestSharedCatalogs(t *testing.T) {
	t.Parallel()
	files, objects, columns := 0, 0, 0
	for file, manifest := range sharedBeside(t, "catalog") {
		assets, edges := manifestAssets(t, manifest)
		statements, err := loadCatalog(readMaybeZipped(t, file), assets)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		g := build(t, append(slices.Clone(assets), statements...), edges)
		var plain struct {
			Nodes, Sources map[string]struct {
				Columns map[string]struct{ Name string }
			}
		}
		if err := json.Unmarshal(readMaybeZipped(t, file), &plain); err != nil {
			t.Fatal(err)
		}
		files++
		for _, section := range []map[string]struct {
			Columns map[string]struct{ Name string }
		}{plain.Nodes, plain.Sources} {
			for unique, object := range section {
				if strings.HasPrefix(unique, "test.") {
					continue
				}
				e, err := g.Explain(lineage.AssetID("dbt://p/"+unique), noon)
				if err != nil {
					t.Errorf("%s: %v", file, err)
					continue
				}
				for _, c := range object.Columns {
					if !slices.Contains(e.Asset.Columns, c.Name) {
						t.Errorf("%s: %s has no column %s: %v", file, unique, c.Name, e.Asset.Columns)
					}
				}
				objects++
				columns += len(object.Columns)
			}
		}
	}
	t.Logf("%d catalogs: %d objects explained, %d columns", files, objects, columns)
}

// TestSharedRunResults loads each public file of run results beside its
// manifest: every model, seed and snapshot that ran says how it went.
func TestSharedRunResults(t *testing.T) {
	t.Parallel()
	files, runs := 0, 0
	for file, manifest := range sharedBeside(t, "run_results") {
		assets, edges := manifestAssets(t, manifest)
		statements, err := loadRunResults(readMaybeZipped(t, file), assets)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		g := build(t, append(slices.Clone(assets), statements...), edges)
		var plain struct {
			Results []struct {
				UniqueID string `json:"unique_id"`
				Status   string
			}
		}
		if err := json.Unmarshal(readMaybeZipped(t, file), &plain); err != nil {
			t.Fatal(err)
		}
		files++
		for _, result := range plain.Results {
			if resource, _, _ := strings.Cut(result.UniqueID, "."); !slices.Contains([]string{"model", "seed", "snapshot"}, resource) {
				continue
			}
			a, ok := g.Asset(lineage.AssetID("dbt://p/" + result.UniqueID))
			if last := a.Properties["dbt.last_run"]; !ok || !strings.HasPrefix(last, result.Status) {
				t.Errorf("%s: %s says %q, want %s", file, result.UniqueID, last, result.Status)
			}
			runs++
		}
	}
	t.Logf("%d files of run results: %d runs", files, runs)
}

// TestSharedExplain prints how many models of how many public manifests, of every
// version, explain themselves, and sees that one cut off anywhere is refused.
func TestSharedExplain(t *testing.T) {
	t.Parallel()
	versions, models := map[string]int{}, 0
	for _, file := range sharedManifests(t) {
		text, plain := readPlain(t, file)
		assets, edges := manifestAssets(t, file)
		g := build(t, assets, edges)
		for unique, n := range plain.Nodes {
			if n.ResourceType != "model" {
				continue
			}
			e, err := g.Explain(lineage.AssetID("dbt://p/"+unique), noon)
			if err != nil || e.Asset.Kind != lineage.KindModel {
				t.Errorf("%s: explain %s: %v", file, unique, err)
			}
			models++
		}
		version, _, _ := strings.Cut(plain.Metadata.Version[strings.LastIndex(plain.Metadata.Version, "/")+1:], ".")
		versions[version]++
		for _, part := range []int{2, 3, 10} {
			cut := text[:len(text)-len(text)/part]
			if _, _, err := lineage.LoadManifest(bytes.NewReader(cut), lineage.ManifestOptions{Project: "p"}); err == nil || !strings.Contains(err.Error(), "truncated") {
				t.Errorf("%s cut off: %v", file, err)
			}
		}
	}
	t.Logf("%d manifests (%v): %d models explained", len(sharedManifests(t)), versions, models)
}

func readMaybeZipped(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(file, ".gz") {
		return text
	}
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

const (
	goodCatalog = `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/catalog/v1.json", "generated_at": "2026-06-10T03:00:00Z", "new": 1},
		"nodes": {"model.shop.orders": {"metadata": {"type": "BASE TABLE", "owner": "dbt", "x": {}}, "columns": {
			"b": {"name": "b", "type": "numeric(12,2)", "index": 2}, "A": {"name": "A", "type": "text", "index": 1}},
			"stats": {"row_count": {"id": "row_count", "value": 1200.0}}}, "test.shop.t": {}}, "sources": {}}`
	goodRunResults = `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/run-results/v6.json", "generated_at": "2026-06-10T03:00:00Z"},
		"results": [{"unique_id": "model.shop.orders", "status": "error", "message": "Database Error\n  no such column", "timing": [{"name": "execute", "completed_at": "2026-06-10T02:59:00.5Z"}]},
			{"unique_id": "test.shop.t", "status": "pass", "timing": []}]}`
)

// TestArtifacts: what an artifact says stands beside what the manifest says, each
// with its own source; gzip is the same.
func TestArtifacts(t *testing.T) {
	t.Parallel()
	manifest := []lineage.Asset{{ID: "dbt://shop/model.shop.orders", Kind: lineage.KindModel, Name: "orders", Columns: []string{"A"}, From: []lineage.Provenance{{Source: lineage.SourceManifest, SeenAt: noon}}}}
	for name, c := range map[string]struct {
		load loadBeside
		text string
		want map[string]string
	}{
		"catalog":     {loadCatalog, goodCatalog, map[string]string{"catalog.types": "A text, b numeric(12,2)", "catalog.rows": "1200", "catalog.relation": "BASE TABLE", "catalog.owner": "dbt"}},
		"run results": {loadRunResults, goodRunResults, map[string]string{"dbt.last_run": "error at 2026-06-10T02:59:00Z: Database Error no such column"}},
	} {
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		if _, err := w.Write([]byte(c.text)); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		for _, text := range [][]byte{[]byte(c.text), zipped.Bytes(), append([]byte("\xef\xbb\xbf"), c.text...)} {
			statements, err := c.load(text, manifest)
			if err != nil || len(statements) != 1 {
				t.Fatalf("%s: %d statements, %v", name, len(statements), err)
			}
			a, _ := build(t, append(slices.Clone(manifest), statements...), nil).Asset("dbt://shop/model.shop.orders")
			for key, want := range c.want {
				if a.Properties[key] != want {
					t.Errorf("%s: %s is %q, want %q", name, key, a.Properties[key], want)
				}
			}
			if len(a.From) != 2 || a.Kind != lineage.KindModel || a.Name != "orders" {
				t.Errorf("%s: merged to %+v", name, a)
			}
		}
	}
}

// TestArtifactsRefused: what is broken says where and what to do, and gives
// nothing.
func TestArtifactsRefused(t *testing.T) {
	t.Parallel()
	manifest := []lineage.Asset{{ID: "dbt://shop/model.shop.orders"}}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write([]byte(goodCatalog)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		load     loadBeside
		text     string
		manifest []lineage.Asset
		want     string
	}{
		"empty":             {loadCatalog, "", manifest, "truncated"},
		"cut off":           {loadCatalog, goodCatalog[:200], manifest, "truncated"},
		"gzip cut off":      {loadCatalog, zipped.String()[:zipped.Len()-9], manifest, "truncated"},
		"gzip half":         {loadCatalog, zipped.String()[:zipped.Len()/2], manifest, "truncated"},
		"gzip without tail": {loadCatalog, zipped.String()[:zipped.Len()-4], manifest, "after its end"},
		"no JSON":           {loadCatalog, "hello", manifest, "near byte"},
		"a list":            {loadCatalog, "[]", manifest, "cannot unmarshal array"},
		"two":               {loadCatalog, goodCatalog + "{}", manifest, "more text"},
		"run results":       {loadCatalog, goodRunResults, manifest, "is not a dbt catalog"},
		"a later version":   {loadCatalog, strings.Replace(goodCatalog, "v1.json", "v2.json", 1), manifest, "its schema is v2, dw reads v1 to v1"},
		"no version":        {loadCatalog, `{"metadata": {}}`, manifest, "is not a dbt catalog"},
		"no time":           {loadCatalog, strings.Replace(goodCatalog, "2026-06-10T03:00:00Z", "soon", 1), manifest, "is not a time"},
		"columns a list":    {loadCatalog, strings.Replace(goodCatalog, `"columns": {`, `"columns": [], "y": {`, 1), manifest, "cannot unmarshal array"},
		"no manifest":       {loadCatalog, goodCatalog, nil, "has no asset"},
		"a catalog":         {loadRunResults, goodCatalog, manifest, "is not a dbt run-results"},
		"results cut off":   {loadRunResults, goodRunResults[:250], manifest, "truncated"},
		"results v7":        {loadRunResults, strings.Replace(goodRunResults, "v6.json", "v7.json", 1), manifest, "its schema is v7, dw reads v1 to v6"},
	} {
		got, err := c.load([]byte(c.text), c.manifest)
		if err == nil || got != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d statements, error %v, want one that says %q", name, len(got), err, c.want)
		}
	}
}
