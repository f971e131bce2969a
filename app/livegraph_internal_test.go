package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"dw/config"
	"dw/lineage"
)

// TestRedrawKeepsTheGraph: a file that has become bad, or is gone, changes nothing
// of the graph that people ask.
func TestRedrawKeepsTheGraph(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	event := `{"eventTime":"2026-06-10T10:00:00Z","job":{"namespace":"n","name":"%"},"inputs":[{"namespace":"db","name":"a"}]}`
	c := &config.Config{Lineage: config.Lineage{Sources: []config.GraphSource{{Kind: "openlineage", Path: file}}}}
	p := &Project{Config: c, Now: func() time.Time { return time.Date(2026, 6, 10, 11, 0, 0, 0, time.UTC) }}
	write(event)
	if err := p.redraw(lineage.Statements{}); err != nil {
		t.Fatal(err)
	}
	before := p.Current()
	for name, spoil := range map[string]func(){
		"cut off": func() { write(event[:40]) },
		"gone":    func() { _ = os.Remove(file) },
	} {
		spoil()
		if err := p.redraw(lineage.Statements{}); err == nil || p.Current() != before {
			t.Errorf("%s: %v; the same graph: %v", name, err, p.Current() == before)
		}
	}
	if before.Len() != 2 {
		t.Errorf("%d assets, want the job and its input", before.Len())
	}
}
