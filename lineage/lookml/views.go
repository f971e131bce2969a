package lookml

import (
	"regexp"
	"slices"
	"strings"

	"dw/lineage/sqltables"
)

// deepestExtends bounds chains of extends, which may lead in a circle.
const deepestExtends = 20

// view is a view with what it inherits.
type view struct {
	name     string
	tables   []string // as SQL names them
	views    []string // whose derived tables it reads
	explores []string // that it is derived from
	fields   []field
	bare     bool // it must be extended, and stands for nothing alone
}

// field is a dimension or measure, and the columns of the view's table that it
// reads.
type field struct {
	name    string
	group   bool // a dimension group: names of timeframes stand behind its own
	columns []string
}

// inherited returns a node with the children of what it extends in front, so that
// its own win.
func (p *project) inherited(all map[string]node, n node, depth int) node {
	if depth > deepestExtends {
		return n
	}
	var before []node
	for _, extends := range n.all("extends") {
		for _, name := range append(extends.items, strings.Fields(extends.value)...) {
			if parent, ok := all[strings.TrimSuffix(name, "*")]; ok {
				before = append(before, slices.DeleteFunc(
					slices.Clone(p.inherited(all, parent, depth+1).children),
					func(c node) bool { return c.key == "extension" || c.key == "extends" })...)
			}
		}
	}
	n.children = append(before, n.children...)
	return n
}

// view reads one view.
func (p *project) view(name string) view {
	n := p.inherited(p.views, p.views[name], 0)
	v := view{name: name, bare: n.text("extension") == "required"}
	v.fields = fieldsOf(n)
	switch derived, isDerived := n.one("derived_table"); {
	case isDerived && n.text("sql_table_name") == "":
		p.derived(&v, derived)
	case n.text("sql_table_name") != "":
		v.tables = p.tables("select * from "+n.text("sql_table_name"), &v)
	case readsTable(n):
		v.tables = []string{name} // Looker takes the name of the view for the table's
	}
	return v
}

// readsTable says that a field of the view reads a column of its table.
func readsTable(n node) bool {
	return slices.ContainsFunc(n.children, func(c node) bool { return strings.Contains(c.text("sql"), "${TABLE}") })
}

// derived reads the SQL, or the explore, that a derived table is made of.
func (p *project) derived(v *view, n node) {
	for _, c := range n.children {
		switch c.key {
		case "sql", "sql_create":
			v.tables = append(v.tables, p.tables(c.value, v)...)
		case "explore_source":
			v.explores = append(v.explores, c.name)
		case "create_process":
			for _, step := range c.all("sql_step") {
				v.tables = append(v.tables, p.tables(step.value, v)...)
			}
		}
	}
	slices.Sort(v.tables)
	v.tables = slices.Compact(v.tables)
}

var (
	liquidTag    = regexp.MustCompile(`(?s)\{%.*?%\}`)
	liquidValue  = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	viewTable    = regexp.MustCompile(`\$\{\s*(\w+)\.SQL_TABLE_NAME\s*\}`)
	ownTable     = regexp.MustCompile(`\$\{\s*SQL_TABLE_NAME\s*\}`)
	anyReference = regexp.MustCompile(`\$\{[^}]*\}`)
	constant     = regexp.MustCompile(`@\{(\w+)\}`)
	constantMark = regexp.MustCompile(`zz_constant_(\w+?)_zz`)
)

// Stand-ins for what is no name of a table.
const (
	viewMark = "lookml_view_"
	ownMark  = "lookml_own_table"
)

// tables reads the tables of a text of SQL; of a Liquid condition all branches
// count. A view whose derived table is read is noted in v.
func (p *project) tables(sql string, v *view) []string {
	sql = constant.ReplaceAllString(p.expand(sql), "zz_constant_${1}_zz") // which no value is known of
	sql = viewTable.ReplaceAllString(sql, viewMark+"${1}")
	sql = ownTable.ReplaceAllString(sql, ownMark)
	sql = anyReference.ReplaceAllString(sql, "lookml_field")
	sql = liquidTag.ReplaceAllString(sql, " ")
	sql = liquidValue.ReplaceAllString(sql, "lookml_liquid")
	var out []string
	for _, name := range sqltables.Read(sql, p.dialect()).Sources {
		if other, isView := strings.CutPrefix(name, viewMark); isView {
			v.views = append(v.views, other)
			continue
		}
		if !strings.Contains(name, ownMark) && !strings.Contains(name, "lookml_") {
			out = append(out, constantMark.ReplaceAllString(name, "@{${1}}"))
		}
	}
	return out
}

func (p *project) dialect() string {
	system, _, _ := strings.Cut(p.opts.System, "://")
	return system
}

// fieldsOf lists the fields of a view, the last of a name, with their columns.
func fieldsOf(n node) []field {
	bySQL := map[string]string{}
	var names []string
	groups := map[string]bool{}
	for _, c := range n.children {
		switch c.key {
		case "dimension", "dimension_group", "measure", "filter", "parameter":
			if _, known := bySQL[c.name]; !known {
				names = append(names, c.name)
			}
			bySQL[c.name], groups[c.name] = c.text("sql"), c.key == "dimension_group"
			if bySQL[c.name] == "" && (c.key == "dimension" || c.key == "dimension_group") {
				bySQL[c.name] = "${TABLE}." + c.name // Looker takes the field's name for the column's
			}
		}
	}
	slices.Sort(names)
	out := make([]field, 0, len(names))
	for _, name := range names {
		columns := columnsOf(bySQL, bySQL[name], 0)
		slices.Sort(columns)
		out = append(out, field{name: name, group: groups[name], columns: slices.Compact(columns)})
	}
	return out
}

var (
	tableColumn = regexp.MustCompile("\\$\\{TABLE\\}\\s*\\.\\s*(?:\"([^\"]+)\"|`([^`]+)`|(\\w+))")
	ownField    = regexp.MustCompile(`\$\{(\w+)\}`)
)

// columnsOf follows the fields that a field's SQL names to columns of the table.
func columnsOf(fields map[string]string, sql string, depth int) []string {
	var out []string
	for _, m := range tableColumn.FindAllStringSubmatch(sql, -1) {
		out = append(out, m[1]+m[2]+m[3])
	}
	if depth > 10 {
		return out
	}
	for _, m := range ownField.FindAllStringSubmatch(sql, -1) {
		name := m[1]
		for _, known := fields[name]; !known && strings.Contains(name, "_"); _, known = fields[name] {
			name = name[:strings.LastIndex(name, "_")] // created_date is the group created
		}
		if other, known := fields[name]; known {
			out = append(out, columnsOf(fields, other, depth+1)...)
		}
	}
	return out
}
