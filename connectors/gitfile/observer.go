// Package gitfile reads whether a person's change of a file has arrived in a
// work tree. It only reads: it never applies a diff.
package gitfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dw/diagnosis"
	"dw/workflows"
)

// System is the name of the system in actions.
const System = "git"

// Options configure an observer.
type Options struct {
	Roots   []string      // the only directories that may be read
	Git     string        // path of the program; empty finds it
	Timeout time.Duration // of one run of git; zero is 10 seconds
	Now     func() time.Time
	Zone    *time.Location // of the times in sentences, nil means UTC
}

// Observer meets workflows.Observer for diffs.
type Observer struct {
	opts  Options
	roots []string // absolute, links resolved
}

var _ workflows.Observer = (*Observer)(nil)

// New checks the roots and finds git.
func New(o Options) (*Observer, error) {
	if o.Now == nil {
		return nil, errors.New("gitfile: Now is needed")
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	if o.Git == "" {
		path, err := exec.LookPath("git")
		if err != nil {
			return nil, fmt.Errorf("gitfile: find the program git: %w", err)
		}
		o.Git = path
	}
	g := &Observer{opts: o}
	for _, root := range o.Roots {
		real, err := realDir(root)
		if err != nil {
			return nil, fmt.Errorf("gitfile: root %s: %w", root, err)
		}
		g.roots = append(g.roots, real)
	}
	return g, nil
}

func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// Known reports whether the observer can tell for this action.
func (g *Observer) Known(a diagnosis.Action) bool {
	return a.System == System && (a.Name == diagnosis.ActionApplyDiff || a.Name == diagnosis.ActionRevertDiff)
}

// Observe reads whether the step's file holds what the diff makes of it, or, for
// revert_diff, what stood there before.
func (g *Observer) Observe(ctx context.Context, s diagnosis.PlannedStep) (workflows.Observation, error) {
	if !g.Known(s.Action) {
		return workflows.Observation{}, fmt.Errorf("gitfile: action %s of system %q is not one that it can read", s.Action.Name, s.Action.System)
	}
	seen, err := g.look(ctx, s)
	if err != nil {
		return workflows.Observation{}, err
	}
	state := seen.state
	done := state == changed && s.Action.Name == diagnosis.ActionApplyDiff || state == unchanged && s.Action.Name == diagnosis.ActionRevertDiff
	return workflows.Observation{Done: done, At: g.opts.Now(), Text: s.File + " " + state + g.version(ctx, seen.root, s.File, seen.info)}, nil
}

// sight is a file as it is held against a diff.
type sight struct {
	root  string
	info  os.FileInfo
	state string
}

func (g *Observer) look(ctx context.Context, s diagnosis.PlannedStep) (sight, error) {
	root, info, err := g.file(s)
	if err != nil {
		return sight{}, err
	}
	if err := g.onlyFile(ctx, root, s); err != nil {
		return sight{}, err
	}
	applied, err := g.fits(ctx, root, s, "--reverse")
	if err != nil {
		return sight{}, err
	}
	open, err := g.fits(ctx, root, s)
	if err != nil {
		return sight{}, err
	}
	return sight{root: root, info: info, state: stateOf(applied, open)}, nil
}

// What a file can be.
const (
	changed   = "holds the change"
	unchanged = "does not hold the change"
	both      = "fits the change forwards and backwards, so dw cannot tell"
	neither   = "was edited otherwise: neither the change nor what was there before it is found"
)

func stateOf(applied, open bool) string {
	switch {
	case applied && open:
		return both
	case applied:
		return changed
	case open:
		return unchanged
	}
	return neither
}

// file checks that the step's file lies in an allowed root, also behind links.
func (g *Observer) file(s diagnosis.PlannedStep) (string, os.FileInfo, error) {
	root, err := realDir(s.Root)
	if err != nil {
		return "", nil, fmt.Errorf("gitfile: root of %s: %w", s.File, err)
	}
	if !slices.Contains(g.roots, root) {
		return "", nil, fmt.Errorf("gitfile: %s is not a configured root", s.Root)
	}
	in, err := os.OpenRoot(root)
	if err != nil {
		return "", nil, fmt.Errorf("gitfile: open root %s: %w", s.Root, err)
	}
	defer in.Close() //nolint:errcheck // only read
	info, err := in.Stat(filepath.FromSlash(s.File))
	if err != nil {
		return "", nil, fmt.Errorf("gitfile: read %s in %s: %w", s.File, s.Root, err)
	}
	if !info.Mode().IsRegular() {
		return "", nil, fmt.Errorf("gitfile: %s in %s is not a regular file", s.File, s.Root)
	}
	return root, info, nil
}

// onlyFile refuses a diff that is about anything but the step's file.
func (g *Observer) onlyFile(ctx context.Context, root string, s diagnosis.PlannedStep) error {
	out, code, err := g.git(ctx, root, s.Diff, "apply", "--numstat", "-z", "-")
	if err != nil {
		return err
	}
	if code != 0 {
		return fmt.Errorf("gitfile: the diff of %s cannot be read: %s", s.File, firstLine(out.stderr))
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(out.stdout, "\x00"), "\x00") {
		if _, name, _ := cutLast(entry, "\t"); name != s.File {
			return fmt.Errorf("gitfile: the diff of %s is about %q too", s.File, name)
		}
	}
	return nil
}

func cutLast(s, sep string) (string, string, bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// fits asks git whether the diff would apply, in one direction.
func (g *Observer) fits(ctx context.Context, root string, s diagnosis.PlannedStep, direction ...string) (bool, error) {
	_, code, err := g.git(ctx, root, s.Diff, append(append([]string{"apply", "--check"}, direction...), "-")...)
	return code == 0, err
}

// version says which commit the file stands at, where the root is a work tree
// of git, and else when the file was written.
func (g *Observer) version(ctx context.Context, root, file string, info os.FileInfo) string {
	written := ", written " + info.ModTime().In(g.opts.Zone).Format("15:04 MST")
	status, code, err := g.git(ctx, root, "", "--literal-pathspecs", "status", "--porcelain", "--", file)
	if err != nil || code != 0 {
		return written
	}
	if strings.TrimSpace(status.stdout) != "" {
		return written + ", not committed"
	}
	log, code, err := g.git(ctx, root, "", "--literal-pathspecs", "log", "-1", "--format=%h %ct", "--", file)
	var hash string
	var unix int64
	if err != nil || code != 0 {
		return written
	}
	if _, err := fmt.Sscanf(log.stdout, "%s %d", &hash, &unix); err != nil {
		return written
	}
	return fmt.Sprintf(", commit %s of %s", hash, time.Unix(unix, 0).In(g.opts.Zone).Format("2 Jan 15:04 MST"))
}

type output struct{ stdout, stderr string }

// git runs git with fixed arguments. Diffs are read outside of any repository,
// so that no setting of one can change their meaning. An exit code is no error.
func (g *Observer) git(ctx context.Context, root, stdin string, args ...string) (output, int, error) {
	ctx, cancel := context.WithTimeout(ctx, g.opts.Timeout)
	defer cancel()
	safe := []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "safe.directory=*"}
	cmd := exec.CommandContext(ctx, g.opts.Git, append(safe, args...)...)
	cmd.Dir = root
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
	}
	if args[0] == "apply" {
		cmd.Env = append(cmd.Env, "GIT_DIR="+os.DevNull)
	}
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return output{}, 0, fmt.Errorf("gitfile: git %s: %w", args[0], ctx.Err())
	case errors.As(err, &exit):
		return output{out.String(), errs.String()}, exit.ExitCode(), nil
	case err != nil:
		return output{}, 0, fmt.Errorf("gitfile: run git %s: %w", args[0], err)
	}
	return output{out.String(), errs.String()}, 0, nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimSpace(s)
}
