package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dw/app"
	"dw/app/setup"
	"dw/checks"
	"dw/config"
)

// initFlags are the answers that were given on the command line.
type initFlags struct {
	setup.Answers
	table             string
	local, yes, force bool
}

func initCommand() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make the first files of an installation, with a few questions",
		Long: "Writes config.yaml, .env (mode 0600) and the Slack app's manifest into DIR, default the current folder, and proposes a\n" +
			"first set of checks for one table by looking at it. A question whose answer is given as a flag is not asked; --yes asks\n" +
			"nothing. --local sets up against `dw slackdev`, without an account. Nothing is overwritten without asking, or --force.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return runInit(cmd.Context(), &asker{in: bufio.NewReader(cmd.InOrStdin()), out: cmd.OutOrStdout(), yes: f.yes}, f, dir)
		},
	}
	s := cmd.Flags()
	s.BoolVar(&f.local, "local", false, "set up against dw slackdev on this machine, without an account")
	s.BoolVar(&f.yes, "yes", false, "ask nothing; take defaults for what no flag says")
	s.BoolVar(&f.force, "force", false, "overwrite files that are there")
	s.StringVar(&f.Instance, "instance", "", "name of this dw in every receipt (default: the folder's)")
	s.StringVar(&f.Timezone, "timezone", "", "IANA name of the zone of schedules (default: this machine's, or UTC)")
	s.StringVar(&f.BotName, "name", "dw", "name of the Slack app")
	s.StringVar(&f.Command, "command", "/dw", "slash command")
	s.StringVar(&f.Kind, "kind", "", "kind of the warehouse: sqlite or postgres")
	s.StringVar(&f.Database, "database", "", "the SQLite file, or the PostgreSQL URL of a role that may only read")
	s.StringVar(&f.table, "table", "", "the table to watch first")
	s.StringVar(&f.Domain, "domain", "", "name of the table's domain (default: data)")
	s.StringVar(&f.Owner, "owner", "", "who decides there: Slack member id, or e-mail")
	s.StringVar(&f.Channel, "channel", "", "id of the Slack channel for its incidents")
	return cmd
}

// runInit asks, looks at the table, and writes the files.
func runInit(ctx context.Context, ask *asker, f initFlags, dir string) error {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find the folder: %w", err)
	}
	if err := askAll(ask, &f, absolute); err != nil {
		return err
	}
	proposal, err := propose(ctx, ask, &f, absolute)
	if err != nil {
		return err
	}
	files, err := setup.Files(absolute, f.Answers, proposal)
	if err != nil {
		return err
	}
	kept, err := setup.Write(absolute, files, func(name string) bool {
		return f.force || ask.confirm(filepath.Join(dir, name)+" is there already. Overwrite it?")
	})
	if err != nil {
		return err
	}
	sayDone(ask.out, f, dir, files, kept)
	return keptError(kept)
}

// keptError fails where the configuration was not written: the files would not
// fit together.
func keptError(kept []string) error {
	for _, name := range kept {
		if name == setup.ConfigFile || name == config.EnvFileName {
			return fmt.Errorf("%s is there already and was kept; name another folder, or overwrite with --force", strings.Join(kept, ", "))
		}
	}
	return nil
}

// askAll asks what no flag says. Locally the workspace is known.
func askAll(ask *asker, f *initFlags, dir string) error {
	if f.local {
		local := localWorkspace()
		fill(&f.APIURL, "http://"+slackdevAddress+"/api/")
		fill(&f.Owner, local.Users[0].ID)
		fill(&f.Channel, local.Channels[0].ID)
		f.BotToken, f.AppToken = local.BotToken, local.AppToken
	}
	fill(&f.Instance, setup.Instance(filepath.Base(dir)))
	fill(&f.Timezone, localZone())
	for _, q := range []struct {
		into              *string
		flag, text, usual string
	}{
		{&f.Kind, "kind", "Kind of your warehouse, sqlite or postgres", config.KindSQLite},
		{&f.Database, "database", "Its SQLite file, or its PostgreSQL URL", ""},
		{&f.Domain, "domain", "Name of the domain that the first table belongs to", "data"},
		{&f.Owner, "owner", "Who decides there: Slack member id (profile, three dots), or e-mail", ""},
		{&f.Channel, "channel", "Slack channel id for its incidents (end of the channel's details)", ""},
	} {
		if err := ask.question(q.into, q.flag, q.text, q.usual); err != nil {
			return err
		}
	}
	return nil
}

func fill(value *string, usual string) {
	if *value == "" {
		*value = usual
	}
}

// localZone is this machine's zone where it has an IANA name.
func localZone() string {
	name := time.Local.String() //nolint:gosmopolitan // the zone of the person who sets up is a good default
	if name == "Local" || name == "" {
		return "UTC"
	}
	return name
}

