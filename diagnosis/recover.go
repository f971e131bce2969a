package diagnosis

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dw/lineage"
)

// Properties of a model that say how its rows are read out of the dead letter.
const (
	PropRecoverKey     = "recover.key"     // columns that identify a row, comma between
	PropRecoverColumns = "recover.columns" // one a line: name = $.path [as TYPE], or name = sql: EXPRESSION
	PropRecoverValue   = "recover.value"   // column of the dead-letter table with the JSON bytes, default "value"
	PropRecoverFrom    = "recover.from"    // relation to read, as the model would write it; default from the asset
	PropRecoverDialect = "recover.dialect" // "sqlite" (default) or "postgres"
	PropRecoverWhere   = "recover.where"   // condition on the dead-letter rows, optional
)

// Recovery is how dead-letter rows become rows of a model.
type Recovery struct {
	From    string   // relation, as the model would write it
	Value   string   // column with the record's bytes
	Key     []string // columns that identify a row
	Columns []RecoveredColumn
	Dialect string
	Where   string
}

// RecoveredColumn is one column of the model with its expression.
type RecoveredColumn struct {
	Name string
	SQL  string
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	jsonPath   = regexp.MustCompile(`^(\$(?:\.[A-Za-z_][A-Za-z0-9_]*)+)(?:\s+as\s+([A-Za-z][A-Za-z0-9_ ]*(?:\(\d+(?:,\s*\d+)?\))?))?$`)
	aggregates = regexp.MustCompile(`(?i)\bgroup\s+by\b|\bselect\s+distinct\b|\blimit\b|\bunion\b|\bintersect\b|\bexcept\b`)
	aggregate  = regexp.MustCompile(`(?i)\b(?:count|sum|avg|min|max|array_agg|string_agg)\b\s*(\w*)`)
	configCall = regexp.MustCompile(`^\{\{-?\s*config\s*\(`)
)

// unionDeadLetter makes the diff of the model's file.
func (p *planner) unionDeadLetter() ([]PlannedStep, error) {
	model, err := p.model()
	if err != nil {
		return nil, err
	}
	before, err := readDeployed(p.Files, model)
	if err != nil {
		return nil, err
	}
	r, err := p.recovery(model)
	if err != nil {
		return nil, fmt.Errorf("no diff could be made of %s: %w", model.File, err)
	}
	after, err := RecoverModel(before, r)
	if err != nil {
		return nil, fmt.Errorf("no diff could be made of %s: %w", model.File, err)
	}
	return p.diffStep(PlannedStep{
		Kind:   Recover,
		Title:  "Add the dead-letter rows to " + label(model) + ", once each by " + strings.Join(r.Key, ", "),
		Reason: "Dead-letter rows whose value is not JSON, or that lack the key, are not recovered. A row that the model has already is not added.",
		Undo:   "Revert the diff of " + model.File + " and rebuild " + label(model) + ".",
	}, model, before, after)
}

// model is the model to recover: the subject, or else the nearest one that says
// how, below the subject or below the topic that feeds it.
func (p *planner) model() (lineage.Asset, error) {
	subject := p.Diagnosis.Subject
	starts := []lineage.AssetID{subject}
	for _, n := range upstream(p.Graph, subject) {
		if n.Kind == lineage.KindTopic {
			starts = append(starts, n.ID)
		}
	}
	for _, start := range starts {
		if a, ok := p.Graph.Asset(start); ok && a.Properties[PropRecoverKey] != "" {
			return a, nil
		}
		steps, err := p.Graph.Trace(start, false, 0)
		if err != nil {
			return lineage.Asset{}, fmt.Errorf("find the model to recover: %w", err)
		}
		for _, s := range steps {
			if a, ok := p.Graph.Asset(s.Asset); ok && a.Properties[PropRecoverKey] != "" {
				return a, nil
			}
		}
	}
	return lineage.Asset{}, fmt.Errorf("neither %s nor a model near it has the property %s", subject, PropRecoverKey)
}

