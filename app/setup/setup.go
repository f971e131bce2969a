// Package setup makes the first files of an installation: the app manifest for
// Slack, the configuration and the file of its secrets. It asks nobody; package
// main does.
package setup

import (
	"bytes"
	_ "embed" // for the template
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"dw/checks"
	"dw/config"
)

//go:embed config.yaml.tmpl
var configTemplate string

// Answers are what a person was asked.
type Answers struct {
	Instance string // names this dw in every receipt
	Timezone string // IANA name
	BotName  string // of the Slack app and its bot user
	Command  string // the slash command with its slash

	APIURL             string // empty: Slack itself
	BotToken, AppToken string // empty: to be filled in by hand

	Kind     string // of the connection: config.KindSQLite or config.KindPostgres
	Database string // the file's path, or the server's DSN, which is a secret

	Domain  string
	Owner   string // Slack id, or e-mail
	Channel string // Slack channel id
}

// The names of the files of an installation.
const (
	ConfigFile   = "config.yaml"
	ManifestFile = "slack-app-manifest.json"
	ignoreFile   = ".gitignore"
)

var (
	commandPattern  = regexp.MustCompile(`^/[a-z0-9_-]+$`)
	instancePattern = regexp.MustCompile(`[^a-z0-9._-]+`)
	namePattern     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
)

// Instance makes a good name for an instance out of any text, such as a folder's
// name.
func Instance(text string) string {
	name := strings.Trim(instancePattern.ReplaceAllString(strings.ToLower(text), "-"), "-._")
	if name == "" {
		return "dw"
	}
	const longest = 63 // of config's own rule
	return name[:min(len(name), longest)]
}

// File is one file to be written.
type File struct {
	Name    string
	Content []byte
	Mode    fs.FileMode
}

// Files returns the files of an installation in dir. The configuration among
// them is read back as dw reads it, so that what is wrong with an answer is said
// here and not at the first start.
func Files(dir string, a Answers, p Proposal) ([]File, error) {
	if !namePattern.MatchString(a.Domain) {
		return nil, fmt.Errorf("%q is no name for a domain: use letters, digits, - and _", a.Domain)
	}
	if a.Kind != config.KindSQLite && a.Kind != config.KindPostgres {
		return nil, fmt.Errorf("%q is no kind of warehouse that dw reads: sqlite or postgres", a.Kind)
	}
	env, err := envFile(a)
	if err != nil {
		return nil, err
	}
	content, err := configFile(a, p)
	if err != nil {
		return nil, err
	}
	if err := readBack(dir, content, env); err != nil {
		return nil, err
	}
	files := []File{
		{ConfigFile, content, 0o600},
		{config.EnvFileName, env, 0o600},
		{ignoreFile, []byte(".env\n*.db\n*.db-*\nreceipts.key\n"), 0o644},
	}
	if a.APIURL != "" {
		return files, nil
	}
	manifest, err := Manifest(a.BotName, a.Command)
	if err != nil {
		return nil, err
	}
	return append(files, File{ManifestFile, manifest, 0o644}), nil
}

func configFile(a Answers, p Proposal) ([]byte, error) {
	t, err := template.New("config").Funcs(template.FuncMap{
		"quote": strconv.Quote, // a double-quoted text of Go is one of YAML
		"kind":  func(s checks.Spec) string { return s.Kind },
	}).Parse(configTemplate)
	if err != nil {
		return nil, fmt.Errorf("read the template of the configuration: %w", err)
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{"A": a, "P": p, "Email": strings.Contains(a.Owner, "@"), "Postgres": a.Kind == config.KindPostgres})
	if err != nil {
		return nil, fmt.Errorf("write the configuration: %w", err)
	}
	return b.Bytes(), nil
}

// envFile holds the secrets, so that the configuration can be shown to others.
func envFile(a Answers) ([]byte, error) {
	var b strings.Builder
	b.WriteString("# Secrets of dw. It reads this file beside its configuration; what is set in the\n# environment goes first. Keep the mode 0600 and keep it out of version control.\n")
	values := []struct{ name, value string }{{"SLACK_BOT_TOKEN", a.BotToken}, {"SLACK_APP_TOKEN", a.AppToken}}
	if a.Kind == config.KindPostgres {
		values = append(values, struct{ name, value string }{"WAREHOUSE_DSN", a.Database})
	}
	for _, v := range values {
		if strings.ContainsAny(v.value, "'\n\r") {
			return nil, fmt.Errorf("%s holds a quote or a new line; write .env by hand", v.name)
		}
		fmt.Fprintf(&b, "%s='%s'\n", v.name, v.value)
	}
	return []byte(b.String()), nil
}

// readBack loads the configuration as dw does. Tokens may still be missing.
func readBack(dir string, content, env []byte) error {
	path := filepath.Join(dir, ConfigFile)
	from := config.Sources{
		Getenv: func(string) (string, bool) { return "", false },
		ReadFile: func(name string) ([]byte, error) {
			if name == filepath.Join(dir, config.EnvFileName) {
				return env, nil
			}
			return nil, fs.ErrNotExist
		},
	}
	from, err := config.WithEnvFile(path, from)
	if err != nil {
		return err
	}
	_, err = config.Parse(path, content, from)
	problems, _ := errors.AsType[config.Problems](err)
	var wrong []error
	for _, problem := range problems {
		if !strings.HasPrefix(problem.Key, "slack.") {
			wrong = append(wrong, fmt.Errorf("the answers make a wrong configuration: %s: %s", problem.Key, problem.What))
		}
	}
	return errors.Join(wrong...)
}

// Existing lists which files are there already.
func Existing(dir string, files []string) []string {
	var there []string
	for _, name := range files {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			there = append(there, name)
		}
	}
	return there
}

// Write writes the files into dir, which is made with mode 0700 if it is not
// there. A file that exists is replaced only where overwrite says so; the names
// of those that were kept are returned. A replaced file is never half written.
func Write(dir string, files []File, overwrite func(name string) bool) (kept []string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder: %w", err)
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if f.Name == ignoreFile {
			var err error
			if f.Content, err = ignoring(path, f.Content); err != nil {
				return kept, err
			}
		} else if len(Existing(dir, []string{f.Name})) > 0 && !overwrite(f.Name) {
			kept = append(kept, f.Name)
			continue
		}
		if err := replace(path, f); err != nil {
			return kept, err
		}
	}
	return kept, nil
}

// ignoring adds the lines that an existing ignore file lacks: tokens and the
// signing key must not be committed by oversight.
func ignoring(path string, lines []byte) ([]byte, error) {
	before, err := os.ReadFile(path) //nolint:gosec // the folder that the person named
	if errors.Is(err, fs.ErrNotExist) {
		return lines, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(before) > 0 && !bytes.HasSuffix(before, []byte("\n")) {
		before = append(before, '\n')
	}
	has := bytes.Split(before, []byte("\n"))
	for line := range bytes.Lines(lines) {
		if !slices.ContainsFunc(has, func(l []byte) bool { return bytes.Equal(bytes.TrimSpace(l), bytes.TrimSpace(line)) }) {
			before = append(before, line...)
		}
	}
	return before, nil
}

// replace writes a file under another name first, so that its mode is right from
// the beginning and nobody reads half of it.
func replace(path string, f File) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), ".dw-init-")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = temporary.Write(f.Content)
	err = errors.Join(err, temporary.Chmod(f.Mode), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(temporary.Name()))
	}
	return nil
}
