package dagster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dw/connectors/dagster"
	"dw/connectors/internal/rest"
	"dw/diagnosis"
	"dw/workflows"

	"go.uber.org/goleak"

	fake "dw/internal/fakes/dagster"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "s3cret-token"

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// vendor is a stand-in with a client that talks to it over HTTP.
type vendor struct {
	*fake.Server
	client *dagster.Client
	log    *bytes.Buffer
}

func start(t *testing.T, change func(*fake.Options)) vendor {
	t.Helper()
	var ids atomic.Int64
	o := fake.Options{
		Location: "grid", Repository: "main", Jobs: []string{"build", "broken"}, Token: token,
		Schedules: []fake.Schedule{{Name: "build_schedule", Job: "build", Cron: "0 * * * *", Running: true}},
		Runner:    func(context.Context, string) error { return nil },
		Now:       func() time.Time { return noon },
		NewID:     func() string { return fmt.Sprintf("run-%d", ids.Add(1)) },
	}
	if change != nil {
		change(&o)
	}
	server, err := fake.New(o)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		web.Close()
	})
	var log bytes.Buffer
	client, err := dagster.New(dagster.Options{
		URL: web.URL, Token: token, Location: "grid", Repository: "main", Timeout: 2 * time.Second, Transport: transport,
		Now: func() time.Time { return noon }, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	return vendor{Server: server, client: client, log: &log}
}

func launch(target string) diagnosis.Action {
	return diagnosis.Action{System: "dagster", Name: diagnosis.ActionLaunchJob, Target: "dagster://build", Args: map[string]string{"job": target}}
}

// ended waits until the run is over, by the stand-in's own signal.
func ended(t *testing.T, v vendor, a diagnosis.Action, id string) workflows.Run {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for {
		r, err := v.client.State(ctx, a, id)
		if err != nil {
			t.Fatal(err)
		}
		if r.Done {
			return r
		}
	}
}

func TestLaunchAndReadBack(t *testing.T) {
	t.Parallel()
	v := start(t, func(o *fake.Options) {
		o.Runner = func(_ context.Context, job string) error {
			if job == "broken" {
				return errors.New("no")
			}
			return nil
		}
	})
	for job, ok := range map[string]bool{"build": true, "broken": false} {
		a := launch(job)
		r, err := v.client.Launch(context.Background(), a, "step-"+job)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(r.URL, "/runs/"+r.ID) || r.ID == "" {
			t.Errorf("run = %+v", r)
		}
		if end := ended(t, v, a, r.ID); end.OK != ok {
			t.Errorf("%s ended %+v, want ok = %v", job, end, ok)
		}
		found, is, err := v.client.FindByTag(context.Background(), a, "step-"+job)
		if err != nil || !is || found.ID != r.ID {
			t.Errorf("find by tag: %+v, %v, %v", found, is, err)
		}
	}
	if _, is, err := v.client.FindByTag(context.Background(), launch("build"), "another"); is || err != nil {
		t.Errorf("a tag that no run has: %v, %v", is, err)
	}
	if strings.Contains(v.log.String(), token) {
		t.Error("the log holds the token")
	}
}

// TestLaunchIsNeverSentTwice holds what makes a second launch impossible: after
// an unclear outcome the run is found by its tag.
func TestLaunchIsNeverSentTwice(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault fake.FaultKind
		runs  int
	}{
		"answer cut":            {fake.CutAfterEffect, 1},
		"status 500":            {fake.Status500, 0},
		"python error":          {fake.PythonError, 1},
		"errors in the answer":  {fake.TopLevelError, 0},
		"no answer in the time": {fake.HangAfterEffect, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := start(t, nil)
			v.Fail(fake.Fault{Field: "launchRun", Kind: tc.fault})
			ctx := context.Background()
			_, err := v.client.Launch(ctx, launch("build"), "step-1")
			var unclear *workflows.UnclearError
			if !errors.As(err, &unclear) || !strings.Contains(err.Error(), "dagster: launch job build") {
				t.Fatalf("error = %v, want unclear", err)
			}
			want := tc.runs
			if tc.fault == fake.PythonError {
				want = 0 // the stand-in fails before the effect; the client cannot know
			}
			if len(v.Runs()) != want {
				t.Errorf("%d runs, want %d", len(v.Runs()), want)
			}
			_, found, err := v.client.FindByTag(ctx, launch("build"), "step-1")
			if err != nil || found != (want == 1) {
				t.Errorf("find by tag: %v, %v", found, err)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	ctx := context.Background()
	unknown := launch("nothing")
	elsewhere := launch("build")
	elsewhere.Args["location"] = "other"
	for name, tc := range map[string]struct {
		call func() error
		want string
	}{
		"unknown job":      {func() error { _, err := v.client.Launch(ctx, unknown, "t"); return err }, "PipelineNotFoundError: Could not find Pipeline grid.main.nothing"},
		"unknown location": {func() error { _, err := v.client.Launch(ctx, elsewhere, "t"); return err }, "other.main.build"},
		"unknown run":      {func() error { _, err := v.client.State(ctx, launch("build"), "run-x"); return err }, "RunNotFoundError"},
		"no tag":           {func() error { _, err := v.client.Launch(ctx, launch("build"), ""); return err }, "tag is needed"},
		"unknown action":   {func() error { _, err := v.client.Launch(ctx, diagnosis.Action{Name: "apply_diff"}, "t"); return err }, "not one that the connector offers"},
		"unknown schedule": {func() error { _, err := v.client.Observe(ctx, step(diagnosis.ActionPauseSchedule, "gone")); return err }, "ScheduleNotFoundError"},
		"pause of no one": {func() error {
			_, err := v.client.Launch(ctx, step(diagnosis.ActionPauseSchedule, "gone").Action, "t")
			return err
		}, "ScheduleNotFoundError"},
		"observe of a launch": {func() error {
			_, err := v.client.Observe(ctx, diagnosis.PlannedStep{Action: launch("build")})
			return err
		}, "not one that the connector offers"},
	} {
		err := tc.call()
		var unclear *workflows.UnclearError
		if err == nil || !strings.Contains(err.Error(), tc.want) || errors.As(err, &unclear) {
			t.Errorf("%s: error = %v, want a refusal that says %q", name, err, tc.want)
		}
	}
	if len(v.Runs()) != 0 {
		t.Errorf("refused launches ran: %+v", v.Runs())
	}
}

func TestTwoRunsWithOneTagNeedAPerson(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	for range 2 {
		if _, err := v.client.Launch(context.Background(), launch("build"), "same"); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := v.client.FindByTag(context.Background(), launch("build"), "same"); err == nil || !strings.Contains(err.Error(), "a person must choose") {
		t.Errorf("error = %v", err)
	}
}

func TestWrongTokenIsRefused(t *testing.T) {
	t.Parallel()
	v := start(t, func(o *fake.Options) { o.Token = "another" })
	_, err := v.client.Launch(context.Background(), launch("build"), "t")
	var refused *rest.RefusedError
	if !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized || strings.Contains(err.Error(), token) {
		t.Errorf("error = %v", err)
	}
}

func step(name, schedule string) diagnosis.PlannedStep {
	return diagnosis.PlannedStep{Action: diagnosis.Action{
		System: "dagster", Name: name, Target: "dagster://build", Args: map[string]string{"schedule": schedule},
	}}
}

// TestSchedules pauses and resumes on a server of today and on an older one.
func TestSchedules(t *testing.T) {
	t.Parallel()
	for name, old := range map[string]bool{"today": false, "older": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := start(t, func(o *fake.Options) { o.OldStop = old })
			ctx := context.Background()
			for _, tc := range []struct {
				action string
				state  string
			}{{diagnosis.ActionPauseSchedule, "STOPPED"}, {diagnosis.ActionResumeSchedule, "RUNNING"}} {
				s := step(tc.action, "")
				before, err := v.client.Observe(ctx, s)
				if err != nil || before.Done {
					t.Fatalf("before %s: %+v, %v", tc.action, before, err)
				}
				r, err := v.client.Launch(ctx, s.Action, "t")
				if err != nil || !r.OK || r.State != tc.state {
					t.Fatalf("%s: %+v, %v", tc.action, r, err)
				}
				if sch, _ := v.Schedule("build_schedule"); sch.Running != (tc.state == "RUNNING") {
					t.Errorf("the schedule is %+v after %s", sch, tc.action)
				}
				after, err := v.client.Observe(ctx, s)
				want := "schedule build_schedule is " + tc.state + ", read from dagster"
				if err != nil || !after.Done || after.Text != want || !after.At.Equal(noon) {
					t.Errorf("after %s: %+v, %v", tc.action, after, err)
				}
				if _, found, err := v.client.FindByTag(ctx, s.Action, "t"); err != nil || !found {
					t.Errorf("found = %v, %v", found, err)
				}
			}
		})
	}
}

func TestObserveWhatAPersonDid(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	v.SetRunning("build_schedule", false)
	o, err := v.client.Observe(context.Background(), step(diagnosis.ActionPauseSchedule, "build_schedule"))
	if err != nil || !o.Done {
		t.Errorf("observed %+v, %v", o, err)
	}
	if v.client.Known(launch("build")) || !v.client.Known(step(diagnosis.ActionPauseSchedule, "").Action) {
		t.Error("Known is wrong")
	}
	if v.client.Known(diagnosis.Action{System: "airflow", Name: diagnosis.ActionPauseSchedule}) {
		t.Error("knows another system's schedules")
	}
}

// TestLaunchOnAnOlderServer launches by the older mutation.
func TestLaunchOnAnOlderServer(t *testing.T) {
	t.Parallel()
	v := start(t, func(o *fake.Options) { o.OldLaunch = true })
	r, err := v.client.Launch(context.Background(), launch("build"), "t")
	if err != nil || r.ID == "" || len(v.Runs()) != 1 {
		t.Errorf("run %+v, %v", r, err)
	}
}

func TestTargetForms(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	a := diagnosis.Action{System: "dagster", Name: diagnosis.ActionLaunchJob, Target: "dagster://grid/main/build"}
	if _, err := v.client.Launch(context.Background(), a, "t"); err != nil {
		t.Error(err)
	}
	bare, err := dagster.New(dagster.Options{URL: "http://localhost:1", Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	a.Target = "dagster://build"
	if _, err := bare.Launch(context.Background(), a, "t"); err == nil || !strings.Contains(err.Error(), "dagster.location") {
		t.Errorf("error = %v", err)
	}
}
