package signals

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// toolOfFile is the tool that a file of testdata is named after.
func toolOfFile(t testing.TB, path string) string {
	t.Helper()
	for _, name := range Tools() {
		if strings.HasPrefix(filepath.Base(path), name) {
			return name
		}
	}
	t.Fatalf("%s is named after no tool", path)
	return ""
}

func payloads(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no payloads", err)
	}
	return files
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestPayloadsAreDecoded(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, path := range payloads(t) {
		name := toolOfFile(t, path)
		seen[name] = true
		found, err := Decode(name, readFile(t, path))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var lines strings.Builder
		for _, s := range found {
			if len(s.Run) == 32 {
				s.Run = "(digest of the payload)"
			}
			line, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(line, '\n'))
		}
		golden := strings.TrimSuffix(path, ".json") + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(lines.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if want := string(readFile(t, golden)); lines.String() != want {
			t.Errorf("%s:\n%s\nwant\n%s", path, lines.String(), want)
		}
		for _, private := range []string{"secret@example.com", "a@b.example"} {
			if strings.Contains(lines.String(), private) {
				t.Errorf("%s: a value of a row is in the signals", path)
			}
		}
	}
	for _, name := range Tools() {
		if !seen[name] {
			t.Errorf("no payload of %s", name)
		}
	}
}

func TestWhatIsNeededAndMissingIsNamed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ tool, body, want string }{
		"no such tool":                  {"nagios", `{}`, `no such tool: "nagios"`},
		"empty":                         {Soda, "  ", "the body is empty"},
		"not UTF-8":                     {Soda, "{\"a\":\"\xff\"}", "not UTF-8"},
		"no JSON":                       {DBT, `<html>`, "not what dbt sends: invalid character"},
		"two values":                    {DBT, `{"results":[],"metadata":{"dbt_schema_version":"x"}} {}`, "something follows"},
		"alerts missing":                {Alertmanager, `{"version":"4"}`, "alerts is missing"},
		"alert without a name":          {Alertmanager, `{"alerts":[{"status":"firing","labels":{}}]}`, "alerts[0]: the label alertname is missing"},
		"alert without a start":         {Alertmanager, `{"alerts":[{"status":"firing","labels":{"alertname":"a"}}]}`, "startsAt is missing"},
		"alert in an unknown state":     {Alertmanager, `{"alerts":[{"status":"odd","startsAt":"2026-03-04T10:00:00Z","labels":{"alertname":"a"}}]}`, `"odd" is neither firing nor resolved`},
		"datadog's default payload":     {Datadog, `{"id":"1","title":"x","date":"1"}`, "alert_id is missing: write $ALERT_ID"},
		"datadog without a transition":  {Datadog, `{"alert_id":"1"}`, "write $ALERT_TRANSITION"},
		"datadog in an unknown state":   {Datadog, `{"alert_id":"1","alert_transition":"odd"}`, `"odd" is not one that is known`},
		"dbt manifest":                  {DBT, `{"metadata":{"dbt_schema_version":"m"},"nodes":{}}`, "results is missing"},
		"dbt results of no dbt":         {DBT, `{"results":[]}`, "dbt_schema_version is missing"},
		"dbt result of nothing":         {DBT, `{"metadata":{"dbt_schema_version":"m"},"results":[{"status":"pass"}]}`, "results[0]: unique_id is missing"},
		"dbt in an unknown state":       {DBT, `{"metadata":{"dbt_schema_version":"m"},"results":[{"unique_id":"a.b.c","status":"odd"}]}`, `status "odd" of a.b.c`},
		"elementary without a test":     {Elementary, `[{"status":"fail"}]`, "row 1: test_unique_id is missing"},
		"elementary in an odd state":    {Elementary, `{"test_unique_id":"a","status":"odd"}`, `row 1: status "odd"`},
		"expectations of nothing":       {GreatExpectations, `{"success":true}`, "neither results nor run_results"},
		"expectations about nothing":    {GreatExpectations, `{"results":[],"meta":{}}`, "neither the data nor the suite"},
		"expectation without a verdict": {GreatExpectations, `{"suite_name":"s","results":[{"expectation_config":{"type":"t"}}]}`, "results[0]: success"},
		"monte carlo without an id":     {MonteCarlo, `{"type":"x","payload":{}}`, "alert_id and payload.incident_id are missing"},
		"monte carlo without a type":    {MonteCarlo, `{"payload":{"alert_id":"1"}}`, "type is missing"},
		"monte carlo in an odd state":   {MonteCarlo, `{"type":"x","payload":{"alert_id":"1","alert_feedback":"odd"}}`, `alert_feedback "odd"`},
		"soda without checks":           {Soda, `{"hasErrors":false}`, "neither checks nor checkResults"},
		"soda check without a name":     {Soda, `{"checks":[{"outcome":"pass"}]}`, "check 1: name is missing"},
		"soda in an odd state":          {Soda, `{"checks":[{"name":"n","outcome":"odd"}]}`, `outcome "odd" of n`},
		"airflow without a dag":         {Airflow, `{"run_id":"r","state":"failed"}`, "dag_id is missing"},
		"airflow without a run":         {Airflow, `{"dag_id":"d","state":"failed"}`, "run_id is missing"},
		"airflow still running":         {Airflow, `{"dag_id":"d","run_id":"r","state":"running"}`, `state "running"`},
		"dagster without a run":         {Dagster, `{"job_name":"j"}`, "run_id is missing"},
		"dagster without a job":         {Dagster, `{"run_id":"r","status":"FAILURE"}`, "job_name is missing"},
		"dagster check without verdict": {Dagster, `{"run_id":"r","asset_check":"c","asset":"a"}`, "passed or asset is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := Decode(tc.tool, []byte(tc.body))
			if err == nil || !strings.Contains(err.Error(), tc.want) || found != nil {
				t.Errorf("%v, %v; want an error with %q", found, err, tc.want)
			}
		})
	}
}

func TestTextsAreFitToBeShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 2000)
	body := `{"checks":[{"name":"` + long + `","table":"a\nb\u0007c","outcome":"fail","cloudUrl":"https://x.example/\u0000"}]}`
	found, err := Decode(Soda, []byte(body))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	s := found[0]
	if len(s.Check) > maxName || !strings.HasSuffix(s.Check, "é…") || s.Named[0] != "a b c" || s.URL != "" || len(s.Message) > maxText {
		t.Errorf("%q, %q, %q, %d bytes", s.Check, s.Named, s.URL, len(s.Message))
	}
}

func TestAnEventIsTheSameForEachDeliveryAndOtherwiseNot(t *testing.T) {
	t.Parallel()
	one := Signal{Check: "c", Run: "r", Status: "fail"}
	other := map[string]Signal{
		"check":  {Check: "d", Run: "r", Status: "fail"},
		"run":    {Check: "c", Run: "s", Status: "fail"},
		"status": {Check: "c", Run: "r", Status: "pass"},
	}
	same := Signal{Check: "c", Run: "r", Status: "fail", Message: "worded anew"}
	if one.Event("a") != same.Event("a") || one.Event("a") == one.Event("b") {
		t.Error("the source does not tell events apart")
	}
	for name, s := range other {
		if s.Event("a") == one.Event("a") {
			t.Errorf("another %s is taken for a repeat", name)
		}
	}
}
