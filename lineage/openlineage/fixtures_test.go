package openlineage_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dw/lineage"
	"dw/lineage/openlineage"
)

// reasons are why a fixture may be refused. Any other error is a fault of dw's.
var reasons = regexp.MustCompile(`(neither a job nor a dataset: it is not an OpenLineage event|namespace is missing|name is missing` +
	`|owners\[\d+\] has no name)$`)

// template is what the projects' own tests put in the place of a time.
var template = regexp.MustCompile(`"eventTime"\s*:\s*"\$\{json-unit[^"]*"`)

// TestSharedOpenLineage: each event of the public collections is taken in, with
// an asset for each dataset and an edge for each thing read or written, or it is
// refused with a reason.
func TestSharedOpenLineage(t *testing.T) {
	t.Parallel()
	shared := os.Getenv("DW_SHARED")
	if shared == "" {
		t.Skip("set DW_SHARED to the folder that holds the public fixtures")
	}
	root := filepath.Join(shared, "fixtures", "openlineage")
	taken, refused, edges, links := 0, map[string]int{}, 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		content = template.ReplaceAll(content, []byte(`"eventTime": "2026-03-04T09:00:00Z"`))
		s, err := openlineage.Load(bytes.NewReader(content), openlineage.Options{SeenAt: noon})
		if err != nil {
			if why := reasons.FindString(err.Error()); why != "" {
				refused[why]++
			} else {
				t.Errorf("%s: %v", filepath.Base(path), err)
			}
			return nil
		}
		taken++
		edges += len(s.Edges)
		for _, e := range s.Edges {
			links += len(e.Columns)
		}
		complete(t, path, content, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d taken in with %d edges and %d column links; refused: %v", taken, edges, links, refused)
	if taken < 110 || links < 75 {
		t.Errorf("%d fixtures taken in, %d column links: too few", taken, links)
	}
}

// complete makes the graph of one fixture and compares it with the plain text.
func complete(t *testing.T, path string, content []byte, s lineage.Statements) {
	t.Helper()
	b := lineage.NewBuilder()
	s.Add(b)
	g, err := b.Build()
	if err != nil {
		t.Errorf("%s: %v", filepath.Base(path), err)
		return
	}
	for _, e := range plain(t, content) {
		for _, d := range append(e.Inputs, e.Outputs...) {
			id := openlineage.DatasetID(d.Namespace, d.Name)
			if _, ok := g.Asset(id); !ok {
				t.Errorf("%s: %s is no asset", filepath.Base(path), id)
			}
		}
		wantEdges(t, filepath.Base(path), g, e)
	}
}

func wantEdges(t *testing.T, name string, g *lineage.Graph, e plainEvent) {
	t.Helper()
	have := map[string]bool{}
	for _, edge := range g.Edges() {
		have[string(edge.From)+" > "+string(edge.To)] = true
	}
	jobID := string(openlineage.JobID(e.Job.Namespace, e.Job.Name))
	for _, d := range e.Inputs {
		if want := string(openlineage.DatasetID(d.Namespace, d.Name)) + " > " + jobID; !have[want] {
			t.Errorf("%s: no edge %s", name, want)
		}
	}
	for _, d := range e.Outputs {
		id := string(openlineage.DatasetID(d.Namespace, d.Name))
		if want := jobID + " > " + id; !have[want] {
			t.Errorf("%s: no edge %s", name, want)
		}
		for _, field := range d.Facets.ColumnLineage.Fields {
			for _, in := range field.InputFields {
				want := string(openlineage.DatasetID(in.Namespace, in.Name)) + " > " + id
				if !have[want] && !strings.HasPrefix(want, id+" ") {
					t.Errorf("%s: no edge %s", name, want)
				}
			}
		}
	}
}
