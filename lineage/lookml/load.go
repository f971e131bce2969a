package lookml

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"dw/lineage"
)

// Source is the name of what this package reads, in every statement.
const Source = "LookML"

// maxFile is the most that is read of one file, in bytes.
const maxFile = 8 << 20

// Options say how to read a project. Without System and Database a table is
// known by its name alone.
type Options struct {
	Project   string            // the first part of the ids, required
	SeenAt    time.Time         // the age of the project
	System    string            // what holds the tables: "bigquery", "postgres://db:5432"
	Database  string            // stands in front of names of two parts
	Schema    string            // stands in front of names of one part
	Constants map[string]string // override those of manifest.lkml
}

// Load reads all .lkml and .lookml files of a project and returns its views,
// explores, dashboards and the tables behind them. The error names the file and
// the line that cannot be read; nothing is returned with it. What a file names
// and no file defines is stated with the property lookml.described: no.
func Load(project fs.FS, opts Options) (lineage.Statements, error) {
	if opts.Project == "" {
		return lineage.Statements{}, errors.New("read LookML: the name of the project is not given")
	}
	p := newProject(opts)
	err := fs.WalkDir(project, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isLookML(file) {
			return err
		}
		if err := p.file(project, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		return nil
	})
	if err != nil {
		return lineage.Statements{}, fmt.Errorf("read LookML: %w", err)
	}
	if p.files == 0 {
		return lineage.Statements{}, errors.New("read LookML: there is no file that ends in .lkml or .lookml")
	}
	return p.statements(), nil
}

func isLookML(file string) bool {
	return strings.HasSuffix(file, ".lkml") || strings.HasSuffix(file, ".lookml")
}

// project is all files of a project, read.
type project struct {
	opts       Options
	files      int
	constants  map[string]string
	views      map[string]node
	explores   map[string]node
	where      map[string]string // the file of each view and explore, by "view x", "explore x"
	models     []model
	dashboards []dashboard
	unset      map[string]bool // constants whose value somebody must still give
}

// model is a file that says in which connection its explores run.
type model struct {
	name, file, connection string
	includes               []string
}

func newProject(opts Options) *project {
	return &project{
		opts: opts, constants: map[string]string{}, views: map[string]node{}, explores: map[string]node{},
		where: map[string]string{}, unset: map[string]bool{},
	}
}

func (p *project) file(project fs.FS, file string) error {
	p.files++
	content, err := fs.ReadFile(project, file)
	switch {
	case err != nil:
		return err
	case len(content) > maxFile:
		return fmt.Errorf("it has %d bytes, dw reads at most %d", len(content), maxFile)
	case strings.HasSuffix(file, ".dashboard.lookml"):
		return p.dashboardFile(content)
	}
	root, err := parse(string(content))
	if err != nil {
		return err
	}
	p.add(root, file)
	return nil
}

// add takes over what a file defines. What begins with a plus refines what
// another file defines, and stands behind it.
func (p *project) add(root node, file string) {
	for _, n := range root.children {
		switch n.key {
		case "constant":
			p.constant(n)
		case "view":
			put(p.views, n)
			p.where["view "+strings.TrimPrefix(n.name, "+")] = file
		case "explore":
			put(p.explores, n)
			p.where["explore "+strings.TrimPrefix(n.name, "+")] = file
		}
	}
	if name, isModel := strings.CutSuffix(path.Base(file), ".model.lkml"); isModel {
		m := model{name: name, file: file, connection: root.text("connection")}
		for _, include := range root.all("include") {
			m.includes = append(m.includes, include.value)
		}
		p.models = append(p.models, m)
	}
}

// put joins what is defined and what refines it; the later key wins.
func put(all map[string]node, n node) {
	name, refines := strings.CutPrefix(n.name, "+")
	before := all[name]
	n.name = name
	if refines {
		n.children = slices.Concat(before.children, n.children)
	} else {
		n.children = slices.Concat(n.children, before.children)
	}
	all[name] = n
}

func (p *project) constant(n node) {
	p.constants[n.name] = n.text("value")
	if n.text("export") == "override_required" {
		p.unset[n.name] = true
	}
}

// expand puts the values of constants in. One that must be overridden and is not
// stays as it is written: what stands in the file is not its value.
func (p *project) expand(text string) string {
	for range 5 { // a constant may hold another
		before := text
		for name, value := range p.constants {
			if override, given := p.opts.Constants[name]; given {
				value = override
			} else if p.unset[name] {
				continue
			}
			text = strings.ReplaceAll(text, "@{"+name+"}", value)
		}
		if text == before {
			break
		}
	}
	return text
}

// modelOf returns the model in which an explore of a file stands: its own file,
// or the first that includes it.
func (p *project) modelOf(file string) string {
	for _, m := range p.models {
		if m.file == file {
			return m.name
		}
	}
	for _, m := range p.models {
		for _, pattern := range m.includes {
			if includes(path.Dir(m.file), pattern, file) {
				return m.name
			}
		}
	}
	return ""
}

// includes matches a pattern of include, which may leave the ending out.
func includes(folder, pattern, file string) bool {
	if rooted, ok := strings.CutPrefix(pattern, "/"); ok {
		pattern = rooted
	} else {
		pattern = path.Join(folder, pattern)
	}
	for _, ending := range []string{"", ".lkml"} {
		if matches(strings.Split(pattern+ending, "/"), strings.Split(file, "/")) {
			return true
		}
	}
	return false
}

// matches is path.Match with ** for any number of folders.
func matches(pattern, parts []string) bool {
	if len(pattern) == 0 {
		return len(parts) == 0
	}
	if pattern[0] == "**" {
		for skip := range len(parts) + 1 {
			if matches(pattern[1:], parts[skip:]) {
				return true
			}
		}
		return false
	}
	if len(parts) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], parts[0])
	return err == nil && ok && matches(pattern[1:], parts[1:])
}
