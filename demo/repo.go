package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// repo is the story's git repository: pipelines and the dbt project.
type repo struct {
	dir   string
	names Names
	day   storyDay
}

func (r *repo) pipelineName() string { return "pipelines/" + r.names[pipelineFeed] + ".yaml" }
func (r *repo) modelName() string    { return "models/" + r.names[tableOrders] + ".sql" }
func (r *repo) pipeline() string     { return filepath.Join(r.dir, filepath.FromSlash(r.pipelineName())) }

func (r *repo) mappingName() string { return "loads/" + r.names[tableSettled] + ".yaml" }
func (r *repo) revenueName() string { return "models/" + r.names[tableRevenue] + ".sql" }

// path is where a file of the repository lies.
func (r *repo) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *repo) model() string { return filepath.Join(r.dir, filepath.FromSlash(r.modelName())) }

// create writes the files as they were on the evening before, and commits them.
func (r *repo) create(ctx context.Context) error {
	if _, err := exec.LookPath("git"); err != nil {
		return fmt.Errorf("the demo needs git: %w", err)
	}
	for name, from := range map[string]string{
		r.pipelineName(): "relay.yaml.tmpl", r.modelName(): "model.sql.tmpl", "models/sources.yml": "sources.yml.tmpl",
		"dbt_project.yml": "dbt_project.yml.tmpl", "target/manifest.json": "manifest.json.tmpl",
		r.mappingName(): "mapping.yaml.tmpl", r.revenueName(): "revenue.sql.tmpl",
	} {
		if err := r.write(name, from); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(r.dir, ".gitignore"), []byte("target/\n"), 0o644); err != nil { //nolint:gosec // anyone may read the story's files
		return fmt.Errorf("write the repository: %w", err)
	}
	if err := r.git(ctx, r.day.at(0, 0), "", "init", "--quiet"); err != nil {
		return err
	}
	return r.commit(ctx, r.day.at(9, 10).AddDate(0, 0, -1), personDeputy, "Add the partner feed's relay and the orders model")
}

// replaceRelay is the change of 10:55.
func (r *repo) replaceRelay(ctx context.Context, at time.Time) error {
	if err := r.write(r.pipelineName(), "pipeline.yaml.tmpl"); err != nil {
		return err
	}
	return r.commit(ctx, at, personDeputy, "Replace the partner feed's relay by a pipeline with four threads")
}

func (r *repo) write(name, from string) error {
	content, err := fill(from, r.names, nil)
	if err != nil {
		return err
	}
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // anyone may read the story's files
		return fmt.Errorf("write the repository: %w", err)
	}
	// In one step: the pipeline's runtime reads the file at any moment.
	if err := os.WriteFile(path+".new", content, 0o644); err != nil { //nolint:gosec // anyone may read the story's files
		return fmt.Errorf("write the repository: %w", err)
	}
	return os.Rename(path+".new", path)
}

// apply applies a diff as a person does, with git, and commits it.
func (r *repo) apply(ctx context.Context, at time.Time, diff, message string) error {
	if err := r.git(ctx, at, diff, "apply", "--verbose", "-"); err != nil {
		return err
	}
	return r.commit(ctx, at, personOwner, message)
}

func (r *repo) commit(ctx context.Context, at time.Time, person, message string) error {
	if err := r.git(ctx, at, "", "add", "--all"); err != nil {
		return err
	}
	author := strings.NewReplacer("<", "", ">", "").Replace(r.names[person])
	return r.git(ctx, at, "", "-c", "user.name="+author, "-c", "user.email=team@example.com", "-c", "commit.gpgsign=false",
		"commit", "--quiet", "--no-verify", "--message", message)
}

// git runs git in the repository, apart from the machine's own configuration.
func (r *repo) git(ctx context.Context, at time.Time, input string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.dir
	date := at.Format(time.RFC3339)
	cmd.Env = append(cleanEnvironment(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	cmd.Stdin = strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("git %s in %s: %w", args[0], r.dir, err), errors.New(strings.TrimSpace(string(out))))
	}
	return nil
}

// cleanEnvironment leaves out what would lead git to another repository, for
// example when a git hook runs the tests.
func cleanEnvironment() []string {
	var env []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "GIT_") {
			env = append(env, entry)
		}
	}
	return env
}
