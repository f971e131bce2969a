package diagnosis_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
)

var day = time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)

func at(hour, minute int) time.Time {
	return day.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
}

// graph is a small context graph for tests; edges go from a feed to what it
// feeds.
type graph struct {
	assets map[lineage.AssetID]lineage.Asset
	edges  [][2]lineage.AssetID
}

func (g graph) Asset(id lineage.AssetID) (lineage.Asset, bool) {
	a, ok := g.assets[id]
	return a, ok
}

func (g graph) Trace(id lineage.AssetID, up bool, depth int) ([]lineage.Step, error) {
	if _, ok := g.assets[id]; !ok {
		return nil, errors.New("unknown asset " + string(id))
	}
	var out []lineage.Step
	seen := map[lineage.AssetID]bool{id: true}
	front := []lineage.AssetID{id}
	for d := 1; len(front) > 0 && (depth <= 0 || d <= depth); d++ {
		var next []lineage.AssetID
		for _, n := range front {
			for _, e := range g.edges {
				from, to := e[0], e[1]
				if up {
					from, to = to, from
				}
				if from == n && !seen[to] {
					seen[to] = true
					next = append(next, to)
					out = append(out, lineage.Step{Asset: to, Depth: d})
				}
			}
		}
		front = next
	}
	return out, nil
}

// files is a set of deployed files by root and name.
type files map[string]string

