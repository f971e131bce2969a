package gitfile_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dw/connectors/gitfile"
	"dw/diagnosis"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

const before, after = "a\nb\nc\nd\none\ntwo\nthree\nw\nx\ny\nz\n", "a\nb\nc\nd\none\nTWO\nthree\nw\nx\ny\nz\n"

// tree is a work tree with one committed file.
func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "models/m.sql", before)
	run(t, dir, "init", "-q")
	commit(t, dir)
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_COMMITTER_DATE=2026-03-04T11:40:00Z", "GIT_AUTHOR_DATE=2026-03-04T11:40:00Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func commit(t *testing.T, dir string) {
	t.Helper()
	run(t, dir, "add", "-A")
	run(t, dir, "commit", "-q", "-m", "x")
}

func observer(t *testing.T, root string) *gitfile.Observer {
	t.Helper()
	g, err := gitfile.New(gitfile.Options{Roots: []string{root}, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func step(t *testing.T, root, action string) diagnosis.PlannedStep {
	t.Helper()
	diff, err := diagnosis.UnifiedDiff("models/m.sql", []byte(before), []byte(after))
	if err != nil {
		t.Fatal(err)
	}
	return diagnosis.PlannedStep{
		Action: diagnosis.Action{System: "git", Name: action, Target: "dbt://m"}, Root: root, File: "models/m.sql", Diff: diff,
	}
}

func TestObserve(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change            func(t *testing.T, dir string)
		applied, reverted bool
		says              string
	}{
		"not yet":        {func(*testing.T, string) {}, false, true, "does not hold the change, commit "},
		"edited":         {func(t *testing.T, dir string) { write(t, dir, "models/m.sql", after) }, true, false, "holds the change, written"},
		"not committed":  {func(t *testing.T, dir string) { write(t, dir, "models/m.sql", after) }, true, false, "not committed"},
		"committed":      {func(t *testing.T, dir string) { write(t, dir, "models/m.sql", after); commit(t, dir) }, true, false, "of 4 Mar 11:40 UTC"},
		"and more edits": {func(t *testing.T, dir string) { write(t, dir, "models/m.sql", "zero\n"+after) }, true, false, "holds the change"},
		"otherwise":      {func(t *testing.T, dir string) { write(t, dir, "models/m.sql", "something else\n") }, false, false, "was edited otherwise"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t)
			tc.change(t, dir)
			g := observer(t, dir)
			for action, want := range map[string]bool{diagnosis.ActionApplyDiff: tc.applied, diagnosis.ActionRevertDiff: tc.reverted} {
				o, err := g.Observe(context.Background(), step(t, dir, action))
				if err != nil {
					t.Fatal(err)
				}
				if o.Done != want || !strings.Contains(o.Text, tc.says) || !strings.HasPrefix(o.Text, "models/m.sql ") || !o.At.Equal(noon) {
					t.Errorf("%s: %+v, want done = %v and %q", action, o, want, tc.says)
				}
			}
			if text, err := os.ReadFile(filepath.Join(dir, "models/m.sql")); err != nil || len(text) == 0 {
				t.Errorf("the file was touched: %q, %v", text, err)
			}
		})
	}
}

func TestObserveWithoutARepository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "models/m.sql", after)
	o, err := observer(t, dir).Observe(context.Background(), step(t, dir, diagnosis.ActionApplyDiff))
	if err != nil || !o.Done {
		t.Errorf("observed %+v, %v", o, err)
	}
}

// TestObserveIgnoresTheRepositorysSettings has a repository whose settings would
// run a program and change what a diff means.
func TestObserveIgnoresTheRepositorysSettings(t *testing.T) {
	t.Parallel()
	dir := tree(t)
	trace := filepath.Join(dir, "ran")
	run(t, dir, "config", "core.fsmonitor", "touch "+trace)
	run(t, dir, "config", "apply.whitespace", "error-all")
	run(t, dir, "config", "apply.ignoreWhitespace", "change")
	write(t, dir, "models/m.sql", after)
	o, err := observer(t, dir).Observe(context.Background(), step(t, dir, diagnosis.ActionApplyDiff))
	if err != nil || !o.Done {
		t.Errorf("observed %+v, %v", o, err)
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("the repository's program ran")
	}
}

func TestObserveRefuses(t *testing.T) {
	t.Parallel()
	dir, other := tree(t), tree(t)
	if err := os.Symlink(filepath.Join(other, "models/m.sql"), filepath.Join(dir, "link.sql")); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change func(*diagnosis.PlannedStep)
		want   string
	}{
		"another root":    {func(s *diagnosis.PlannedStep) { s.Root = other }, "not a configured root"},
		"missing root":    {func(s *diagnosis.PlannedStep) { s.Root = dir + "/no" }, "no such file"},
		"missing file":    {func(s *diagnosis.PlannedStep) { s.File = "models/no.sql" }, "no such file"},
		"a directory":     {func(s *diagnosis.PlannedStep) { s.File = "models" }, "not a regular file"},
		"outside":         {func(s *diagnosis.PlannedStep) { s.File = "../x" }, "escapes"},
		"behind a link":   {func(s *diagnosis.PlannedStep) { s.File = "link.sql" }, "escapes"},
		"another file":    {func(s *diagnosis.PlannedStep) { s.Diff = strings.ReplaceAll(s.Diff, "m.sql", "n.sql") }, "is about \"models/n.sql\" too"},
		"two files":       {func(s *diagnosis.PlannedStep) { s.Diff += strings.ReplaceAll(s.Diff, "m.sql", "n.sql") }, "n.sql"},
		"no diff":         {func(s *diagnosis.PlannedStep) { s.Diff = "hello\n" }, "cannot be read"},
		"another action":  {func(s *diagnosis.PlannedStep) { s.Action.Name = "launch_job" }, "not one that it can read"},
		"another system":  {func(s *diagnosis.PlannedStep) { s.Action.System = "dagster" }, "not one that it can read"},
		"option, no file": {func(s *diagnosis.PlannedStep) { s.File = "--output=x" }, "no such file"},
	} {
		s := step(t, dir, diagnosis.ActionApplyDiff)
		tc.change(&s)
		if o, err := observer(t, dir).Observe(context.Background(), s); err == nil || !strings.Contains(err.Error(), tc.want) || o.Done {
			t.Errorf("%s: %+v, %v, want an error that says %q", name, o, err, tc.want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	if _, err := gitfile.New(gitfile.Options{Roots: []string{"/does/not/exist"}, Now: time.Now}); err == nil || !strings.Contains(err.Error(), "/does/not/exist") {
		t.Errorf("error = %v", err)
	}
	if _, err := gitfile.New(gitfile.Options{}); err == nil {
		t.Error("works without a clock")
	}
}

func TestObserveStopsWithItsContext(t *testing.T) {
	t.Parallel()
	dir := tree(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := observer(t, dir).Observe(ctx, step(t, dir, diagnosis.ActionApplyDiff)); err == nil {
		t.Error("a cancelled observation answered")
	}
}