// recovery reads the properties of a model.
func (p *planner) recovery(model lineage.Asset) (Recovery, error) {
	r := Recovery{
		From: model.Properties[PropRecoverFrom], Value: model.Properties[PropRecoverValue],
		Dialect: model.Properties[PropRecoverDialect], Where: model.Properties[PropRecoverWhere],
	}
	if r.Value == "" {
		r.Value = "value"
	}
	if r.Dialect == "" {
		r.Dialect = "sqlite"
	}
	for key := range strings.SplitSeq(model.Properties[PropRecoverKey], ",") {
		r.Key = append(r.Key, strings.TrimSpace(key))
	}
	var err error
	if r.From == "" {
		if r.From, err = p.deadRelation(model); err != nil {
			return Recovery{}, err
		}
	}
	if r.Columns, err = recoveredColumns(model.Properties[PropRecoverColumns], r); err != nil {
		return Recovery{}, err
	}
	return r, r.covers(model.Columns)
}

// deadRelation names the dead-letter table as a dbt model reads it.
func (p *planner) deadRelation(model lineage.Asset) (string, error) {
	for _, n := range upstream(p.Graph, model.ID) {
		want := n.Properties[PropDeadLetter]
		if n.Kind != lineage.KindTopic || want == "" {
			continue
		}
		return relation(p.deadAsset(n.Asset, want))
	}
	return "", fmt.Errorf("no topic above %s has the property %s; set %s", label(model), PropDeadLetter, PropRecoverFrom)
}

func (p *planner) deadAsset(topic lineage.Asset, want string) string {
	if steps, err := p.Graph.Trace(topic.ID, false, 1); err == nil {
		for _, s := range steps {
			if a, ok := p.Graph.Asset(s.Asset); ok && named(a, want) {
				return string(a.ID)
			}
		}
	}
	return want
}

// relation writes an id as SQL: a dbt source as a source() call, any other by
// the last part of its name.
func relation(id string) (string, error) {
	name := shortName(lineage.AssetID(id))
	parts := strings.Split(name, ".")
	for _, part := range parts {
		if !identifier.MatchString(part) {
			return "", fmt.Errorf("%q is not a plain table name; set %s", name, PropRecoverFrom)
		}
	}
	if parts[0] == "source" && len(parts) == 4 {
		return fmt.Sprintf("{{ source('%s', '%s') }}", parts[2], parts[3]), nil
	}
	return name, nil
}

// recoveredColumns reads the lines of PropRecoverColumns.
func recoveredColumns(text string, r Recovery) ([]RecoveredColumn, error) {
	var out []RecoveredColumn
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		name, expr, ok := strings.Cut(l, "=")
		name, expr = strings.TrimSpace(name), strings.TrimSpace(expr)
		if !ok || !identifier.MatchString(name) {
			return nil, fmt.Errorf("%s: %q is not name = expression", PropRecoverColumns, l)
		}
		sql, err := r.expression(expr)
		if err != nil {
			return nil, fmt.Errorf("%s: column %s: %w", PropRecoverColumns, name, err)
		}
		out = append(out, RecoveredColumn{Name: name, SQL: sql})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("property %s is not set", PropRecoverColumns)
	}
	return out, nil
}

// expression reads a JSON path out of the value, or takes SQL as it is.
func (r Recovery) expression(expr string) (string, error) {
	if sql, ok := strings.CutPrefix(expr, "sql:"); ok {
		return strings.TrimSpace(sql), nil
	}
	m := jsonPath.FindStringSubmatch(expr)
	if m == nil {
		return "", fmt.Errorf("%q is neither a path such as $.name nor sql: EXPRESSION", expr)
	}
	sql, err := r.extract(m[1])
	if err != nil || m[2] == "" {
		return sql, err
	}
	return "cast(" + sql + " as " + m[2] + ")", nil
}

func (r Recovery) extract(path string) (string, error) {
	switch r.Dialect {
	case "sqlite":
		return "json_extract(cast(" + r.Value + " as text), '" + path + "')", nil
	case "postgres":
		keys := strings.ReplaceAll(strings.TrimPrefix(path, "$."), ".", ",")
		return "(convert_from(" + r.Value + ", 'UTF8')::jsonb #>> '{" + keys + "}')", nil
	}
	return "", fmt.Errorf("paths are not known for dialect %q: write sql: EXPRESSION", r.Dialect)
}

