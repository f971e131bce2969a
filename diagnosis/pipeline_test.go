package diagnosis_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dw/diagnosis"
)

func TestParsePipelineCoding(t *testing.T) {
	t.Parallel()
	const generate = "input:\n  generate: {mapping: 'root = {}'}\n"
	const encode = "    - schema_registry_encode: {url: http://registry:8081, subject: readings-value}\n"
	const drop = "    - catch:\n        - log: {message: no}\n        - mapping: root = deleted()\n"
	const write = "output:\n  kafka_franz:\n    topic: readings\n"
	for name, tc := range map[string]struct {
		file string
		want diagnosis.Coding
		why  string
	}{
		"never encoded":                      {generate + write, diagnosis.CodingRaw, "no schema_registry_encode"},
		"mapped, never encoded":              {generate + "pipeline:\n  processors:\n    - mapping: root = this\n" + write, diagnosis.CodingRaw, "no schema_registry_encode"},
		"encoded without a guard":            {generate + "pipeline:\n  processors:\n" + encode + write, diagnosis.CodingEncoded, "line 5"},
		"encoded and guarded":                {generate + "pipeline:\n  processors:\n" + encode + drop + write, diagnosis.CodingGuarded, "line 5"},
		"catch that drops nothing":           {generate + "pipeline:\n  processors:\n" + encode + "    - catch:\n        - log: {message: no}\n" + write, diagnosis.CodingEncoded, ""},
		"mapping drops what failed":          {generate + "pipeline:\n  processors:\n" + encode + "    - mapping: 'root = if errored() { deleted() }'\n" + write, diagnosis.CodingGuarded, ""},
		"rewritten after":                    {generate + "pipeline:\n  processors:\n" + encode + "    - mapping: root = this\n" + write, diagnosis.CodingRewritten, "mapping at line 6"},
		"only metadata after":                {generate + "pipeline:\n  processors:\n" + encode + "    - mapping: meta key = \"a\"\n" + write, diagnosis.CodingEncoded, ""},
		"log after":                          {generate + "pipeline:\n  processors:\n" + encode + "    - log: {message: hi}\n" + write, diagnosis.CodingEncoded, ""},
		"decoded again":                      {generate + "pipeline:\n  processors:\n" + encode + "    - schema_registry_decode: {url: u}\n" + write, diagnosis.CodingRaw, "takes the wire format off"},
		"encoded at the input":               {"input:\n  generate: {mapping: 'root = {}'}\n  processors:\n" + encode + write, diagnosis.CodingEncoded, ""},
		"one of two inputs encodes":          {"input:\n  broker:\n    inputs:\n      - generate: {mapping: 'root = {}'}\n        processors:\n          - schema_registry_encode: {url: u, subject: s}\n      - stdin: {}\n" + write, diagnosis.CodingRaw, ""},
		"encoded at the output":              {generate + write + "  processors:\n" + encode, diagnosis.CodingEncoded, ""},
		"rejects what failed":                {generate + "pipeline:\n  processors:\n" + encode + "output:\n  reject_errored:\n    kafka_franz:\n      topic: readings\n", diagnosis.CodingGuarded, ""},
		"encoded inside try":                 {generate + "pipeline:\n  processors:\n    - try:\n        - mapping: root = this\n        - schema_registry_encode: {url: u, subject: s}\n" + write, diagnosis.CodingEncoded, ""},
		"one case of a switch encodes":       {generate + "pipeline:\n  processors:\n    - switch:\n        - check: this.a == 1\n          processors:\n            - schema_registry_encode: {url: u, subject: s}\n" + write, diagnosis.CodingRaw, ""},
		"every case of a switch":             {generate + "pipeline:\n  processors:\n    - switch:\n        - check: this.a == 1\n          processors:\n            - schema_registry_encode: {url: u, subject: s}\n        - processors:\n            - schema_registry_encode: {url: u, subject: t}\n" + write, diagnosis.CodingEncoded, ""},
		"branch brings the value back":       {generate + "pipeline:\n  processors:\n    - branch:\n        processors:\n          - schema_registry_encode: {url: u, subject: s}\n        result_map: root = content()\n" + write, diagnosis.CodingEncoded, ""},
		"branch leaves the value alone":      {generate + "pipeline:\n  processors:\n    - branch:\n        processors:\n          - schema_registry_encode: {url: u, subject: s}\n" + write, diagnosis.CodingRaw, ""},
		"copied from a topic":                {"input:\n  redpanda:\n    topics: [a]\n" + write, diagnosis.CodingCopied, "another topic"},
		"copied and rewritten":               {"input:\n  redpanda:\n    topics: [a]\npipeline:\n  processors:\n    - mapping: root = this\n" + write, diagnosis.CodingRaw, "rewrites the value"},
		"rewritten in the output's batching": {generate + "pipeline:\n  processors:\n" + encode + write + "    batching:\n      processors:\n        - archive: {format: lines}\n", diagnosis.CodingRewritten, "archive at line 11"},
		"resource of this file":              {generate + "pipeline:\n  processors:\n    - resource: enc\n" + write + "processor_resources:\n  - label: enc\n    schema_registry_encode: {url: u, subject: s}\n", diagnosis.CodingEncoded, ""},
		"resource of another file":           {generate + "pipeline:\n  processors:\n    - resource: enc\n" + write, diagnosis.CodingUnknown, "another file"},
		"unknown processor":                  {generate + "pipeline:\n  processors:\n    - my_plugin: {}\n" + write, diagnosis.CodingUnknown, "my_plugin"},
		"alias":                              {"shared: &p\n  - schema_registry_encode: {url: u, subject: s}\n" + generate + "pipeline:\n  processors: *p\n" + write, diagnosis.CodingEncoded, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			writes, err := diagnosis.ParsePipeline([]byte(tc.file))
			if err != nil {
				t.Fatal(err)
			}
			if len(writes) != 1 {
				t.Fatalf("writes = %d, want 1", len(writes))
			}
			w := writes[0]
			if w.Coding != tc.want || !strings.Contains(w.Why, tc.why) {
				t.Errorf("coding %d because %q, want %d because %q", w.Coding, w.Why, tc.want, tc.why)
			}
			if w.Topic != "readings" || w.Output != "kafka_franz" {
				t.Errorf("write = %+v", w)
			}
		})
	}
}