func (f files) ReadFile(root, name string) ([]byte, error) {
	text, ok := f[root+"/"+name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

const (
	modelID  = lineage.AssetID("dbt://grid/model.grid.fct_readings")
	sourceID = lineage.AssetID("dbt://grid/source.grid.stream.readings")
	topicID  = lineage.AssetID("redpanda://readings")
	deadID   = lineage.AssetID("dbt://grid/source.grid.stream.readings_rejected")
	bridgeID = lineage.AssetID("connect://bridge")
	mainID   = lineage.AssetID("connect://main")
	buildID  = lineage.AssetID("dagster://build_readings")
	billID   = lineage.AssetID("dagster://bill_meters")
)

const model = `{{ config(materialized='table') }}

-- one row a reading
select
    reading_id,
    region,
    kwh,
    read_at
from {{ source('stream', 'readings') }}
`

func estate() graph {
	assets := []lineage.Asset{
		{
			ID: modelID, Kind: lineage.KindModel, Name: "fct_readings", Root: "/dbt", File: "models/fct_readings.sql",
			Columns: []string{"reading_id", "region", "kwh", "read_at"},
			Properties: map[string]string{
				diagnosis.PropRecoverKey:     "reading_id",
				diagnosis.PropRecoverColumns: "reading_id = $.reading_id as text\nregion = $.region\nkwh = $.detail.kwh as real\nread_at = sql: json_extract(value, '$.read_at')\n",
			},
		},
		{ID: sourceID, Kind: lineage.KindSource, Name: "stream.readings"},
		{ID: topicID, Kind: lineage.KindTopic, Name: "readings", Properties: map[string]string{
			diagnosis.PropIcebergMode: "value_schema_id_prefix", diagnosis.PropDeadLetter: "readings_rejected",
			diagnosis.PropRegistryURL: "http://registry:8081", diagnosis.PropRawJSON: "true",
		}},
		{ID: deadID, Kind: lineage.KindSource, Name: "readings_rejected"},
		{ID: bridgeID, Kind: lineage.KindPipeline, Name: "bridge", Root: "/connect", File: "bridge.yaml", Description: "the north feed"},
		{ID: mainID, Kind: lineage.KindPipeline, Name: "main", Root: "/connect", File: "main.yaml"},
		{ID: buildID, Kind: lineage.KindJob, Name: "build_readings", Properties: map[string]string{"dagster.location": "grid"}},
		{ID: billID, Kind: lineage.KindJob, Name: "bill_meters", Moves: lineage.MovesMoney, Properties: map[string]string{"dagster.schedule": "nightly"}},
	}
	g := graph{assets: map[lineage.AssetID]lineage.Asset{}, edges: [][2]lineage.AssetID{
		{bridgeID, topicID},
		{mainID, topicID},
		{topicID, sourceID},
		{topicID, deadID},
		{sourceID, modelID},
		{buildID, modelID},
		{modelID, billID},
	}}
	for _, a := range assets {
		g.assets[a.ID] = a
	}
	return g
}

func deployed() files {
	return files{
		"/connect/bridge.yaml": bridge,
		"/connect/main.yaml": "input:\n  stdin: {}\npipeline:\n  processors:\n    - schema_registry_encode: {url: u, subject: readings-value}\n    - catch:\n        - mapping: root = deleted()\n" +
			"output:\n  kafka:\n    topic: readings\n",
		"/dbt/models/fct_readings.sql": model,
	}
}

func volume(status checks.Status, rows float64) checks.Result {
	expected := 1000.0
	return checks.Result{
		Check: "readings volume", Kind: checks.KindVolume, Asset: modelID, Status: status,
		Observed: &checks.Measure{Value: rows, Unit: "rows", At: at(12, 20)}, Expected: &expected,
		Bucket: &checks.Bucket{Start: at(11, 0), End: at(12, 0)}, Since: at(11, 0), At: at(12, 20),
		Message: "The hour of 11:00 is short.",
	}
}

func dead(rows float64, first time.Time) checks.Result {
	status := checks.Fail
	if rows == 0 {
		status = checks.Pass
	}
	return checks.Result{
		Check: "readings rejected", Kind: checks.KindDeadLetter, Asset: deadID, Status: status,
		Observed: &checks.Measure{Value: rows, Unit: "rows", At: at(12, 35)}, FirstRow: first, At: at(12, 35),
	}
}

func split() *diagnosis.SegmentSplit {
	return &diagnosis.SegmentSplit{
		Dimension: "region", Value: "north", Expected: 310, Actual: 2, Contribution: 0.99,
		Normal: []string{"region=south", "region=west"}, At: at(12, 35), Source: "check readings volume",
	}
}

func day1() diagnosis.Input {
	return diagnosis.Input{
		Subject: modelID, Graph: estate(), Files: deployed(), Segments: split(),
		Signals: []checks.Result{volume(checks.Fail, 690)},
		Results: []checks.Result{volume(checks.Fail, 690), dead(18940, at(11, 2).Add(12*time.Second))},
		Changes: []diagnosis.ChangeEvent{{ID: "d1", System: "connect", Kind: "deploy", Asset: "bridge", At: at(10, 55), Text: "new bridge"}},
	}
}

func TestDiagnoseMissingWireFormat(t *testing.T) {
	t.Parallel()
	in := day1()
	in.Probes = []diagnosis.Evidence{{System: "dbt", What: "build of fct_readings", Value: "passed, 12 tests", At: at(12, 5)}}
	d := diagnosis.Diagnose(in, at(12, 36))
	top, ok := d.Top()
	if !ok || top.ID != diagnosis.CauseMissingWireFormat || top.Asset != bridgeID {
		t.Fatalf("top cause = %+v of %s; rejected %v", top, d.Verdict, d.Rejected)
	}
	if !d.Onset.Equal(at(11, 2)) {
		t.Errorf("onset = %s, want the minute of the first dead-letter row", d.Onset)
	}
	if d.Segment["region"] != "north" || top.Segment["region"] != "north" {
		t.Errorf("segment = %v", d.Segment)
	}
	want := "Since 11:02 UTC the records of region=north reach readings without the wire format: 18,940 rows are in readings_rejected instead of fct_readings, so they can be recovered."
	if d.Verdict != want {
		t.Errorf("verdict:\n%s\nwant\n%s", d.Verdict, want)
	}
	values := func(e diagnosis.Evidence) string { return e.System + ": " + e.What + ": " + e.Value }
	for _, part := range []string{"18,940 rows", "without schema_registry_encode", "2 of 310 rows", "deploy of bridge at 10:55 UTC, 7m0s before the onset"} {
		if !slices.ContainsFunc(top.Evidence, func(e diagnosis.Evidence) bool { return strings.Contains(values(e), part) && !e.At.IsZero() }) {
			t.Errorf("no evidence says %q: %+v", part, top.Evidence)
		}
	}
	if !slices.ContainsFunc(top.Missing, func(s string) bool {
		return strings.Contains(s, "redpanda_iceberg_translation_invalid_records not read")
	}) {
		t.Errorf("missing = %q", top.Missing)
	}
	for title, disproof := range map[string]string{
		"The feed of one segment stopped":                          "readings_rejected has 18,940 new rows",
		"The load is late":                                         "rows keep arriving",
		"A build or its tests failed":                              "build of fct_readings at 12:05 UTC",
		"All segments fell together: load, scheduler or warehouse": "region=south, region=west",
	} {
		if !rejected(d, title, disproof) {
			t.Errorf("%q is not rejected by %q: %+v", title, disproof, d.Rejected)
		}
	}
}

func rejected(d diagnosis.Diagnosis, title, disproof string) bool {
	return slices.ContainsFunc(d.Rejected, func(r diagnosis.Rejected) bool {
		return r.Title == title && strings.Contains(r.Disproof, disproof)
	})
}

func TestDiagnoseNamesTheCause(t *testing.T) {
	t.Parallel()
	encoded := deployed()
	encoded["/connect/bridge.yaml"] = encoded["/connect/main.yaml"]
	unreadable := deployed()
	delete(unreadable, "/connect/bridge.yaml")
	for name, tc := range map[string]struct {
		change  func(*diagnosis.Input)
		want    string // "" is nothing
		verdict string
		missing string
	}{
		"the worked day":  {func(*diagnosis.Input) {}, diagnosis.CauseMissingWireFormat, "18,940", "metric"},
		"no change event": {func(in *diagnosis.Input) { in.Changes = nil }, diagnosis.CauseMissingWireFormat, "", ""},
		"dead letter empty": {func(in *diagnosis.Input) {
			in.Results = []checks.Result{dead(0, time.Time{})}
		}, diagnosis.CauseMissingFeedSegment, "Ask the producer of region=north", ""},
		"dead letter never read": {func(in *diagnosis.Input) {
			in.Results = nil
		}, diagnosis.CauseMissingFeedSegment, "", "no check has read the dead-letter table"},
		"dead letter could not be asked": {func(in *diagnosis.Input) {
			in.Results = []checks.Result{{Check: "readings rejected", Kind: checks.KindDeadLetter, Asset: deadID, Status: checks.Error, Problem: "no answer", At: at(12, 35)}}
		}, diagnosis.CauseMissingFeedSegment, "", "no check has read the dead-letter table"},
		"dead letter last asked before the gap": {func(in *diagnosis.Input) {
			old := dead(0, time.Time{})
			old.At = at(10, 35)
			in.Results = []checks.Result{old}
		}, "", "region=north explains 99 % of the gap", ""},
		"rows rejected since last week": {func(in *diagnosis.Input) {
			in.Results = []checks.Result{dead(5, at(2, 0))}
		}, diagnosis.CauseMissingFeedSegment, "", ""},
		"every file encodes": {func(in *diagnosis.Input) { in.Files = encoded }, "", "No known cause matches", ""},
		"file unreadable":    {func(in *diagnosis.Input) { in.Files = unreadable }, diagnosis.CauseMissingWireFormat, "", "bridge.yaml could not be read"},
		"topic in another mode": {func(in *diagnosis.Input) {
			g := estate()
			g.assets[topicID].Properties[diagnosis.PropIcebergMode] = "key_value"
			in.Graph = g
		}, "", "No known cause matches", ""},
		"mode in sections": {func(in *diagnosis.Input) {
			g := estate()
			g.assets[topicID].Properties[diagnosis.PropIcebergMode] = "key:mode=string;value:mode=schema_id_prefix,layout=flat"
			in.Graph = g
		}, diagnosis.CauseMissingWireFormat, "", ""},
		"all segments short, dead letter empty": {func(in *diagnosis.Input) {
			in.Segments.Contribution, in.Segments.Normal = 0.4, nil
			in.Results = []checks.Result{dead(0, time.Time{})}
		}, "", "The hour of 11:00 is short.", ""},
		"nothing has arrived": {func(in *diagnosis.Input) {
			in.Signals = []checks.Result{volume(checks.Fail, 0)}
			in.Segments.Contribution, in.Segments.Normal = 0.4, nil
			in.Results = []checks.Result{dead(0, time.Time{})}
		}, diagnosis.CauseLateLoad, "nothing is known to be lost", ""},
		"bucket late": {func(in *diagnosis.Input) {
			in.Signals, in.Segments, in.Results = []checks.Result{volume(checks.Late, 10)}, nil, []checks.Result{dead(0, time.Time{})}
		}, diagnosis.CauseLateLoad, "", "not split by a dimension"},
		"no single segment": {func(in *diagnosis.Input) {
			in.Segments = &diagnosis.SegmentSplit{None: "no single segment explains the gap"}
		}, "", "No known cause matches", ""},
		"values in the wire format": {func(in *diagnosis.Input) {
			in.Probes = []diagnosis.Evidence{{System: "dead letter sample", Value: "50 of 50", At: at(12, 35)}}
		}, "", "No known cause matches", ""},
		"values without the wire format": {func(in *diagnosis.Input) {
			in.Probes = []diagnosis.Evidence{{System: "dead letter sample", Value: "0 of 50", At: at(12, 35)}}
		}, diagnosis.CauseMissingWireFormat, "", ""},
		"rejected rows stopped coming": {func(in *diagnosis.Input) {
			later := dead(0, time.Time{})
			later.At = at(14, 0)
			in.Signals = append(in.Signals, in.Results[1])
			in.Results = []checks.Result{later}
		}, diagnosis.CauseMissingWireFormat, "18,940", ""},
		"late, but rows were rejected": {func(in *diagnosis.Input) {
			in.Signals, in.Segments = []checks.Result{volume(checks.Late, 10)}, nil
		}, diagnosis.CauseMissingWireFormat, "", "not split by a dimension"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := day1()
			tc.change(&in)
			d := diagnosis.Diagnose(in, at(12, 36))
			top, _ := d.Top()
			if top.ID != tc.want {
				t.Fatalf("cause = %q, want %q; rejected %+v, unknown %v", top.ID, tc.want, d.Rejected, d.Unknown)
			}
			if !strings.Contains(d.Verdict, tc.verdict) || strings.ContainsAny(d.Verdict, "{}") {
				t.Errorf("verdict = %q, want it to say %q", d.Verdict, tc.verdict)
			}
			if !strings.Contains(strings.Join(top.Missing, "\n"), tc.missing) {
				t.Errorf("missing = %q, want %q", top.Missing, tc.missing)
			}
			if d.Late != (tc.want == diagnosis.CauseLateLoad) {
				t.Errorf("late = %v", d.Late)
			}
		})
	}
}

// TestDiagnosePicksTheFileThatTheSegmentNames has two files without an encoder.
func TestDiagnosePicksTheFileThatTheSegmentNames(t *testing.T) {
	t.Parallel()
	for name, changes := range map[string][]diagnosis.ChangeEvent{
		"by its description":  nil,
		"by its change event": {{ID: "1", System: "connect", Kind: "deploy", Asset: string(bridgeID), At: at(11, 0)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := day1()
			both := deployed()
			both["/connect/main.yaml"] = bridge
			in.Files, in.Changes = both, changes
			if changes != nil {
				in.Segments.Value = "elsewhere"
			}
			top, _ := diagnosis.Diagnose(in, at(12, 36)).Top()
			if top.Asset != bridgeID {
				t.Errorf("acts on %s, want %s", top.Asset, bridgeID)
			}
		})
	}
}

func TestDiagnoseChangeCounts(t *testing.T) {
	t.Parallel()
	score := func(changes ...diagnosis.ChangeEvent) float64 {
		in := day1()
		in.Changes = changes
		top, ok := diagnosis.Diagnose(in, at(12, 36)).Top()
		if !ok {
			t.Fatal("no cause")
		}
		return top.Score
	}
	event := func(asset string, when time.Time) diagnosis.ChangeEvent {
		return diagnosis.ChangeEvent{ID: asset + when.String(), System: "connect", Kind: "deploy", Asset: asset, At: when}
	}
	none, near, older := score(), score(event("bridge", at(10, 55))), score(event("bridge", at(8, 0)))
	strange, after := score(event("somewhere", at(10, 55))), score(event("bridge", at(11, 30)))
	if near <= older || older <= none {
		t.Errorf("near %.2f, older %.2f, none %.2f: nearer must weigh more", near, older, none)
	}
	if strange >= near {
		t.Errorf("a change of no ancestor weighs %.2f, of an ancestor %.2f", strange, near)
	}
	if after != none {
		t.Errorf("a change after the onset weighs %.2f, none %.2f", after, none)
	}
	in := day1()
	in.Changes = []diagnosis.ChangeEvent{event("bridge", at(11, 30))}
	if d := diagnosis.Diagnose(in, at(12, 36)); !rejected(d, "The deploy of bridge", "after the onset") {
		t.Errorf("rejected = %+v", d.Rejected)
	}
}

func TestDiagnoseUnknownSubjectAndErrors(t *testing.T) {
	t.Parallel()
	in := day1()
	in.Subject = "dbt://grid/model.grid.gone"
	in.Segments, in.Results = nil, nil
	d := diagnosis.Diagnose(in, at(12, 36))
	if len(d.Causes) != 0 || !strings.Contains(d.Verdict, "No known cause matches: model.grid.gone is off") {
		t.Errorf("verdict = %q, causes %v", d.Verdict, d.Causes)
	}
	in = day1()
	in.Results = append(in.Results, checks.Result{Check: "keys", Kind: checks.KindUnique, Asset: modelID, Status: checks.Error, Problem: "table is locked"})
	d = diagnosis.Diagnose(in, at(12, 36))
	if !slices.Contains(d.Unknown, "check keys could not be asked: table is locked") {
		t.Errorf("unknown = %q", d.Unknown)
	}
}

// TestDiagnoseAgainKeepsTheOnset looks a second time: the newest check has seen
// only the rows since the first.
func TestDiagnoseAgainKeepsTheOnset(t *testing.T) {
	t.Parallel()
	first := diagnosis.Diagnose(day1(), at(12, 36))
	again := day1()
	again.Earlier = &first
	later := dead(4000, at(12, 36))
	later.At, later.Count, later.Since = at(13, 35), 22940, at(12, 36)
	again.Results = []checks.Result{later}
	d := diagnosis.Diagnose(again, at(13, 36))
	if !d.Onset.Equal(at(11, 2)) || !strings.Contains(d.Verdict, "Since 11:02 UTC") || !strings.Contains(d.Verdict, "22,940 rows") {
		t.Errorf("onset %s, verdict %q", d.Onset, d.Verdict)
	}
}

// TestMetricsThatWereAsked are not said to be without a connection.
func TestMetricsThatWereAsked(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*diagnosis.Input){
		"answered": func(in *diagnosis.Input) {
			in.Probes = []diagnosis.Evidence{{System: "metrics", Value: "18,940", At: at(12, 35)}}
		},
		"failed": func(in *diagnosis.Input) { in.Unknown = []string{"metrics could not be asked: no answer"} },
	} {
		in := day1()
		change(&in)
		top, _ := diagnosis.Diagnose(in, at(12, 36)).Top()
		if strings.Contains(strings.Join(top.Missing, "\n"), "no metrics connection") {
			t.Errorf("%s: missing = %q", name, top.Missing)
		}
	}
}

// TestOnsetIsNotThatOfOldRejectedRows has a dead-letter table whose first check
// finds rows of last week.
func TestOnsetIsNotThatOfOldRejectedRows(t *testing.T) {
	t.Parallel()
	in := day1()
	old := dead(7, day.AddDate(0, 0, -7))
	old.Since = old.FirstRow
	in.Results = []checks.Result{old}
	if d := diagnosis.Diagnose(in, at(12, 36)); !d.Onset.Equal(at(11, 0)) {
		t.Errorf("onset = %s, want the start of the first bad bucket", d.Onset)
	}
}

// TestCatalogueIsComplete holds every name of the data against the code.
func TestCatalogueIsComplete(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for _, c := range diagnosis.Catalogue() {
		if ids[c.ID] || c.Title == "" || c.Why == "" || c.Verdict == "" || len(c.Signs) == 0 {
			t.Errorf("entry %q is incomplete or twice there", c.ID)
		}
		ids[c.ID] = true
	}
	for _, missing := range diagnosis.MissingNames() {
		t.Errorf("the catalogue names %q, which no code knows", missing)
	}
}
