package diagnosis_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dw/diagnosis"
)

// git runs git in dir, away from the configuration of the machine.
func git(t *testing.T, dir string, stdin string, args ...string) error {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("git is needed")
	}
	cmd := exec.CommandContext(context.Background(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("git %v: %s", args, out)
	}
	return err
}

// applied writes before to a work tree, lets git apply the diff there, and
// returns the file. It also applies the diff backwards and compares.
func applied(t *testing.T, name string, before []byte, diff string) []byte {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "below", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := git(t, dir, "", "init", "-q"); err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(dir, "below")
	for _, args := range [][]string{{"apply", "--check", "-"}, {"apply", "-"}} {
		if err := git(t, sub, diff, args...); err != nil {
			t.Fatalf("git %v refused the diff:\n%s", args, diff)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := git(t, sub, diff, "apply", "-R", "-"); err != nil {
		t.Fatalf("git refused the diff backwards:\n%s", diff)
	}
	if back, err := os.ReadFile(path); err != nil || string(back) != string(before) {
		t.Fatalf("undone file differs: %v\n%q\n%q", err, back, before)
	}
	return after
}

func encoderOf() diagnosis.Encoder {
	return diagnosis.Encoder{URL: "http://registry:8081", Subject: "readings-value", RawJSON: true}
}

func isReadings(name string) bool { return name == "readings" }

const bridge = `# bridge of the north feed
input:
  http_server:
    path: /readings # posts only

pipeline:
  threads: 2
  processors:
    # keep what we know
    - mapping: |
        root = this

        # a comment inside the mapping
        root.source = "bridge"

# where it goes
output:
  kafka_franz:
    seed_brokers: [ "broker:9092" ]
    topic: readings
`

func TestEncodeTopicAppliesWithGit(t *testing.T) {
	t.Parallel()
	nested := strings.Replace(bridge, "output:\n  kafka_franz:\n    seed_brokers: [ \"broker:9092\" ]\n    topic: readings\n", `output:
  switch:
    cases:
      - check: this.kind == "a"
        output:
          kafka_franz:
            topic: readings

      - output:
          kafka_franz:
            topic: others
`, 1)
	for name, before := range map[string]string{
		"end of pipeline.processors":     bridge,
		"windows line ends":              strings.ReplaceAll(bridge, "\n", "\r\n"),
		"no newline at the end":          strings.TrimSuffix(bridge, "\n"),
		"no pipeline section":            "input:\n  stdin: {}\noutput:\n  kafka:\n    topic: readings\n",
		"no pipeline, no newline":        "input:\n  stdin: {}\noutput:\n  kafka:\n    topic: readings",
		"empty processors":               "input:\n  stdin: {}\npipeline:\n  processors: []\noutput:\n  kafka:\n    topic: readings\n",
		"dashes under their key":         "input:\n  stdin: {}\npipeline:\n  processors:\n  - mapping: root = this\n  - log:\n      message: hi\noutput:\n  kafka:\n    topic: readings\n",
		"output with own processors":     "input:\n  stdin: {}\noutput:\n  processors:\n    - mapping: root = this\n  kafka:\n    topic: readings\n",
		"one case of a switch":           nested,
		"pipeline last in the file":      "output:\n  kafka:\n    topic: readings\ninput:\n  stdin: {}\npipeline:\n  processors:\n    - mapping: |\n        root = this\n\n\n",
		"encoder there, guard missing":   "input:\n  stdin: {}\npipeline:\n  processors:\n    - schema_registry_encode: {url: u, subject: s}\noutput:\n  kafka:\n    topic: readings\n",
		"list of outputs":                "input:\n  stdin: {}\noutput:\n  broker:\n    outputs:\n    - kafka:\n        topic: readings\n    - drop: {}\n",
		"comment at the end of the list": "input:\n  stdin: {}\npipeline:\n  processors:\n    - mapping: root = this\n    # the end\n\n\noutput:\n  kafka:\n    topic: readings\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := diagnosis.EncodeTopic([]byte(before), isReadings, encoderOf())
			if err != nil {
				t.Fatal(err)
			}
			diff, err := diagnosis.UnifiedDiff("pipelines/bridge.yaml", []byte(before), out)
			if err != nil {
				t.Fatal(err)
			}
			for l := range strings.Lines(diff) {
				if strings.HasPrefix(l, "-") && !strings.HasPrefix(l, "---") && !strings.Contains(before, strings.TrimRight(l[1:], "\r\n")) {
					t.Errorf("removes %q, which the file does not hold", l)
				}
			}
			after := applied(t, "pipelines/bridge.yaml", []byte(before), diff)
			if string(after) != string(out) {
				t.Errorf("git made another file:\n%s\nwant\n%s", after, out)
			}
			if strings.Contains(before, "\r\n") && strings.Count(string(after), "\n") != strings.Count(string(after), "\r\n") {
				t.Error("line ends are mixed")
			}
			writes, err := diagnosis.ParsePipeline(after)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range writes {
				if isReadings(w.Topic) && w.Coding != diagnosis.CodingGuarded {
					t.Errorf("%s is still coding %d: %s", w.Path, w.Coding, w.Why)
				}
			}
			for l := range strings.Lines(before) {
				if strings.TrimSpace(l) != "processors: []" && !strings.Contains(string(after), strings.TrimRight(l, "\r\n")) {
					t.Errorf("line %q is gone", l)
				}
			}
		})
	}
}

