package config

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Problem is one thing wrong with a configuration and where it stands.
type Problem struct { //nolint:errname // the word of the domain; it is also what is listed
	File   string
	Line   int // 1-based; 0 where the file as a whole is meant
	Column int
	Key    string // "domains.shop.owner"; empty for the file as a whole
	What   string
}

// Error writes the problem as file:line:column key: what.
func (p Problem) Error() string {
	where := p.File
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	if p.Key == "" {
		return where + ": " + p.What
	}
	return where + " " + p.Key + ": " + p.What
}

// Problems is every problem found, in the order of the file.
type Problems []Problem //nolint:errname // see Problem

// Error writes one problem a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// without leaves out those of more whose key has a problem here already: a value
// that could not be read is not also missing.
func (ps Problems) without(more Problems) Problems {
	return slices.DeleteFunc(more, func(m Problem) bool {
		return slices.ContainsFunc(ps, func(p Problem) bool { return p.Key == m.Key || p.Key == m.Key+"_file" })
	})
}

func (ps Problems) sorted() Problems {
	sort.SliceStable(ps, func(i, j int) bool {
		if ps[i].Line != ps[j].Line {
			return ps[i].Line < ps[j].Line
		}
		return ps[i].Column < ps[j].Column
	})
	return ps
}