// covers refuses a union that would lose a column of the model.
func (r Recovery) covers(columns []string) error {
	if len(columns) == 0 {
		return errors.New("the model's columns are not known, so a union could lose one")
	}
	for _, c := range columns {
		if !slices.ContainsFunc(r.Columns, func(rc RecoveredColumn) bool { return strings.EqualFold(rc.Name, c) }) {
			return fmt.Errorf("%s has no line for column %s", PropRecoverColumns, c)
		}
	}
	for _, key := range r.Key {
		if !slices.ContainsFunc(r.Columns, func(rc RecoveredColumn) bool { return strings.EqualFold(rc.Name, key) }) {
			return fmt.Errorf("%s has no line for the key %s", PropRecoverColumns, key)
		}
	}
	return nil
}

// RecoverModel wraps a model: its own query becomes a part, to which the
// recovered rows that it lacks are added. The lines of the model stay as they
// are, between what is put before and after them.
func RecoverModel(text []byte, r Recovery) ([]byte, error) {
	if strings.Contains(string(text), "dw_recovered") {
		return nil, fmt.Errorf("%w: the model recovers dead-letter rows already", ErrNoChangeNeeded)
	}
	start, err := queryStart(string(text))
	if err != nil {
		return nil, err
	}
	if err := wrappable(string(text[start:])); err != nil {
		return nil, err
	}
	l := splitLines(text)
	before := len(splitLines(text[:start]).lines)
	return l.apply([]edit{
		{after: len(l.lines), lines: append([]string{"),"}, r.tail()...)},
		{after: before, lines: []string{"with dw_model as ("}},
	}), nil
}

// wrappable refuses a query that cannot be a part of a union of rows.
func wrappable(query string) error {
	bare := strings.TrimSpace(stripSQL(query))
	switch {
	case bare == "":
		return errors.New("the model has no query")
	case !strings.HasPrefix(strings.ToLower(bare), "select") && !strings.HasPrefix(strings.ToLower(bare), "with"):
		return errors.New("the model does not begin with select or with")
	case strings.Contains(bare, ";"):
		return errors.New("the model holds a semicolon")
	case strings.Contains(bare, "{%"):
		return errors.New("the model holds Jinja statements after its head, so where its query ends is not known")
	case aggregates.MatchString(finalSelect(bare)) || callsAggregate(finalSelect(bare)):
		return errors.New("the model's final select aggregates or combines rows, so rows cannot be added to its result")
	}
	return nil
}

// callsAggregate looks for an aggregate that is not a window function. A column
// of such a name is taken for one: the plan is then left to a person.
func callsAggregate(final string) bool {
	return slices.ContainsFunc(aggregate.FindAllStringSubmatch(final, -1), func(m []string) bool {
		return !strings.EqualFold(m[1], "over")
	})
}

// tail is the SQL after the model's own query.
func (r Recovery) tail() []string {
	names := make([]string, len(r.Columns))
	out := []string{"dw_dead_letter as (", "    select"}
	for i, c := range r.Columns {
		names[i] = c.Name
		comma := ","
		if i == len(r.Columns)-1 {
			comma = ""
		}
		out = append(out, "        "+c.SQL+" as "+c.Name+comma)
	}
	out = append(out, "    from "+r.From)
	for i, cond := range r.conditions() {
		out = append(out, []string{"    where ", "        and "}[min(i, 1)]+cond)
	}
	list, keys := strings.Join(names, ", "), strings.Join(r.Key, ", ")
	out = append(out, "),", "dw_recovered as (",
		"    select "+list+", row_number() over (partition by "+keys+" order by "+keys+") as dw_copy",
		"    from dw_dead_letter", ")",
		"select "+list, "from dw_model", "union all", "select "+list, "from dw_recovered", "where dw_copy = 1")
	for _, key := range r.Key {
		out = append(out, "    and "+key+" is not null")
	}
	same := make([]string, len(r.Key))
	for i, key := range r.Key {
		same[i] = "dw_model." + key + " = dw_recovered." + key
	}
	return append(out, "    and not exists (select 1 from dw_model where "+strings.Join(same, " and ")+")")
}

func (r Recovery) conditions() []string {
	var out []string
	if r.Dialect == "sqlite" {
		out = append(out, "json_valid(cast("+r.Value+" as text))")
	}
	if r.Where != "" {
		out = append(out, "("+r.Where+")")
	}
	return out
}