func TestEncodeTopicKeepsTheRest(t *testing.T) {
	t.Parallel()
	out, err := diagnosis.EncodeTopic([]byte(bridge), isReadings, encoderOf())
	if err != nil {
		t.Fatal(err)
	}
	diff, err := diagnosis.UnifiedDiff("bridge.yaml", []byte(bridge), out)
	if err != nil {
		t.Fatal(err)
	}
	const want = `--- a/bridge.yaml
+++ b/bridge.yaml
@@ -13,6 +13,16 @@
         # a comment inside the mapping
         root.source = "bridge"
 
+    - schema_registry_encode:
+        url: "http://registry:8081"
+        subject: "readings-value"
+        avro:
+          raw_json: true
+    - catch:
+        - log:
+            level: ERROR
+            message: 'record dropped, it could not be encoded: ${! error() }'
+        - mapping: root = deleted()
 # where it goes
 output:
   kafka_franz:
`
	got := strings.ReplaceAll(diff, "+\n", "")
	if !sameEdit(got, want) {
		t.Errorf("diff:\n%s\nwant the lines of\n%s", diff, want)
	}
}

// sameEdit compares added lines only: which of several blank lines counts as
// context is up to the diff.
func sameEdit(a, b string) bool {
	added := func(s string) (out string) {
		for l := range strings.Lines(s) {
			if strings.HasPrefix(l, "+") || strings.HasPrefix(l, "-") {
				out += l
			}
		}
		return out
	}
	return added(a) == added(b)
}

func TestEncodeTopicRefuses(t *testing.T) {
	t.Parallel()
	const in = "input:\n  stdin: {}\n"
	const out = "output:\n  kafka:\n    topic: readings\n"
	for name, tc := range map[string]struct {
		file, want string
		none       bool
	}{
		"already done":      {in + "pipeline:\n  processors:\n    - schema_registry_encode: {url: u, subject: s}\n    - catch:\n        - mapping: root = deleted()\n" + out, "no change needed", true},
		"braces":            {in + "pipeline: {processors: [{mapping: root = this}]}\n" + out, "braces", false},
		"list in brackets":  {in + "pipeline:\n  processors: [{mapping: root = this}]\n" + out, "unknown layout", false},
		"shared by anchor":  {"x: &p\n  - mapping: root = this\n" + in + "pipeline:\n  processors: *p\n" + out, "no diff could be made", false},
		"rewritten after":   {in + "pipeline:\n  processors:\n    - schema_registry_encode: {url: u, subject: s}\n    - mapping: root = this\n" + out, "a person must decide", false},
		"unknown processor": {in + "pipeline:\n  processors:\n    - my_plugin: {}\n" + out, "my_plugin", false},
		"another topic":     {in + "output:\n  kafka:\n    topic: others\n", "no output of the file names the topic", false},
		"topic at run time": {in + "output:\n  kafka:\n    topic: ${TOPIC}\n", "no output of the file names the topic", false},
		"archived later":    {in + "output:\n  kafka:\n    topic: readings\n    batching:\n      processors:\n        - archive: {format: lines}\n", "would be wrong", false},
		"not YAML":          {"input: [", "parse pipeline file", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := diagnosis.EncodeTopic([]byte(tc.file), isReadings, encoderOf())
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("error = %v, want it to say %q", err, tc.want)
			}
			if errors.Is(err, diagnosis.ErrNoChangeNeeded) != tc.none {
				t.Errorf("errors.Is(ErrNoChangeNeeded) = %v", !tc.none)
			}
		})
	}
}

// TestEncodePublicPipelines edits the real pipelines that write raw values.
func TestEncodePublicPipelines(t *testing.T) {
	t.Parallel()
	dir := shared(t, "fixtures", "redpanda-connect")
	for name, topic := range map[string]string{
		"internal/impl/postgresql/bench/kafka-connector/producer.yaml": "bench-events",
	} {
		before, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		out, err := diagnosis.EncodeTopic(before, func(s string) bool { return s == topic }, encoderOf())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		diff, err := diagnosis.UnifiedDiff(name, before, out)
		if err != nil {
			t.Fatal(err)
		}
		if after := applied(t, name, before, diff); string(after) != string(out) {
			t.Errorf("%s: git made another file", name)
		}
	}
}

func TestUnifiedDiffNames(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"a.yaml": true, "a b/c d.yaml": true, "ü.yaml": true,
		"": false, "/etc/a": false, "../a": false, "a/../b": false, "a\nb": false, `a"b`: false,
	} {
		diff, err := diagnosis.UnifiedDiff(name, []byte("one\n"), []byte("two"))
		if (err == nil) != ok {
			t.Errorf("name %q: %v", name, err)
			continue
		}
		if ok && string(applied(t, name, []byte("one\n"), diff)) != "two" {
			t.Errorf("name %q: wrong file", name)
		}
	}
	if _, err := diagnosis.UnifiedDiff("a", []byte("x"), []byte("x")); err == nil {
		t.Error("an empty diff is no error")
	}
}
