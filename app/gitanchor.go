package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"dw/config"
)

// gitAnchor keeps checkpoints as files of a branch. It works on objects and the
// branch alone: whatever is checked out in the repository stays as it is.
type gitAnchor struct {
	config.GitAnchor

	instance string
	now      func() time.Time
}

// gitPatience bounds one call of git, a push included.
const gitPatience = 45 * time.Second

// git runs git with an environment of its own, so that no setting of the machine
// can change what is committed; a push needs the keys of dw's own account.
func (g gitAnchor) git(ctx context.Context, stdin string, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	safe := []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "safe.directory=*", "-c", "commit.gpgsign=false"}
	cmd := exec.CommandContext(ctx, "git", append(safe, args...)...)
	cmd.Dir = g.Dir
	when := g.now().UTC().Format(time.RFC3339)
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "SSH_AUTH_SOCK=" + os.Getenv("SSH_AUTH_SOCK"), "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(g.Dir),
		"GIT_AUTHOR_NAME=dw", "GIT_AUTHOR_EMAIL=dw@localhost", "GIT_COMMITTER_NAME=dw", "GIT_COMMITTER_EMAIL=dw@localhost",
		"GIT_AUTHOR_DATE=" + when, "GIT_COMMITTER_DATE=" + when,
	}, env...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s in %s: %w: %s", args[0], g.Dir, err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

func (g gitAnchor) ref() string { return "refs/heads/" + g.Branch }

// file is where a checkpoint of size receipts lies; names sort by size.
func (g gitAnchor) file(size int64) string {
	return path.Join("checkpoints", g.instance, fmt.Sprintf("%015d", size))
}

// put commits a checkpoint, once, pushes it, and returns the commit. The same call
// again returns the same commit.
func (g gitAnchor) put(ctx context.Context, size int64, note []byte) (string, error) {
	if err := g.prepare(ctx); err != nil {
		return "", err
	}
	blob, err := g.git(ctx, string(note), nil, "hash-object", "-w", "--stdin")
	if err != nil {
		return "", err
	}
	file := g.file(size)
	have, _ := g.git(ctx, "", nil, "rev-parse", "--verify", "--quiet", g.ref()+":"+file) // an error: it is not there
	switch {
	case have == "":
		err = g.commit(ctx, file, blob, size)
	case have != blob:
		err = fmt.Errorf("%s holds another checkpoint of %d receipts than dw signed; look into it before you go on", file, size)
	}
	if err != nil {
		return "", err
	}
	commit, err := g.git(ctx, "", nil, "log", "-1", "--format=%H", g.ref(), "--", file)
	if err != nil || g.Remote == "" {
		return commit, err
	}
	_, err = g.git(ctx, "", nil, "push", "--quiet", g.Remote, g.ref()+":"+g.ref())
	return commit, err
}

func (g gitAnchor) prepare(ctx context.Context) error {
	if err := os.MkdirAll(g.Dir, 0o750); err != nil {
		return fmt.Errorf("make the anchors' repository: %w", err)
	}
	if _, err := g.git(ctx, "", nil, "rev-parse", "--git-dir"); err == nil {
		return nil
	}
	_, err := g.git(ctx, "", nil, "init", "--quiet")
	return err
}

// commit adds one file to the branch's tree in an index of its own, and moves the
// branch only if nobody else has meanwhile.
func (g gitAnchor) commit(ctx context.Context, file, blob string, size int64) (err error) {
	folder, err := os.MkdirTemp("", "dw-anchor-")
	if err != nil {
		return fmt.Errorf("make an index for the anchor: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(folder, "index")}
	parent, _ := g.git(ctx, "", nil, "rev-parse", "--verify", "--quiet", g.ref()) // an error: the first commit
	if parent != "" {
		if _, err := g.git(ctx, "", env, "read-tree", parent); err != nil {
			return err
		}
	}
	if _, err := g.git(ctx, "", env, "update-index", "--add", "--cacheinfo", "100644,"+blob+","+file); err != nil {
		return err
	}
	tree, err := g.git(ctx, "", env, "write-tree")
	if err != nil {
		return err
	}
	args := []string{"commit-tree", tree, "-m", fmt.Sprintf("Checkpoint of %d receipts of %s", size, g.instance)}
	if parent != "" {
		args = append(args, "-p", parent)
	}
	made, err := g.git(ctx, "", nil, args...)
	if err != nil {
		return err
	}
	_, err = g.git(ctx, "", nil, "update-ref", g.ref(), made, parent)
	return err
}

// checkedAnchors is how many of the newest checkpoints a self-check reads.
const checkedAnchors = 20

// newest returns the newest checkpoints of the branch; none before the first.
func (g gitAnchor) newest(ctx context.Context) ([][]byte, error) {
	if _, err := g.git(ctx, "", nil, "rev-parse", "--verify", "--quiet", g.ref()); err != nil {
		return nil, nil //nolint:nilerr // nothing was anchored yet
	}
	list, err := g.git(ctx, "", nil, "ls-tree", "-r", "--name-only", g.ref(), "checkpoints/"+g.instance+"/")
	if err != nil {
		return nil, err
	}
	files := strings.Fields(list)
	var notes [][]byte
	for _, file := range files[max(0, len(files)-checkedAnchors):] {
		note, err := g.git(ctx, "", nil, "cat-file", "blob", g.ref()+":"+file)
		if err != nil {
			return nil, err
		}
		notes = append(notes, []byte(note+"\n"))
	}
	return notes, nil
}
