package dagster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dw/internal/fakes/dagster"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func standIn(t *testing.T, change func(*dagster.Options)) *dagster.Server {
	t.Helper()
	n := 0
	o := dagster.Options{
		Location: "grid", Repository: "main", Jobs: []string{"build"},
		Runner: func(context.Context, string) error { return nil },
		Now:    func() time.Time { return time.Unix(1_700_000_000, 0) },
		NewID:  func() string { n++; return fmt.Sprintf("run-%d", n) },
	}
	if change != nil {
		change(&o)
	}
	s, err := dagster.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// post sends a query and returns status and answer.
func post(t *testing.T, s http.Handler, query string, vars map[string]any) (int, map[string]any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": vars})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(string(body))))
	var out map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	return w.Code, out
}

func TestWrongQueriesAreRefused(t *testing.T) {
	t.Parallel()
	s := standIn(t, nil)
	for name, tc := range map[string]struct{ query, want string }{
		"not GraphQL":        {`query {`, "Expected Name"},
		"unknown field":      {`{ runz { id } }`, `Cannot query field "runz"`},
		"no selection":       {`{ runsOrError(limit: 1) }`, "must have a selection"},
		"missing argument":   {`{ runOrError { __typename } }`, `argument "runId"`},
		"missing variable":   {`query($id: ID!) { runOrError(runId: $id) { __typename } }`, "must be defined"},
		"foreign member":     {`{ runOrError(runId: "a") { ... on Schedule { name } } }`, "can never be of type"},
		"old form of a stop": {`mutation { stopRunningSchedule(scheduleOriginId: "a", scheduleSelectorId: "b") { __typename } }`, "Unknown argument"},
	} {
		code, out := post(t, s, tc.query, nil)
		if text := fmt.Sprint(out["errors"]); code != http.StatusBadRequest || !strings.Contains(text, tc.want) {
			t.Errorf("%s: %d %s, want it to say %q", name, code, text, tc.want)
		}
	}
}

const launch = `mutation($p: ExecutionParams!) { launchRun(executionParams: $p) {
  __typename ... on LaunchRunSuccess { run { id: runId tags { key value } } } ... on Error { message } } }`

func params(job string) map[string]any {
	return map[string]any{"p": map[string]any{
		"selector":          map[string]any{"jobName": job, "repositoryName": "main", "repositoryLocationName": "grid"},
		"executionMetadata": map[string]any{"tags": []any{map[string]any{"key": "k", "value": "v"}}},
	}}
}

// TestLaunchTwiceRunsTwice: the vendor has no idempotency key, so neither has
// the stand-in.
func TestLaunchTwiceRunsTwice(t *testing.T) {
	t.Parallel()
	s := standIn(t, nil)
	for range 2 {
		if code, out := post(t, s, launch, params("build")); code != 200 || !strings.Contains(fmt.Sprint(out), "LaunchRunSuccess") || !strings.Contains(fmt.Sprint(out), "key:k value:v") {
			t.Fatalf("%d %v", code, out)
		}
	}
	if n := len(s.Runs()); n != 2 {
		t.Errorf("%d runs, want 2", n)
	}
	_, out := post(t, s, launch, params("gone"))
	if text := fmt.Sprint(out); !strings.Contains(text, "PipelineNotFoundError") || !strings.Contains(text, "Could not find Pipeline grid.main.gone") {
		t.Errorf("unknown job: %s", text)
	}
	_, out = post(t, s, `{ runsOrError(limit: 1, filter: {tags: [{key: "k", value: "v"}]}) { ... on Runs { count results { runId } } } }`, nil)
	if text := fmt.Sprint(out); !strings.Contains(text, "runId:run-2") || strings.Contains(text, "run-1") {
		t.Errorf("newest first, one of them: %s", text)
	}
	_, out = post(t, s, `{ runsOrError(cursor: "run-2") { ... on Runs { results { runId } } } }`, nil)
	if text := fmt.Sprint(out); !strings.Contains(text, "runId:run-1") || strings.Contains(text, "run-2") {
		t.Errorf("second page: %s", text)
	}
}

// TestRunsFollowTheirWork holds that states come from the runner.
func TestRunsFollowTheirWork(t *testing.T) {
	t.Parallel()
	begun, finish := make(chan struct{}), make(chan error)
	s := standIn(t, func(o *dagster.Options) {
		o.Runner = func(ctx context.Context, _ string) error {
			close(begun)
			select {
			case err := <-finish:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	post(t, s, launch, params("build"))
	<-begun
	if got := s.Runs()[0].Status; got != "STARTED" {
		t.Errorf("status %s while the job works", got)
	}
	finish <- fmt.Errorf("no")
	s.Close()
	if r := s.Runs()[0]; r.Status != "FAILURE" || r.Ended.IsZero() {
		t.Errorf("run = %+v after its work failed", r)
	}
	if _, out := post(t, s, launch, params("build")); !strings.Contains(fmt.Sprint(out), "PythonError") {
		t.Errorf("a closed server launched: %v", out)
	}
}

// TestSchemaIsPartOfTheVendors compares each type and field with the vendor's.
func TestSchemaIsPartOfTheVendors(t *testing.T) {
	t.Parallel()
	root := os.Getenv("DW_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared")
	} else if !filepath.IsAbs(root) {
		root = filepath.Join("..", "..", "..", root)
	}
	text, err := os.ReadFile(filepath.Join(root, "specs", "dagster", "schema.graphql"))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	vendor, err := gqlparser.LoadSchema(&ast.Source{Input: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	mine, err := gqlparser.LoadSchema(&ast.Source{Input: string(own)})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"Query": vendor.Query.Name, "Mutation": vendor.Mutation.Name, "ConfigError": "PipelineConfigValidationError"}
	for name, def := range mine.Types {
		if def.BuiltIn {
			continue
		}
		if other := names[name]; other != "" {
			name = other
		}
		compare(t, vendor.Types[name], def)
	}
}

func compare(t *testing.T, vendor, mine *ast.Definition) {
	t.Helper()
	if vendor == nil {
		t.Errorf("the vendor has no type %s", mine.Name)
		return
	}
	for _, f := range mine.Fields {
		if strings.HasPrefix(f.Name, "__") || f.Name == "stopRunningSchedule" { // known drift
			continue
		}
		other := vendor.Fields.ForName(f.Name)
		if other == nil {
			t.Errorf("the vendor's %s has no field %s", mine.Name, f.Name)
			continue
		}
		if got, want := f.Type.String(), other.Type.String(); got != want && f.Type.Name() != "ConfigError" {
			t.Errorf("%s.%s is %s, the vendor's is %s", mine.Name, f.Name, got, want)
		}
	}
	for _, member := range mine.Types {
		if mine.Kind == ast.Union && !strings.Contains(strings.Join(vendor.Types, " "), member) {
			t.Errorf("the vendor's %s has no member %s", mine.Name, member)
		}
	}
}
