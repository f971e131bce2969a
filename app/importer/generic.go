package importer

import (
	"fmt"
	"strconv"
	"strings"

	"dw/checks"
	"dw/lineage"
)

// generic fills in the check of a generic test of dbt, dbt_utils or
// dbt_expectations.
func (d *dbtImport) generic(t lineage.ManifestTest, c *Check) string {
	if t.Args["row_condition"] != nil {
		condition, _ := t.Args["row_condition"].(string)
		c.Where = and(c.Where, condition)
	}
	switch t.Kind {
	case "not_null", "expect_column_values_to_not_be_null":
		c.Kind = checks.KindMissing
		return oneColumn(t, c)
	case "not_null_proportion":
		return notNullProportion(t, c)
	case "unique", "expect_column_values_to_be_unique":
		c.Kind = checks.KindUnique
		return oneColumn(t, c)
	case "unique_combination_of_columns", "expect_compound_columns_to_be_unique":
		return compound(t, c)
	case "accepted_values", "expect_column_values_to_be_in_set":
		return accepted(t, c)
	case "relationships", "relationships_where":
		return d.relationship(t, c)
	case "accepted_range", "expect_column_values_to_be_between":
		return rangeOf(t, c)
	case "not_empty_string":
		c.Kind, c.Length = checks.KindAcceptedValues, "> 0"
		return oneColumn(t, c)
	case "expression_is_true", "expression_to_be_true":
		return expression(t, c)
	case "expect_table_row_count_to_be_between", "expect_table_row_count_to_equal":
		return rowCount(t, c)
	case "recency", "expect_row_values_to_have_recent_data":
		return recency(t, c)
	}
	if aggregate, ok := aggregates()[t.Kind]; ok {
		return metric(t, c, aggregate)
	}
	name := t.Kind
	if t.Package != "" {
		name = t.Package + "." + name
	}
	return "no kind of dw's checks does what " + name + " does"
}

// aggregates are the tests of a table's aggregate, with its SQL.
func aggregates() map[string]string {
	return map[string]string{
		"expect_column_mean_to_be_between": "avg", "expect_column_min_to_be_between": "min",
		"expect_column_max_to_be_between": "max", "expect_column_sum_to_be_between": "sum",
	}
}

func and(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return "(" + a + ") and (" + b + ")"
}

func oneColumn(t lineage.ManifestTest, c *Check) string {
	name, ok := column(t.Column)
	if !ok {
		return fmt.Sprintf("it tests an expression, not a column: %q", t.Column)
	}
	c.Columns = []string{name}
	return ""
}

func notNullProportion(t lineage.ManifestTest, c *Check) string {
	least, ok := number(t.Args["at_least"])
	if most, has := number(t.Args["at_most"]); !ok || has && most != 1 {
		return "its proportion has an upper limit, or no lower one"
	}
	c.Kind, c.Threshold = checks.KindMissing, "<= "+short(100*(1-least))+"%"
	return oneColumn(t, c)
}

func compound(t lineage.ManifestTest, c *Check) string {
	c.Kind = checks.KindUnique
	names := texts(t.Args["combination_of_columns"])
	if len(names) == 0 {
		names = texts(t.Args["column_list"])
	}
	for _, name := range names {
		plain, ok := column(name)
		if !ok {
			return fmt.Sprintf("it tests an expression, not a column: %q", name)
		}
		c.Columns = append(c.Columns, plain)
	}
	if len(c.Columns) == 0 {
		return "it names no columns"
	}
	return ""
}

func accepted(t lineage.ManifestTest, c *Check) string {
	c.Kind, c.Values = checks.KindAcceptedValues, texts(t.Args["values"])
	if len(c.Values) == 0 {
		c.Values = texts(t.Args["value_set"])
	}
	if len(c.Values) == 0 {
		return "it names no values"
	}
	return oneColumn(t, c)
}

// relationship finds the table that the test's argument to means.
func (d *dbtImport) relationship(t lineage.ManifestTest, c *Check) string {
	to, _ := t.Args["to"].(string)
	field, ok := column(text(t.Args["field"]))
	if !ok {
		return fmt.Sprintf("field is not a column: %q", text(t.Args["field"]))
	}
	if text(t.Args["to_condition"]) != "" && text(t.Args["to_condition"]) != "1=1" {
		return "dw has no condition on the other table of relationships"
	}
	if from := text(t.Args["from_condition"]); from != "1=1" {
		c.Where = and(c.Where, from)
	}
	name := lineage.NamedByDBT(to)
	for _, id := range t.DependsOn {
		if name != "" && strings.HasSuffix(id, "."+name) {
			c.To = tableOf(d.assets[id])
		}
	}
	if c.To == "" {
		return fmt.Sprintf("the table of %q is not in the manifest", to)
	}
	c.Kind, c.ToColumns = checks.KindRelationships, []string{field}
	return oneColumn(t, c)
}