func TestParsePipelineFindsEveryOutput(t *testing.T) {
	t.Parallel()
	const file = `
input:
  stdin: {}
output:
  switch:
    cases:
      - check: errored()
        output:
          kafka: {topic: failed}
      - check: this.kind == "a"
        output:
          label: first
          redpanda: {topic: a}
          processors:
            - schema_registry_encode: {url: u, subject: a-value}
      - output:
          broker:
            outputs:
              - fallback:
                  - redpanda_common: {topic: b}
                  - retry:
                      output:
                        ockam_kafka:
                          kafka: {topic: c}
              - drop: {}
`
	writes, err := diagnosis.ParsePipeline([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, w := range writes {
		got[w.Topic] = w.Output + " " + w.Path
	}
	want := map[string]string{
		"failed": "kafka output.switch.cases.0.output",
		"a":      "redpanda output.switch.cases.1.output",
		"b":      "redpanda_common output.switch.cases.2.output.broker.outputs.0.fallback.0",
		"c":      "ockam_kafka output.switch.cases.2.output.broker.outputs.0.fallback.1.retry.output",
	}
	for topic, where := range want {
		if got[topic] != where {
			t.Errorf("topic %s: %q, want %q", topic, got[topic], where)
		}
	}
	if len(got) != len(want) {
		t.Errorf("found %v", got)
	}
}

func TestParsePipelineSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ file, want string }{
		"not YAML":      {"input: [", "parse pipeline file"},
		"a list":        {"- a\n- b\n", "not a mapping"},
		"a scalar":      {"hello", "not a mapping"},
		"far too large": {strings.Repeat("a: b\n", 300_000), "more than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := diagnosis.ParsePipeline([]byte(tc.file)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want it to say %q", err, tc.want)
			}
		})
	}
}

// shared returns the folder of public sample data, or skips.
func shared(t *testing.T, parts ...string) string {
	t.Helper()
	root := os.Getenv("DW_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	} else if !filepath.IsAbs(root) {
		root = filepath.Join("..", root)
	}
	dir := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("sample data is missing: %v", err)
		}
		t.Skipf("sample data is missing: %v", err)
	}
	return dir
}

// TestParsePublicPipelines reads real pipelines. Those that write to a topic are
// judged by name; every other one must be read without a false finding.
func TestParsePublicPipelines(t *testing.T) {
	t.Parallel()
	dir := shared(t, "fixtures", "redpanda-connect")
	want := map[string]diagnosis.Coding{
		"resources/docker/cdc_schema_registry/cdc.yaml":                diagnosis.CodingGuarded,
		"resources/docker/schema_registry/in.yaml":                     diagnosis.CodingGuarded,
		"internal/impl/postgresql/bench/kafka-connector/producer.yaml": diagnosis.CodingRaw,
		"config/examples/joining_streams.yaml":                         diagnosis.CodingRaw,
	}
	seen := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		writes, err := diagnosis.ParsePipeline(text)
		if err != nil {
			t.Errorf("%s: %v", rel, err)
		}
		coding, named := want[filepath.ToSlash(rel)]
		for _, w := range writes {
			t.Logf("%s: %s %q coding %d: %s", rel, w.Path, w.Topic, w.Coding, w.Why)
			if named && w.Coding != coding {
				t.Errorf("%s: coding %d (%s), want %d", rel, w.Coding, w.Why, coding)
			}
		}
		if named && len(writes) > 0 {
			seen++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen != len(want) {
		t.Errorf("found %d of the %d named files", seen, len(want))
	}
}

func FuzzParsePipeline(f *testing.F) {
	f.Add([]byte("input:\n  stdin: {}\noutput:\n  kafka: {topic: a}\n"))
	f.Add([]byte("output: &o\n  switch:\n    cases:\n      - output: *o\n"))
	f.Add([]byte("output:\n  broker:\n    outputs: [kafka: {topic: a}, kafka: {topic: b}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		writes, err := diagnosis.ParsePipeline(text)
		if err != nil && writes != nil {
			t.Fatal("writes beside an error")
		}
		isTopic := func(string) bool { return true }
		e := diagnosis.Encoder{URL: "http://registry:8081", Subject: "a-value"}
		out, err := diagnosis.EncodeTopic(text, isTopic, e)
		if err != nil {
			return
		}
		after, err := diagnosis.ParsePipeline(out)
		if err != nil || len(after) != len(writes) {
			t.Fatalf("the edit broke the file: %v\n%s", err, out)
		}
	})
}
