package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// marker is the file by which a folder is known for a demo's.
const marker = ".dw-demo"

// lockFile is what the demo that runs in a folder holds.
const lockFile = ".dw-demo.lock"

// estate is what lies in the demo's folder.
type estate struct {
	dir       string
	names     Names
	day       storyDay
	variant   string
	store     string // DSN of dw's database
	warehouse *warehouse
	repo      *repo
	stream    *stream
	builds    *builds
	tokens    tokens
}

// tokens are the secrets of this demo; each demo has its own.
type tokens struct{ bot, app, dagster, pager, route, hook, tracker string }

func (e *estate) path(name string) string { return filepath.Join(e.dir, name) }

// prepareDir makes the folder, or empties one that an earlier demo made. A
// folder with anything else in it, or in which a demo runs, is refused. unlock
// lets the next demo in.
func prepareDir(dir string) (path string, unlock func() error, err error) {
	if dir == "" {
		made, err := os.MkdirTemp("", "dw-demo-")
		if err != nil {
			return "", nil, fmt.Errorf("make a folder for the demo: %w", err)
		}
		dir = made
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, fmt.Errorf("find the demo's folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("make the demo's folder: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", nil, fmt.Errorf("read the demo's folder: %w", err)
	}
	if len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dir, marker)); errors.Is(err, fs.ErrNotExist) {
			return "", nil, fmt.Errorf("%s is not empty and no demo made it; name an empty folder, or one that is not there yet", dir)
		}
	}
	if unlock, err = lockDir(dir); err != nil {
		return "", nil, err
	}
	err = os.WriteFile(filepath.Join(dir, marker), []byte("Made by dw demo; the next demo in this folder writes over it.\n"), 0o600)
	if err = errors.Join(err, clearDemo(dir)); err != nil {
		return "", nil, errors.Join(err, unlock())
	}
	return dir, unlock, nil
}

// clearDemo removes what a demo makes, and nothing else.
func clearDemo(dir string) error {
	var errs []error
	for _, name := range []string{
		"repo", "warehouse.db", "warehouse.db-wal", "warehouse.db-shm", "warehouse.db-journal", "changes.ndjson", "clock.json", "config.yaml",
		"store.dsn", "dw.db", "dw.db-wal", "dw.db-shm", "dw.db-lock", "dw.log", "slack.log", "slack-bot.token", "slack-app.token", "dagster.token", "pagerduty.key", "jira.token", "receipts.key", "receipts.pub",
	} {
		errs = append(errs, os.RemoveAll(filepath.Join(dir, name)))
	}
	return errors.Join(errs...)
}

// newEstate builds the estate as it is in the morning of the story's day.
// o.history is a finished warehouse to start from, or empty.
func newEstate(ctx context.Context, dir string, o Options, names Names) (*estate, error) {
	day, err := newStoryDay()
	if err != nil {
		return nil, err
	}
	e := &estate{dir: dir, names: names, day: day, variant: o.Variant, store: o.Store, tokens: tokens{
		bot: "xoxb-demo-" + rand.Text(), app: "xapp-demo-" + rand.Text(), dagster: rand.Text(),
		pager: rand.Text(), route: rand.Text(), hook: rand.Text(), tracker: rand.Text(),
	}}
	if e.store == "" {
		e.store = e.path("dw.db")
	}
	e.repo = &repo{dir: e.path("repo"), names: names, day: day}
	if err := os.Mkdir(e.repo.dir, 0o755); err != nil { //nolint:gosec // anyone may read the story's files
		return nil, fmt.Errorf("make the repository: %w", err)
	}
	if err := e.repo.create(ctx); err != nil {
		return nil, err
	}
	if err := e.openRows(ctx, o.history); err != nil {
		return nil, err
	}
	return e, e.writeTokens()
}

// openRows opens the warehouse and builds its history, unless it was given.
func (e *estate) openRows(ctx context.Context, history string) error {
	path := e.path("warehouse.db")
	if history != "" {
		content, err := os.ReadFile(history)
		if err != nil {
			return fmt.Errorf("copy the history: %w", err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil { //nolint:gosec // a test's own files
			return fmt.Errorf("copy the history: %w", err)
		}
	}
	var err error
	if e.warehouse, err = openWarehouse(path, e.names, e.day); err != nil {
		return err
	}
	if history == "" {
		err = e.warehouse.build(ctx)
	}
	if err == nil {
		err = e.warehouse.numbers(ctx)
	}
	if err != nil {
		return errors.Join(err, e.warehouse.Close())
	}
	e.stream = newStream(e.warehouse, e.variant, e.repo.pipeline())
	e.builds = &builds{warehouse: e.warehouse, model: e.repo.model(), mapping: e.repo.path(e.repo.mappingName()), revenue: e.repo.path(e.repo.revenueName())}
	return e.openNight(ctx)
}

// openNight makes what only the second day has.
func (e *estate) openNight(ctx context.Context) error {
	if e.variant != variantNight {
		return nil
	}
	if err := e.warehouse.buildNight(ctx); err != nil {
		return errors.Join(err, e.warehouse.Close())
	}
	if err := e.builds.loadRevenue(ctx, e.day.at(0, 0)); err != nil {
		return errors.Join(err, e.warehouse.Close())
	}
	return nil
}

func (e *estate) writeTokens() error {
	for name, token := range map[string]string{
		"slack-bot.token": e.tokens.bot, "slack-app.token": e.tokens.app, "dagster.token": e.tokens.dagster,
		"pagerduty.key": e.tokens.pager, "jira.token": e.tokens.tracker,
	} {
		if err := os.WriteFile(e.path(name), []byte(token+"\n"), 0o600); err != nil {
			return fmt.Errorf("write the demo's tokens: %w", err)
		}
	}
	return nil
}

// addresses are where the systems around dw listen, and dw itself.
type addresses struct{ slack, dagster, pager, tracker, dw string }

// configure writes the configuration for the addresses in use.
func (e *estate) configure(at addresses) error {
	store := ""
	if e.store != e.path("dw.db") {
		store = "store.dsn"
		if err := os.WriteFile(e.path(store), []byte(e.store+"\n"), 0o600); err != nil {
			return fmt.Errorf("write the database's DSN: %w", err)
		}
	}
	content, err := fill("config.yaml.tmpl", e.names, map[string]string{
		"Night": e.nightText(), "SlackURL": at.slack, "DagsterURL": at.dagster, "PagerURL": at.pager, "Store": store, "JiraURL": at.tracker, "Channel": incidentsID,
		"Owner": ownerID, "Deputy": deputyID, "Escalation": escalationID, "Finance": financeID,
		"OwnerEmail": ownerEmail, "DeputyEmail": deputyEmail, "EscalationEmail": escalationEmail, "FinanceEmail": financeEmail,
		"RoutingKey": e.tokens.route, "HookSecret": e.tokens.hook, "Listen": at.dw, "JiraEmail": trackerEmail, "JiraProject": trackerProject, "JiraIssueType": trackerType,
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(e.path("config.yaml"), content, 0o600); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	return nil
}

// nightText is empty but on the second day.
func (e *estate) nightText() string {
	if e.variant == variantNight {
		return variantNight
	}
	return ""
}

// Close closes the warehouse.
func (e *estate) Close() error { return e.warehouse.Close() }
