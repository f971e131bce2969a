package diagnosis_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
)

// found is a result near the subject.
func found(check, kind string, asset lineage.AssetID, status checks.Status) checks.Result {
	return checks.Result{Check: check, Kind: kind, Asset: asset, Status: status, At: at(12, 20), Since: at(11, 0), Message: check + " says " + string(status)}
}

// refused is a check of the source that could not be asked.
func refused(problem string) checks.Result {
	r := found("readings fresh", checks.KindFreshness, sourceID, checks.Error)
	r.Problem, r.Since = problem, time.Time{}
	return r
}

// changed is a change event an hour before the onset.
func changed(kind string, asset lineage.AssetID, text string) diagnosis.ChangeEvent {
	return diagnosis.ChangeEvent{ID: "c1", System: "git", Kind: kind, Asset: string(asset), At: at(10, 0), Text: text}
}

// incident is the subject short of rows, with nothing rejected and nothing known
// of segments.
func incident() diagnosis.Input {
	in := day1()
	in.Segments, in.Changes = nil, nil
	in.Results = []checks.Result{dead(0, time.Time{})}
	return in
}

// wrong is the subject with a bad check of a kind and its rows on their baseline.
func wrong(kind string) diagnosis.Input {
	in := incident()
	in.Signals = []checks.Result{found("readings "+kind, kind, modelID, checks.Fail)}
	return in
}

// twist is an incident, and what makes another of it.
type twist struct {
	of     func() diagnosis.Input
	change func(*diagnosis.Input)
}

// causes holds for each class an incident of it, and one that looks alike and is
// none.
func causes() map[string][2]twist {
	say := func(problem string) func(*diagnosis.Input) {
		return func(in *diagnosis.Input) { in.Results = append(in.Results, refused(problem)) }
	}
	happened := func(events ...diagnosis.ChangeEvent) func(*diagnosis.Input) {
		return func(in *diagnosis.Input) { in.Changes = events }
	}
	both := func(changes ...func(*diagnosis.Input)) func(*diagnosis.Input) {
		return func(in *diagnosis.Input) {
			for _, change := range changes {
				change(in)
			}
		}
	}
	upstream := func(kind string, status checks.Status) func(*diagnosis.Input) {
		return func(in *diagnosis.Input) {
			in.Results = append(in.Results, found("source "+kind, kind, sourceID, status))
		}
	}
	after := changed("merge", modelID, "other join")
	after.At = at(12, 0)
	elsewhere := say("permission denied for table x")
	empty := func(in *diagnosis.Input) { in.Signals = []checks.Result{volume(checks.Fail, 0)} }
	rejected := func(in *diagnosis.Input) {
		in.Results = []checks.Result{dead(18940, at(11, 2))}
		in.Files = files{}
	}
	framed := func(n string) func(*diagnosis.Input) {
		return func(in *diagnosis.Input) {
			in.Probes = []diagnosis.Evidence{{System: "dead letter sample", What: "sampled values", Value: n, At: at(12, 35)}}
		}
	}
	inMode := func(mode string) func(*diagnosis.Input) {
		return func(in *diagnosis.Input) {
			g := in.Graph.(graph)
			topic := g.assets[topicID]
			topic.Properties = maps.Clone(topic.Properties)
			topic.Properties[diagnosis.PropIcebergMode] = mode
			g.assets[topicID] = topic
		}
	}
	dlq := func(text string) [2]twist {
		told := happened(changed("config", topicID, text))
		return [2]twist{{incident, both(rejected, framed("50 of 50"), told)}, {incident, told}} // told, and nothing is rejected
	}
	segment := func(in *diagnosis.Input) { in.Segments = split() }
	merged := happened(changed("merge", modelID, "other join"))
	return map[string][2]twist{
		"missing_wire_format":  {{day1, both()}, {day1, framed("50 of 50")}},
		"missing_feed_segment": {{incident, segment}, {incident, both(segment, rejected)}},
		"late_load":            {{incident, empty}, {incident, both(empty, rejected)}},
		"upstream_cascade":     {{incident, upstream(checks.KindRowCount, checks.Fail)}, {incident, upstream(checks.KindRowCount, checks.Pass)}},
		"not_scheduled":        {{incident, both(empty, happened(changed("config", buildID, "schedule paused by ops")))}, {incident, happened(changed("config", buildID, "schedule paused by ops"))}},
		"resource_timeout":     {{incident, say("statement timeout of 30s")}, {incident, elsewhere}},
		"permission_change":    {{incident, elsewhere}, {incident, say("statement timeout of 30s")}},
		"query_regression":     {{func() diagnosis.Input { return wrong(checks.KindMetric) }, merged}, {func() diagnosis.Input { return wrong(checks.KindMetric) }, happened(after)}},
		"join_fan_out":         {{func() diagnosis.Input { return wrong(checks.KindUnique) }, merged}, {func() diagnosis.Input { return wrong(checks.KindUnique) }, happened(after)}},
		"rerun":                {{func() diagnosis.Input { return wrong(checks.KindUnique) }, happened(after)}, {func() diagnosis.Input { return wrong(checks.KindUnique) }, merged}},
		"filter_change": {
			{incident, both(merged, upstream(checks.KindVolume, checks.Pass))},
			{incident, both(merged, upstream(checks.KindVolume, checks.Fail))},
		},
		"source_quality":      {{func() diagnosis.Input { return wrong(checks.KindMissing) }, upstream(checks.KindMissing, checks.Fail)}, {func() diagnosis.Input { return wrong(checks.KindMissing) }, upstream(checks.KindMissing, checks.Pass)}},
		"schema_drift":        {{func() diagnosis.Input { return wrong(checks.KindSchema) }, both()}, {func() diagnosis.Input { return wrong(checks.KindMissing) }, both()}},
		"warehouse_suspended": {{incident, say("the warehouse is suspended")}, {incident, say("the check is skipped")}},
		"cluster_failure":     {{incident, say("the database system is starting up")}, {incident, say("no such column")}},
		"network":             {{incident, say("dial tcp 10.0.0.3:5432: connection refused")}, {incident, say("no such table")}},
		"translation_paused": {
			{incident, happened(changed("config", topicID, "translation paused while the catalog moves"))},
			{incident, both(happened(changed("config", topicID, "translation paused while the catalog moves")), rejected)},
		},
		"dead_letter_unknown_schema": dlq("deleted subject readings-value"),
		"dead_letter_type":           dlq("invalid records: failed_data_translation"),
		"dead_letter_table_schema":   dlq("cluster upgraded to v25.3.1"),
		"unexpected_wire_format": {
			{incident, both(rejected, framed("50 of 50"), inMode("value_schema_latest"))},
			{incident, both(rejected, framed("50 of 50"), inMode("value_schema_id_prefix"))},
		},
		"dead_letter_schema": {
			{incident, both(rejected, framed("50 of 50"), happened(changed("schema", topicID, "version 4 drops a field")))},
			{incident, both(rejected, framed("0 of 50"), happened(changed("schema", topicID, "version 4 drops a field")))},
		},
	}
}

