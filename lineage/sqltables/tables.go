// Package sqltables reads which tables a SQL script reads and which it writes,
// of any dialect, from its tokens alone: it knows the words behind which a table
// stands, and what is named in the script itself. It never guesses a column.
package sqltables

import (
	"slices"
	"strings"
)

// Tables are what a script reads and what it writes, each in the order in which
// it is first named. A file or folder has `path:` in front.
type Tables struct {
	Sources []string `json:"sources"`
	Targets []string `json:"targets"`
}

// Read returns the tables of a script in a dialect (`postgres`, `bigquery`,
// `snowflake`, `tsql`, `hive`, …; an unknown one is read as ANSI). Names are as
// written, without quotes; of spellings that differ by case alone the first
// stands. What one statement makes and a later one reads, or drops, is neither.
func Read(sql, dialect string) Tables {
	var script script
	for _, statement := range statements(tokens(sql, strings.ToLower(dialect))) {
		p := parser{tokens: statement, dialect: strings.ToLower(dialect), aliases: map[string]string{}}
		p.statement()
		script.add(p)
	}
	return script.tables()
}

// statements splits at the semicolons.
func statements(all []token) [][]token {
	var out [][]token
	start := 0
	for i, t := range all {
		if t.mark(";") {
			out = append(out, all[start:i])
			start = i + 1
		}
	}
	return append(out, all[start:])
}

// script adds statements up.
type script struct {
	sources, targets names
	between          names // made by one statement, read by a later one
}

func (s *script) add(p parser) {
	for _, name := range p.sources.list {
		if s.targets.has(name) && !p.targets.has(name) {
			s.between.add(name)
			continue
		}
		s.sources.add(name)
	}
	for _, name := range p.targets.list {
		s.targets.add(name)
	}
	for _, name := range p.dropped.list {
		s.targets.remove(name)
	}
}

func (s *script) tables() Tables {
	for _, name := range s.between.list {
		s.targets.remove(name)
	}
	return Tables{Sources: s.sources.list, Targets: s.targets.list}
}

// names is a list without repeats, whatever the case.
type names struct{ list []string }

func (n *names) has(name string) bool {
	return slices.ContainsFunc(n.list, func(other string) bool { return strings.EqualFold(other, name) })
}

func (n *names) add(name string) {
	if name != "" && !n.has(name) {
		n.list = append(n.list, name)
	}
}

func (n *names) remove(name string) {
	n.list = slices.DeleteFunc(n.list, func(other string) bool { return strings.EqualFold(other, name) })
}
