package app_test

import (
	"strings"
	"testing"
	"time"

	"dw/app"
	"dw/config"
	"dw/intake/metrics"
)

// pushing lets metrics in, and has a check that judges one.
func pushing(text string) string {
	text = strings.Replace(text, "\nconnections:\n", "\nconnections:\n  pushed: {kind: pushed}\n", 1)
	text = strings.Replace(text, "\nchecks:\n", `
checks:
  - name: latency
    kind: metric
    asset: fct_readings
    connection: pushed
    table: shop.latency
    expression: avg(value)
    time_column: at
    bucket: hour
    threshold: "< 100"
    schedule: 0 0 1 1 *
`, 1)
	return text + "\nmetrics: {tokens: [" + intakeKey + "]}\n"
}

// TestPushedMetricIsJudged: a value that is pushed to the running dw is judged as
// one that was queried, opens an incident, and the same again changes nothing.
func TestPushedMetricIsJudged(t *testing.T) {
	t.Parallel()
	r := start(t, pushing)
	project, err := app.LoadProject(r.path("config.yaml"), config.OS(), true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = project.Close() })
	push := func(at time.Time, value float64) (metrics.Answer, error) {
		return app.PushMetrics(t.Context(), project.Config, "http://"+r.address, []metrics.Value{{Metric: "shop.latency", At: at, Value: value}})
	}
	if answer := r.ask(outsider, "check run latency"); !strings.Contains(answer, "shop.latency does not exist") {
		t.Errorf("a metric that was never pushed: %s", answer)
	}
	at := project.Now().Truncate(time.Hour).Add(-10 * time.Minute)
	for _, want := range []metrics.Answer{{Recorded: 1}, {Known: 1}} {
		if got, err := push(at, 250); err != nil || got != want {
			t.Fatalf("pushed: %+v, %v; want %+v", got, err, want)
		}
	}
	if got, err := push(at, 20); err != nil || got.Other != 1 {
		t.Errorf("another value at the same time: %+v, %v", got, err)
	}
	if _, err := push(project.Now().Add(time.Hour), 1); err == nil || !strings.Contains(err.Error(), "at lies in the future") {
		t.Errorf("a value of the future: %v", err)
	}
	if answer := r.ask(outsider, "check run latency"); !strings.Contains(answer, "fail ") || !strings.Contains(answer, "is 250") {
		t.Errorf("the pushed value is judged so: %s", answer)
	}
	r.see("latency", "is 250")
	if opened := r.receipts("incident.opened"); len(opened) != 1 {
		t.Errorf("incidents %+v", opened)
	}
	// The command line asks the same database.
	results, err := project.RunChecks(t.Context(), []string{"latency"})
	if err != nil || len(results) != 1 || !strings.Contains(results[0].Message, "is 250") {
		t.Errorf("from another process: %+v, %v", results, err)
	}
}