// TestEachCause holds every class of the catalogue to an incident of which it is
// the best cause, and to one that looks alike and of which it is none.
func TestEachCause(t *testing.T) {
	t.Parallel()
	cases := causes()
	for _, class := range diagnosis.Catalogue() {
		t.Run(class.ID, func(t *testing.T) {
			t.Parallel()
			twists, known := cases[class.ID]
			if !known {
				t.Fatal("it has no incident here")
			}
			in := twists[0].of()
			twists[0].change(&in)
			d := diagnosis.Diagnose(in, at(12, 36))
			top, _ := d.Top()
			if top.ID != class.ID || len(top.Evidence) == 0 || strings.ContainsAny(d.Verdict+top.Why, "{}") {
				t.Errorf("cause %q with %d facts, verdict %q; of %+v; rejected %+v, unknown %v", top.ID, len(top.Evidence), d.Verdict, d.Causes, d.Rejected, d.Unknown)
			}
			other := twists[1].of()
			twists[1].change(&other)
			if d := diagnosis.Diagnose(other, at(12, 36)); slices.ContainsFunc(d.Causes, func(c diagnosis.Cause) bool { return c.ID == class.ID }) {
				t.Errorf("it is named for what only looks alike: %+v", d.Causes)
			}
		})
	}
}

// TestReadCatalogue reads the file that is embedded, and refuses what is wrong.
func TestReadCatalogue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("causes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	classes, err := diagnosis.ReadCatalogue(text)
	if err != nil || len(classes) != len(diagnosis.Catalogue()) {
		t.Fatalf("%d classes: %v", len(classes), err)
	}
	for name, change := range map[string][2]string{
		"a question that is none":   {"ask: load_late", "ask: load_latest"},
		"a step that is none":       {"steps: [encode_before_output]", "steps: [encode]"},
		"a need that is none":       {"need: must, weight: 0.5", "need: may, weight: 0.5"},
		"a key that is none":        {"at_feed: true", "at_fed: true"},
		"words where none are read": {"{ask: load_late, need", "{ask: load_late, of: [x], need"},
		"no words":                  {"of: [unique], need: must, weight: 2", "need: must, weight: 2"},
		"no undo":                   {"  undo: nothing was changed\n", ""},
		"an id that comes twice":    {"id: late_load", "id: missing_wire_format"},
		"a first sign that may be":  {"{ask: schema_changed, need: must, weight: 3}", "{ask: schema_changed, need: want, weight: 3}"},
		"a plan that does nothing":  {"holds: true}", "holds: false}"},
	} {
		broken := strings.Replace(string(text), change[0], change[1], 1)
		if _, err := diagnosis.ReadCatalogue([]byte(broken)); broken == string(text) || err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// TestCausesAreDocumented: docs/causes.md has a line for each.
func TestCausesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/causes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range diagnosis.Catalogue() {
		if !strings.Contains(string(text), "| `"+class.ID+"` |") {
			t.Errorf("docs/causes.md does not tell of %s", class.ID)
		}
	}
}
