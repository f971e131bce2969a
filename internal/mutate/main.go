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
// The work happens in a copy of the tree; the tree itself is never touched.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: mutate FOLDER")
	}
	patches, err := filepath.Glob(filepath.Join(args[0], "*.patch"))
	if err != nil || len(patches) == 0 {
		return fmt.Errorf("no *.patch in %s", args[0])
	}
	sort.Strings(patches)
	tree, err := copyTree(ctx)
	if err != nil {
		return fmt.Errorf("copy the tree: %w", err)
	}
	defer os.RemoveAll(tree) //nolint:errcheck // a temporary folder
	var survived int
	for _, patch := range patches {
		verdict, err := try(ctx, tree, patch)
		if err != nil {
			return fmt.Errorf("%s: %w", patch, err)
		}
		fmt.Fprintln(out, verdict.line)
		if !verdict.noticed {
			survived++
		}
	}
	fmt.Fprintf(out, "%d passed, %d failed\n", len(patches)-survived, survived)
	if survived > 0 {
		return fmt.Errorf("%d of %d guards can be taken out without a test failing", survived, len(patches))
	}
	return nil
}

type verdict struct {
	noticed bool
	line    string
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
	out, err := command(ctx, tree, "go", append([]string{"test", "-count=1", "-failfast", "-run", h.run}, h.tests...)...)
	if err != nil && (strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]")) {
		return verdict{}, fmt.Errorf("does not compile: %s", out)
	}
	if err != nil {
		return verdict{true, "noticed   " + h.guard + " (" + failedTest(out) + ")"}, nil
	}
	return verdict{false, "SURVIVED  " + h.guard + " (" + filepath.Base(patch) + ")"}, nil
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
