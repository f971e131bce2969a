// Command mutate takes the guards of dw out, one by one, and fails if the tests
// still pass without one. Each patch in the folder names the guard and the
// packages whose tests must notice:
//
//	Guard: the proposal's hash is compared at the click
//	Tests: ./workflows
//	Run: TestDecideRefusals
//
// Run is optional and names the tests that must notice; without it every test
// of the packages runs.
//
// A second argument such as 1/2 tries only that part of the patches. The work
// happens in a copy of the tree; the tree itself is never touched.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 1 && len(args) != 2 {
		return errors.New("usage: mutate FOLDER [PART/OF]")
	}
	patches, err := filepath.Glob(filepath.Join(args[0], "*.patch"))
	if err != nil || len(patches) == 0 {
		return fmt.Errorf("no *.patch in %s", args[0])
	}
	sort.Strings(patches)
	if len(args) == 2 {
		if patches, err = part(patches, args[1]); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var survived int
	var untried error
	for tried := range tryAll(ctx, patches) {
		if tried.err != nil {
			untried = cmp.Or(untried, tried.err)
			cancel()
			continue
		}
		fmt.Fprintln(out, tried.line)
		if !tried.noticed {
			survived++
		}
	}
	if untried != nil {
		return untried
	}
	fmt.Fprintf(out, "%d noticed, %d survived\n", len(patches)-survived, survived)
	if survived > 0 {
		return fmt.Errorf("%d of %d guards can be taken out without a test failing", survived, len(patches))
	}
	return nil
}

// part takes every OF-th patch from the PART-th on, so that a gate with few minutes
// tries all of them in turns.
func part(patches []string, text string) ([]string, error) {
	var which, of int
	if _, err := fmt.Sscanf(text, "%d/%d", &which, &of); err != nil || which < 1 || which > of {
		return nil, fmt.Errorf("%q is no part such as 1/2", text)
	}
	var taken []string
	for n := which - 1; n < len(patches); n += of {
		taken = append(taken, patches[n])
	}
	return taken, nil
}

// tryAll tries the patches on a copy of the tree for each processor, since
// compiling and linking one patch keeps hardly more than one busy. Verdicts come
// as they are found; the channel is closed after the last.
func tryAll(ctx context.Context, patches []string) <-chan verdict {
	queue, verdicts := make(chan string, len(patches)), make(chan verdict, len(patches)+runtime.NumCPU())
	for _, patch := range patches {
		queue <- patch
	}
	close(queue)
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() { work(ctx, queue, verdicts) })
	}
	go func() { workers.Wait(); close(verdicts) }()
	return verdicts
}

// work tries patches on its own copy of the tree until none is left.
func work(ctx context.Context, queue <-chan string, verdicts chan<- verdict) {
	tree, err := copyTree(ctx)
	if err != nil {
		verdicts <- verdict{err: fmt.Errorf("copy the tree: %w", err)}
		return
	}
	defer os.RemoveAll(tree) //nolint:errcheck // a temporary folder
	for patch := range queue {
		v, err := try(ctx, tree, patch)
		if err != nil {
			v.err = fmt.Errorf("%s: %w", patch, err)
		}
		verdicts <- v
	}
}

type verdict struct {
	noticed bool
	line    string
	err     error // the patch could not be tried
}

// try applies one patch, runs the tests, and takes the patch back. What does not
// compile is an error: it would look like a failing test.
func try(ctx context.Context, tree, patch string) (verdict, error) {
	h, err := header(patch)
	if err != nil {
		return verdict{}, err
	}
	full, err := filepath.Abs(patch)
	if err != nil {
		return verdict{}, err
	}
	if out, err := command(ctx, tree, "git", "apply", full); err != nil {
		return verdict{}, fmt.Errorf("does not apply any more, write it again: %s", out)
	}
	defer command(context.WithoutCancel(ctx), tree, "git", "apply", "--reverse", full) //nolint:errcheck // the copy is thrown away
	out, err := command(ctx, tree, "go", append([]string{"test", "-count=1", "-failfast", "-vet=off", "-ldflags=-s -w", "-run", h.run}, h.tests...)...)
	if err != nil && (strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]")) {
		return verdict{}, fmt.Errorf("does not compile: %s", out)
	}
	if err != nil {
		return verdict{noticed: true, line: "noticed   " + h.guard + " (" + failedTest(out) + ")"}, nil
	}
	return verdict{line: "SURVIVED  " + h.guard + " (" + filepath.Base(patch) + ")"}, nil
}

// failedTest is the first test that failed, for the reader of the list.
func failedTest(out string) string {
	if found := failedPattern.FindStringSubmatch(out); found != nil {
		return found[1]
	}
	return "no test is named: the package failed"
}

var failedPattern = regexp.MustCompile(`(?m)^--- FAIL: (Test\w+)`)

// guarded is what a patch says of itself.
type guarded struct {
	guard string
	tests []string
	run   string
}

func header(patch string) (guarded, error) {
	h := guarded{run: "."}
	file, err := os.Open(patch) //nolint:gosec // the patches of this repository
	if err != nil {
		return h, err
	}
	defer file.Close() //nolint:errcheck // only read
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "Guard: "); ok {
			h.guard = text
		}
		if text, ok := strings.CutPrefix(lines.Text(), "Tests: "); ok {
			h.tests = strings.Fields(text)
		}
		if text, ok := strings.CutPrefix(lines.Text(), "Run: "); ok {
			h.run = "^(" + text + ")$"
		}
	}
	if h.guard == "" || len(h.tests) == 0 {
		return h, errors.New("needs the lines `Guard: …` and `Tests: ./package …`")
	}
	return h, nil
}

func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // git and go
	cmd.Dir = dir
	cmd.Env = os.Environ()
	if shared := os.Getenv("DW_SHARED"); shared == "" {
		if abs, err := filepath.Abs("../shared"); err == nil {
			cmd.Env = append(cmd.Env, "DW_SHARED="+abs)
		}
	}
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// copyTree copies what git tracks, and what it would track, to a new folder
// with a repository of its own, so that `git apply` works there.
func copyTree(ctx context.Context) (string, error) {
	list, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return "", err
	}
	tree, err := os.MkdirTemp("", "dw-mutate-")
	if err != nil {
		return "", err
	}
	for name := range bytes.SplitSeq(bytes.TrimRight(list, "\x00"), []byte{0}) {
		if err := copyFile(string(name), filepath.Join(tree, string(name))); err != nil {
			return "", err
		}
	}
	_, err = command(ctx, tree, "git", "init", "-q")
	return tree, err
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil // deleted, not yet committed
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, info.Mode().Perm()) //nolint:gosec // below a new temporary folder
}
