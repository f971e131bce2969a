package columns_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dw/lineage/columns"
	"dw/lineage/columns/wire"
)

// TestMain also plays the worker: a process that behaves as DW_FAKE_WORKER says.
func TestMain(m *testing.M) {
	if how := os.Getenv("DW_FAKE_WORKER"); how != "" {
		os.Exit(fakeWorker(how, os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// fakeWorker answers with the SQL that it was asked, except for these words.
func fakeWorker(how string, in io.Reader, out io.Writer) int {
	switch how {
	case "not-ready":
		fmt.Fprintln(os.Stderr, "no engine here")
		return 2
	case "mute":
		_, _ = io.Copy(io.Discard, in)
		return 0
	case "babble":
		fmt.Fprintln(out, "warning: this is no frame")
	}
	if wire.Write(out, wire.Ready{Engine: "fake"}) != nil {
		return 1
	}
	for {
		var r wire.Request
		if wire.Read(in, &r) != nil {
			return 0
		}
		switch r.SQL {
		case "hang":
			select {}
		case "die":
			fmt.Fprintln(os.Stderr, "out of memory")
			return 137
		case "garbage":
			_, _ = out.Write([]byte{0, 0, 0, 3, 'o', 'h', '!'})
			continue
		case "other":
			r.ID += 7
		case "nothing":
			_ = wire.Write(out, wire.Reply{ID: r.ID})
			continue
		case "refuse":
			_ = wire.Write(out, wire.Reply{ID: r.ID, Error: "Parse error at line 1"})
			continue
		}
		text, _ := json.Marshal(fmt.Sprint(os.Getpid()) + " " + r.SQL)
		_ = wire.Write(out, wire.Reply{ID: r.ID, Analysis: text})
	}
}

func worker(t *testing.T, how string, limit time.Duration) *columns.Worker {
	t.Helper()
	w := columns.NewWorker(columns.WorkerOptions{
		Command: func() *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "DW_FAKE_WORKER="+how)
			return cmd
		},
		Start: time.Minute, Statement: limit,
	})
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// process asks a worker and returns the number of the process that answered.
func process(t *testing.T, w *columns.Worker) string {
	t.Helper()
	answer, err := w.Analyze(t.Context(), "alive", nil)
	pid, said, _ := strings.Cut(strings.Trim(string(answer), `"`), " ")
	if err != nil || said != "alive" {
		t.Fatalf("the worker says %s, %v", answer, err)
	}
	return pid
}

// TestWorkerFails: whatever the process does, the question ends with a reason, and
// the next one is answered, by another process where the first is of no use.
func TestWorkerFails(t *testing.T) {
	t.Parallel()
	for sql, tc := range map[string]struct {
		want  string
		again bool // the process goes on
	}{
		"die":     {"out of memory", false},
		"garbage": {"decode a frame", false},
		"other":   {"another question", false},
		"nothing": {"or nothing", false},
		"refuse":  {"not understood: Parse error", true},
	} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			w := worker(t, "normal", time.Minute)
			before := process(t, w)
			if _, err := w.Analyze(t.Context(), sql, nil); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
			if after := process(t, w); (after == before) != tc.again {
				t.Errorf("process %s, then %s", before, after)
			}
		})
	}
}

// TestWorkerTimesOut: a statement that takes too long is given up, its process is
// ended, and the next statement has a new one.
func TestWorkerTimesOut(t *testing.T) {
	t.Parallel()
	w := worker(t, "normal", 2*time.Second)
	before := process(t, w)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := w.Analyze(ctx, "hang", nil); !errors.Is(err, columns.ErrTimedOut) {
		t.Fatalf("%v, want a time-out", err)
	}
	if after := process(t, w); after == before {
		t.Error("the process that hung goes on")
	}
}

func TestWorkerDoesNotStart(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{"not-ready": "no engine here", "babble": "longer than"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			if _, err := worker(t, how, time.Minute).Analyze(t.Context(), "alive", nil); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
	w := columns.NewWorker(columns.WorkerOptions{Command: func() *exec.Cmd { return exec.Command(filepath.Join(t.TempDir(), "none")) }})
	if _, err := w.Analyze(t.Context(), "alive", nil); err == nil || !strings.Contains(err.Error(), "start the SQL engine") {
		t.Errorf("no program: %v", err)
	}
}

// TestCache: an answer, a refusal and a time-out are kept; another query, other
// options or another version are asked for; a failure is not kept.
func TestCache(t *testing.T) {
	t.Parallel()
	asked := 0
	failures := map[string]error{
		"refuse": &columns.RefusedError{Words: "no"}, "late": fmt.Errorf("%w after 10s", columns.ErrTimedOut), "die": io.ErrUnexpectedEOF,
	}
	cache := columns.Cache{Version: "1", Folder: filepath.Join(t.TempDir(), "a", "b"), Limit: time.Second, Engine: engineFunc(
		func(sql string, options json.RawMessage) (json.RawMessage, error) {
			asked++
			if err := failures[sql]; err != nil {
				return nil, err
			}
			return json.Marshal(sql + string(options))
		})}
	longer, newer := cache, cache
	longer.Limit, newer.Version = time.Minute, "2"
	for _, step := range []struct {
		name         string
		with         columns.Cache
		sql, options string
		fresh        bool
	}{
		{"first", cache, "a", "{}", true},
		{"again", cache, "a", "{}", false},
		{"another query", cache, "b", "{}", true},
		{"other options", cache, "a", "{1}", true},
		{"another cut of the same text", cache, "a{", "}", true},
		{"another version", newer, "a", "{}", true},
		{"a refusal", cache, "refuse", "", true},
		{"the refusal again", cache, "refuse", "", false},
		{"a time-out", cache, "late", "", true},
		{"the time-out again", cache, "late", "", false},
		{"with more time", longer, "late", "", true},
		{"a failure", cache, "die", "", true},
		{"the failure again", cache, "die", "", true},
	} {
		before := asked
		answer, err := step.with.Analyze(t.Context(), step.sql, json.RawMessage(step.options))
		if (asked > before) != step.fresh {
			t.Errorf("%s: asked %v, want %v", step.name, asked > before, step.fresh)
		}
		if want := failures[step.sql]; want != nil {
			var refused *columns.RefusedError
			if err == nil || errors.As(want, &refused) != errors.As(err, &refused) || errors.Is(want, columns.ErrTimedOut) != errors.Is(err, columns.ErrTimedOut) {
				t.Errorf("%s: %v, want %v", step.name, err, want)
			}
		} else if want, _ := json.Marshal(step.sql + step.options); err != nil || string(answer) != string(want) {
			t.Errorf("%s: %s, %v", step.name, answer, err)
		}
	}
}

// TestCacheIsDamaged: a file that holds no answer is none.
func TestCacheIsDamaged(t *testing.T) {
	t.Parallel()
	cache := columns.Cache{Version: "1", Folder: t.TempDir(), Engine: engineFunc(
		func(sql string, _ json.RawMessage) (json.RawMessage, error) { return json.Marshal(sql) })}
	for _, damage := range []string{"", "{", "{}", "[]"} {
		if _, err := cache.Analyze(t.Context(), "a", nil); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(cache.Folder, "*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("files %v, %v", files, err)
		}
		if err := os.WriteFile(files[0], []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		if answer, err := cache.Analyze(t.Context(), "a", nil); err != nil || string(answer) != `"a"` {
			t.Errorf("%q: %s, %v", damage, answer, err)
		}
	}
}