func rangeOf(t lineage.ManifestTest, c *Check) string {
	if inclusive, ok := t.Args["inclusive"].(bool); ok && !inclusive || t.Args["strictly"] == true {
		return "its bounds do not pass; those of a range check do"
	}
	c.Kind = checks.KindRange
	if low, ok := number(t.Args["min_value"]); ok {
		c.Min = &low
	}
	if high, ok := number(t.Args["max_value"]); ok {
		c.Max = &high
	}
	if (t.Args["min_value"] != nil) != (c.Min != nil) || (t.Args["max_value"] != nil) != (c.Max != nil) || c.Min == nil && c.Max == nil {
		return "its bounds are not numbers"
	}
	return oneColumn(t, c)
}

func expression(t lineage.ManifestTest, c *Check) string {
	condition := text(t.Args["expression"])
	if condition == "" || strings.Contains(condition, "{{") {
		return "its expression is not one that stands alone"
	}
	if t.Column != "" {
		condition = t.Column + " " + condition
	}
	query := "select * from " + c.Table + " where not (" + condition + ")"
	if c.Where != "" {
		query += " and (" + c.Where + ")"
	}
	if err := checks.Guard(query); err != nil {
		return "its expression is not one that dw may ask: " + err.Error()
	}
	c.Kind, c.Query, c.Table, c.Where = checks.KindSQL, query, "", ""
	return ""
}

func rowCount(t lineage.ManifestTest, c *Check) string {
	if t.Args["group_by"] != nil {
		return "it counts by group"
	}
	c.Kind = checks.KindRowCount
	if value, ok := number(t.Args["value"]); ok {
		c.Threshold = "= " + short(value)
		return ""
	}
	c.Threshold = bounds(t)
	if c.Threshold == "" {
		return "its bounds are not numbers"
	}
	return ""
}

func metric(t lineage.ManifestTest, c *Check, aggregate string) string {
	if t.Args["group_by"] != nil {
		return "it judges by group"
	}
	if why := oneColumn(t, c); why != "" {
		return why
	}
	c.Kind, c.Expression, c.Threshold, c.Columns = checks.KindMetric, aggregate+"("+c.Columns[0]+")", bounds(t), nil
	if c.Threshold == "" {
		return "its bounds are not numbers"
	}
	return ""
}

// bounds writes min_value and max_value as what passes.
func bounds(t lineage.ManifestTest) string {
	low, hasLow := number(t.Args["min_value"])
	high, hasHigh := number(t.Args["max_value"])
	switch {
	case t.Args["strictly"] == true:
		return ""
	case hasLow && hasHigh:
		return "between " + short(low) + " and " + short(high)
	case hasLow:
		return ">= " + short(low)
	case hasHigh:
		return "<= " + short(high)
	}
	return ""
}

func recency(t lineage.ManifestTest, c *Check) string {
	field := text(t.Args["field"])
	if field == "" {
		field = t.Column
	}
	name, ok := column(field)
	count, known := number(t.Args["interval"])
	hours := map[string]float64{"minute": 1.0 / 60, "hour": 1, "day": 24, "week": 168}[strings.ToLower(text(t.Args["datepart"]))]
	switch {
	case !ok:
		return fmt.Sprintf("it tests an expression, not a column: %q", field)
	case !known || hours == 0:
		return "its span is not minutes, hours, days or weeks"
	case t.Args["group_by_columns"] != nil || t.Args["group_by"] != nil:
		return "it judges by group"
	case c.Where != "":
		return "dw judges the age of a table's newest row, of all its rows"
	}
	c.Kind, c.TimeColumn, c.MaxAge = checks.KindFreshness, name, strconv.Itoa(int(count*hours*60))+"m"
	return ""
}

// text is a value of the manifest as a text, empty where it is none.
func text(value any) string {
	s, _ := value.(string)
	return strings.TrimSpace(s)
}

// texts is a list of values as the texts in which a database writes them.
func texts(value any) []string {
	list, _ := value.([]any)
	var out []string
	for _, item := range list {
		switch v := item.(type) {
		case string:
			out = append(out, v)
		case float64:
			out = append(out, short(v))
		case bool:
			out = append(out, strconv.FormatBool(v))
		}
	}
	return out
}

func number(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return n, err == nil
	}
	return 0, false
}

func short(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
