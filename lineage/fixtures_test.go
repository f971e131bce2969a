package lineage_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/lineage"
)

// sharedManifests lists the sample manifests of public dbt projects. They lie
// outside of the repository, in DW_SHARED or ../shared beside its root.
func sharedManifests(t *testing.T) []string {
	t.Helper()
	root := os.Getenv("DW_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	} else if !filepath.IsAbs(root) {
		root = filepath.Join("..", root)
	}
	files, err := filepath.Glob(filepath.Join(root, "fixtures", "dbt", "*", "*manifest*.json*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) > 0 {
		return files
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("no sample manifests in %s: set DW_SHARED", root)
	}
	t.Skipf("no sample manifests in %s: set DW_SHARED", root)
	return nil
}

// plainManifest reads a manifest in the plainest way, to compare with.
type plainManifest struct {
	Metadata struct {
		Version   string    `json:"dbt_schema_version"`
		Generated time.Time `json:"generated_at"`
	} `json:"metadata"`
	Nodes     map[string]plainNode `json:"nodes"`
	Sources   map[string]plainNode `json:"sources"`
	Exposures map[string]plainNode `json:"exposures"`
	ParentMap map[string][]string  `json:"parent_map"`
}

type plainNode struct {
	ResourceType string `json:"resource_type"`
	Name         string `json:"name"`
	Relation     string `json:"relation_name"`
	DependsOn    struct {
		Nodes []string `json:"nodes"`
	} `json:"depends_on"`
}

func readPlain(t *testing.T, file string) ([]byte, plainManifest) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	plain := text
	if strings.HasSuffix(file, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if plain, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	var m plainManifest
	if err := json.Unmarshal(plain, &m); err != nil {
		t.Fatal(err)
	}
	return text, m
}

// assets returns the unique ids that dw must show, with their resource type.
func (m plainManifest) assets() map[string]plainNode {
	out := map[string]plainNode{}
	for _, section := range []map[string]plainNode{m.Nodes, m.Sources, m.Exposures} {
		for id, n := range section {
			if slices.Contains([]string{"model", "seed", "snapshot", "source", "exposure"}, n.ResourceType) {
				out[id] = n
			}
		}
	}
	return out
}

// TestSharedManifests loads each public manifest and compares it with a plain
// reading: the same assets, the parents that dbt itself lists, an explanation
// for each by id and by relation name.
func TestSharedManifests(t *testing.T) {
	t.Parallel()
	for _, file := range sharedManifests(t) {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, plain := readPlain(t, file)
			assets, links, err := lineage.LoadManifest(bytes.NewReader(text), lineage.ManifestOptions{Project: "p"})
			if err != nil {
				t.Fatal(err)
			}
			g := build(t, assets, links)
			for unique, n := range plain.assets() {
				checkAsset(t, g, plain, unique, n)
			}
			if g.Len() < len(plain.assets()) {
				t.Errorf("%d assets, want at least %d", g.Len(), len(plain.assets()))
			}
		})
	}
}

func checkAsset(t *testing.T, g *lineage.Graph, plain plainManifest, unique string, n plainNode) {
	t.Helper()
	id := lineage.AssetID("dbt://p/" + unique)
	e, err := g.Explain(id, noon)
	if err != nil {
		t.Errorf("explain %s: %v", unique, err)
		return
	}
	if from := e.Asset.From[0]; from.Source != lineage.SourceManifest || !from.SeenAt.Equal(plain.Metadata.Generated) {
		t.Errorf("%s comes from %+v", unique, from)
	}
	for _, line := range e.Lines() {
		if line.Value == "" || (line.Source == "") != (line.Age == "") {
			t.Errorf("%s has the line %+v", unique, line)
		}
	}
	same := plain.sameRelation(n)
	if n.Relation != "" {
		checkRelation(t, g, n.Relation, id, len(same))
	}
	if n.ResourceType == "exposure" {
		return // an exposure's parents may be metrics, which are passed through
	}
	var want, got []string
	for _, parent := range plain.parents(unique, same) {
		want = append(want, "dbt://p/"+parent)
	}
	for _, a := range e.Upstream {
		got = append(got, string(a.ID))
	}
	slices.Sort(want)
	if !slices.Equal(got, slices.Compact(want)) {
		t.Errorf("%s is fed by %q, dbt says %q", unique, got, want)
	}
}

func checkRelation(t *testing.T, g *lineage.Graph, relation string, id lineage.AssetID, named int) {
	t.Helper()
	a, err := g.Resolve(relation)
	var ambiguous *lineage.AmbiguousError
	switch {
	case named == 1 && (err != nil || a.ID != id):
		t.Errorf("resolve %s: %s, %v, want %s", relation, a.ID, err, id)
	case named > 1 && (!errors.As(err, &ambiguous) || len(ambiguous.Candidates) != named || !slices.Contains(ambiguous.Candidates, id)):
		t.Errorf("resolve %s: %s, %v, want %d candidates with %s", relation, a.ID, err, named, id)
	}
}

// sameRelation returns the unique ids of all that has the relation of a node.
func (m plainManifest) sameRelation(n plainNode) []string {
	var out []string
	for unique, other := range m.assets() {
		if strings.EqualFold(other.Relation, n.Relation) {
			out = append(out, unique)
		}
	}
	return out
}

// parents returns what dbt lists as the parents of a node; for a source, what
// the project itself builds under the source's relation.
func (m plainManifest) parents(unique string, same []string) []string {
	if source, ok := m.Sources[unique]; ok {
		if source.Relation == "" {
			return nil
		}
		return slices.DeleteFunc(same, func(other string) bool { return strings.HasPrefix(other, "source.") })
	}
	// A sample that was cut down by hand has an empty parent_map.
	return slices.Concat(m.ParentMap[unique], m.Nodes[unique].DependsOn.Nodes)
}
