package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// fits fails unless a JSON answer is what the published schema says.
func fits(t *testing.T, schema, answer string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "schemas", schema+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal([]byte(answer), &value); err != nil {
		t.Fatalf("no JSON: %v\n%s", err, answer)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("the answer is not as docs/schemas/%s.json says: %v\n%s", schema, err, answer)
	}
}

// TestQuestions: every question about one asset or about the graph, as text and as
// the JSON that is published; an unknown asset is exit code 3 with near names.
func TestQuestions(t *testing.T) {
	t.Parallel()
	dir := farm(t, "fed_by: [\"dbt://farm/model.farm.soil\"]", "fed_by: [\"dbt://farm/model.farm.soil\"]\n      owners: [fern]")
	for _, tc := range []struct {
		args   []string
		schema string
		code   int
		says   []string
	}{
		{[]string{"explain", "soil"}, "explain", 0, []string{"check          fails: has not run yet", "incident       none is open", "fed by"}},
		{[]string{"trace", "soil"}, "trace", 0, []string{"source.farm.raw.probes"}},
		{[]string{"blast", "soil"}, "blast", 0, []string{"harvest"}},
		{[]string{"owner", "harvest"}, "answer", 0, []string{"owner          fern  (config, "}},
		{[]string{"owner", "soil"}, "answer", 0, []string{"not declared", "fern (harvest)"}},
		{[]string{"sla", "soil"}, "answer", 0, []string{"promised below harvest (explore) by 07:00 UTC", "first harm"}},
		{[]string{"fresh", "soil"}, "answer", 0, []string{"not known: no check of freshness has looked at it", "no source has seen a run"}},
		{[]string{"fresh", "soil", "--manifest", "manifest.json"}, "answer", 0, []string{"no source has seen a run"}},
		{[]string{"owner", "soyl"}, "", 3, []string{"soyl", "soil"}},
		{[]string{"sla", "soyl"}, "", 3, []string{"soil"}},
		{[]string{"fresh", "soyl"}, "", 3, []string{"soil"}},
		{[]string{"blast", "soil", "--drop"}, "change", 0, []string{"1 break", "breaks", "harvest", `owner "fern"`}},
		{[]string{"blast", "soil", "--column", "wet"}, "", 2, []string{"--column needs --drop"}},
		{[]string{"blast", "soil", "--type"}, "", 2, []string{"needs a column"}},
		{[]string{"blast", "soil", "--drop", "--rename"}, "", 2, []string{"drop rename"}},
		{[]string{"picture", "soil"}, "picture", 0, []string{"<svg", "harvest", "</svg>"}},
		{[]string{"picture", "soil", "--format", "mermaid"}, "picture", 0, []string{"flowchart LR", "==>"}},
		{[]string{"picture", "soil", "--out", "no/where.svg"}, "", 2, []string{"write the picture"}},
		{[]string{"picture", "soil", "--format", "gif"}, "", 2, []string{"not gif"}},
		{[]string{"picture", "soyl"}, "", 3, []string{"soil"}},
		{[]string{"graph", "doctor"}, "graph-doctor", 0, []string{"3 assets, 2 edges"}},
		{[]string{"graph", "unowned"}, "graph-unowned", 0, []string{"2 of 3 assets have no owner", "soil"}},
		{[]string{"graph", "search", "siol"}, "search", 0, []string{`"soil"`, "nearly"}},
		{[]string{"graph", "search", "zzzzzz"}, "", 3, []string{"zzzzzz"}},
	} {
		dw(t, dir, tc.args...).want(t, tc.code, tc.says...)
		if tc.schema == "" {
			continue
		}
		asJSON := dw(t, dir, append(tc.args, "--json")...)
		asJSON.want(t, 0)
		fits(t, tc.schema, asJSON.stdout)
	}
}

// TestExplainBesideABadDatabase: what dw has seen cannot be read; the graph answers all
// the same, and what is left out is said.
func TestExplainBesideABadDatabase(t *testing.T) {
	t.Parallel()
	dir := farm(t)
	write(t, dir, "dw.db", strings.Repeat("this is no database ", 100))
	for _, args := range [][]string{{"explain", "soil"}, {"fresh", "soil"}} {
		got := dw(t, dir, args...)
		got.want(t, 0, "schedule", "what dw has seen of it is left out: ")
		if strings.Contains(got.stdout, "no check watches it") {
			t.Errorf("dw %v says what it could not read:\n%s", args, got.stdout)
		}
	}
}

// TestBenchLineage: wrong and missing are counted apart, and a file of no cases is
// refused.
func TestBenchLineage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "cases.jsonl", `{"id":"set/a::right#0","kind":"statement_tables","dialect":"ansi","sql":"insert into a select * from b","expected_sources":["b"],"expected_targets":["a"]}
{"id":"set/a::wrong#1","kind":"statement_tables","dialect":"ansi","sql":"insert into a select * from b","expected_sources":["c"],"expected_targets":["a"]}
`)
	asJSON := dw(t, dir, "bench", "lineage", "cases.jsonl", "--json")
	asJSON.want(t, 0)
	var report struct {
		Scores []struct{ Cases, Exact, Right, Wrong, Missing int }
	}
	if err := json.Unmarshal([]byte(asJSON.stdout), &report); err != nil || len(report.Scores) != 1 {
		t.Fatalf("%v: %s", err, asJSON.stdout)
	}
	if got := report.Scores[0]; got.Cases != 2 || got.Exact != 1 || got.Right != 3 || got.Wrong != 1 || got.Missing != 1 {
		t.Errorf("the score is %+v", got)
	}
	dw(t, dir, "bench", "lineage", "cases.jsonl").want(t, 0, "set", "wrong", "missing")
	dw(t, dir, "bench", "lineage", "gone.jsonl").want(t, 2, "gone.jsonl")
	write(t, dir, "no.jsonl", "{")
	dw(t, dir, "bench", "lineage", "no.jsonl").want(t, 2, "no.jsonl")
}

// TestGraphDiff: a newer manifest that takes something away that is read ends with
// exit code 1, so that a pull request can be held back by it.
func TestGraphDiff(t *testing.T) {
	t.Parallel()
	dir := farm(t)
	write(t, dir, "newer.json", strings.NewReplacer(`"source.farm.raw.probes": {`, `"source.farm.raw.sensors": {`,
		`"unique_id": "source.farm.raw.probes"`, `"unique_id": "source.farm.raw.sensors"`, `["source.farm.raw.probes"]`, `["source.farm.raw.sensors"]`).Replace(farmManifest))
	dw(t, dir, "graph", "diff", "--manifest", "newer.json", "--against", "manifest.json").want(t, 1, "1 changes, 1 assets added: below them 1 break", "drop", "probes", "breaks", `"soil"`)
	asJSON := dw(t, dir, "graph", "diff", "--manifest", "newer.json", "--against", "manifest.json", "--json")
	asJSON.want(t, 1)
	fits(t, "graph-diff", asJSON.stdout)
	dw(t, dir, "graph", "diff", "--manifest", "manifest.json", "--against", "manifest.json").want(t, 0, "0 changes")
	dw(t, dir, "graph", "diff", "--manifest", "newer.json").want(t, 2, "--against OLD")
	dw(t, dir, "graph", "diff", "--manifest", "newer.json", "--against", "gone.json").want(t, 2, "gone.json")
}
