package checks

import (
	"fmt"
	"slices"
	"strings"
)

// schemaDiff is how the columns of a table differ from those learned. Each list
// holds a column once, in words.
type schemaDiff struct {
	removed   []string
	renamed   []Rename // gone, with one of like type in its place
	retyped   []string
	loosened  []string // NULL is allowed now
	tightened []string // NULL is not allowed any more
	added     []string
	moved     bool
	allowed   []string // added, and allowed
}

// diffSchemas compares columns by name. With allowNew added columns are allowed,
// unless one took the place of another.
func diffSchemas(before, after []Column, allowNew bool) schemaDiff {
	var d schemaDiff
	old, current := byName(before), byName(after)
	replaced := map[string]bool{}
	for i, was := range before {
		is, found := current[was.Name]
		if !found {
			if i < len(after) && old[after[i].Name] == nil && after[i].Type == was.Type {
				replaced[after[i].Name] = true
				d.renamed = append(d.renamed, Rename{From: was.Name, To: after[i].Name})
				continue
			}
			d.removed = append(d.removed, short(was.Name))
			continue
		}
		d.compare(was, *is)
	}
	for _, is := range after {
		switch {
		case old[is.Name] != nil || replaced[is.Name]:
		case allowNew:
			d.allowed = append(d.allowed, short(is.Name))
		default:
			d.added = append(d.added, short(is.Name)+" "+short(is.Type))
		}
	}
	d.moved = !slices.Equal(order(before, current), order(after, old))
	return d
}

// compare adds how one column differs.
func (d *schemaDiff) compare(was, is Column) {
	if !strings.EqualFold(was.Type, is.Type) {
		d.retyped = append(d.retyped, fmt.Sprintf("%s %s → %s", short(was.Name), short(was.Type), short(is.Type)))
	}
	switch {
	case is.Nullable && !was.Nullable:
		d.loosened = append(d.loosened, short(was.Name))
	case was.Nullable && !is.Nullable:
		d.tightened = append(d.tightened, short(was.Name))
	}
}

func byName(columns []Column) map[string]*Column {
	out := make(map[string]*Column, len(columns))
	for i := range columns {
		out[columns[i].Name] = &columns[i]
	}
	return out
}

// order lists the names that the other side has too.
func order(columns []Column, other map[string]*Column) []string {
	var out []string
	for _, c := range columns {
		if other[c.Name] != nil {
			out = append(out, c.Name)
		}
	}
	return out
}

// count is the number of changes that are not allowed.
func (d schemaDiff) count() int {
	n := len(d.removed) + len(d.renamed) + len(d.retyped) + len(d.loosened) + len(d.tightened) + len(d.added)
	if d.moved {
		n++
	}
	return n
}

// breaks reports whether readers of the table can break.
func (d schemaDiff) breaks() bool { return len(d.removed)+len(d.renamed)+len(d.retyped) > 0 }

// sentences say the changes, worst first, each list cut.
func (d schemaDiff) sentences() []string {
	var out []string
	for _, part := range []struct {
		what  string
		names []string
	}{
		{"removed", d.removed},
		{"perhaps renamed", renamesList(d.renamed)},
		{"of another type", d.retyped},
		{"may be NULL now", d.loosened},
		{"may not be NULL any more", d.tightened},
		{"added", d.added},
	} {
		if len(part.names) > 0 {
			out = append(out, fmt.Sprintf("%d %s: %s", len(part.names), part.what, strings.Join(cut(part.names), ", ")))
		}
	}
	if d.moved {
		out = append(out, "the order changed")
	}
	return out
}

// newText names the columns that are new and allowed.
func (d schemaDiff) newText() string {
	if len(d.allowed) == 0 {
		return ""
	}
	return fmt.Sprintf("; %d new, which is allowed: %s", len(d.allowed), strings.Join(cut(d.allowed), ", "))
}