// propose opens the warehouse and looks at the table.
func propose(ctx context.Context, ask *asker, f *initFlags, dir string) (setup.Proposal, error) {
	if f.Kind != config.KindSQLite && f.Kind != config.KindPostgres {
		return setup.Proposal{}, fmt.Errorf("%q is no kind of warehouse that dw reads: sqlite or postgres", f.Kind)
	}
	connection := config.Connection{Kind: f.Kind, Path: f.Database}
	if f.Kind == config.KindPostgres {
		connection = config.Connection{Kind: f.Kind, DSN: config.NewSecret(f.Database)}
	} else if absolute, err := filepath.Abs(f.Database); err == nil {
		f.Database, connection.Path = fromFolder(dir, absolute), absolute
	}
	db, err := app.OpenConnection(connection)
	if err != nil {
		return setup.Proposal{}, fmt.Errorf("open the warehouse: %w", err)
	}
	defer db.Close() //nolint:errcheck // only read
	if f.table == "" {
		if names, err := setup.Tables(ctx, db); err == nil && len(names) > 0 {
			fmt.Fprintln(ask.out, "Tables: "+oneLine(strings.Join(names, ", ")))
		}
	}
	if err := ask.question(&f.table, "table", "Table to watch first", ""); err != nil {
		return setup.Proposal{}, err
	}
	proposal, err := setup.Propose(ctx, db, "warehouse", f.table, time.Now())
	sayProposal(ask.out, proposal)
	if missing, ok := errors.AsType[*checks.MissingTableError](err); ok {
		return proposal, fmt.Errorf("%w; run dw init again with --table", missing)
	}
	return proposal, err
}

// sayProposal lists the checks with their reasons.
func sayProposal(out io.Writer, p setup.Proposal) {
	if len(p.Checks) > 0 {
		fmt.Fprintf(out, "\nProposed checks for %s, all read-only:\n", oneLine(p.Table))
	}
	for _, c := range p.Checks {
		fmt.Fprintf(out, "  %-10s %s\n", c.Spec.Kind, oneLine(c.Why))
	}
	for _, note := range p.Notes {
		fmt.Fprintf(out, "  note       %s\n", oneLine(note))
	}
}

// fromFolder writes a path relative to the configuration where it lies below it,
// so that the folder can be moved.
func fromFolder(dir, path string) string {
	relative, err := filepath.Rel(dir, path)
	if err != nil || strings.HasPrefix(relative, "..") {
		return path
	}
	return relative
}

// sayDone tells what was written and what comes next.
func sayDone(out io.Writer, f initFlags, dir string, files []setup.File, kept []string) {
	path := filepath.Join(dir, setup.ConfigFile)
	fmt.Fprintln(out)
	for _, file := range files {
		if !slices.Contains(kept, file.Name) {
			fmt.Fprintf(out, "wrote %s\n", filepath.Join(dir, file.Name))
		}
	}
	if f.local {
		fmt.Fprintf(out, "\nnext, in another terminal:  dw slackdev\nthen:                       dw doctor -c %s\nthen:                       dw run -c %s\n", path, path)
		fmt.Fprintf(out, "and on http://%s as Olga Owner:  %s checks\n", slackdevAddress, f.Command)
		return
	}
	fmt.Fprintf(out, "\nnext: on https://api.slack.com/apps choose Create New App, From a manifest, and paste %s\n", filepath.Join(dir, setup.ManifestFile))
	fmt.Fprintf(out, "then: put the two tokens into %s (docs/slack-setup.md names each screen)\nthen: dw doctor -c %s\n", filepath.Join(dir, config.EnvFileName), path)
}

// asker asks a person, or nobody.
type asker struct {
	in  *bufio.Reader
	out io.Writer
	yes bool
}

// question fills in a value that no flag gave; an empty answer takes the usual.
func (a *asker) question(into *string, flag, text, usual string) error {
	if *into != "" {
		return nil
	}
	if a.yes {
		if usual == "" {
			return fmt.Errorf("--yes asks nothing, so give --%s: %s", flag, text)
		}
		*into = usual
		return nil
	}
	for *into == "" {
		line, err := a.line(text, usual)
		if err != nil {
			return fmt.Errorf("no answer to %q; give --%s: %w", text, flag, err)
		}
		*into = line
	}
	return nil
}

func (a *asker) line(text, usual string) (string, error) {
	if usual != "" {
		text += " [" + usual + "]"
	}
	fmt.Fprint(a.out, text+": ")
	line, err := a.in.ReadString('\n')
	if line = strings.TrimSpace(line); line == "" && usual != "" && err == nil {
		line = usual
	}
	if line == "" && err != nil {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return line, nil
}

// confirm asks a yes-or-no question; without a person the answer is no.
func (a *asker) confirm(text string) bool {
	if a.yes {
		return false
	}
	fmt.Fprint(a.out, text+" [y/N]: ")
	line, err := a.in.ReadString('\n')
	return (err == nil || errors.Is(err, io.EOF)) && strings.EqualFold(strings.TrimSpace(line), "y")
}
