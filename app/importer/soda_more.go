package importer

import (
	"fmt"
	"regexp"
	"strings"

	"dw/checks"
)

// sodaReference is `values in (a) must exist in t (b)`.
func sodaReference(found []string, c *Check) string {
	c.Kind, c.Columns, c.To, c.ToColumns = checks.KindRelationships, names(found[1]), found[2], names(found[3])
	if len(c.Columns) == 0 || len(c.Columns) != len(c.ToColumns) {
		return "it does not name as many columns on both sides"
	}
	return ""
}

var sodaSpan = regexp.MustCompile(`^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$`)

// sodaFreshness is `freshness(column) < 1d`; a day of Soda is 24 hours.
func sodaFreshness(found []string, more sodaDetails, c *Check) string {
	name, ok := column(found[1])
	span := sodaSpan.FindStringSubmatch(found[2])
	switch {
	case !ok:
		return fmt.Sprintf("%q is not a column", found[1])
	case span == nil || found[2] == "":
		return fmt.Sprintf("%q is not a span such as 2h30m", found[2])
	case c.Where != "":
		return "dw judges the age of a table's newest row, of all its rows"
	case more.Warn != nil || more.Fail != nil:
		return "its zones are ages; write two checks of kind freshness"
	}
	seconds := 0
	for i, size := range []int{86400, 3600, 60, 1} {
		count := 0
		if _, err := fmt.Sscan(span[i+1], &count); err == nil {
			seconds += count * size
		}
	}
	c.Kind, c.TimeColumn, c.MaxAge = checks.KindFreshness, name, fmt.Sprintf("%ds", seconds)
	return ""
}

// sodaSame is `row_count same as other`.
func sodaSame(other string, c *Check) string {
	if strings.Contains(other, " in ") || c.Where != "" {
		return "it compares with another data source or a filter; write a check of kind reconcile"
	}
	c.Kind, c.To, c.Threshold = checks.KindReconcile, strings.TrimSpace(other), "= 0"
	return ""
}

// failedRows is a condition or a query whose rows are wrong.
func failedRows(more sodaDetails, c *Check) string {
	query := strings.TrimSuffix(strings.TrimSpace(more.Query), ";")
	if more.Condition != "" {
		query = "select * from " + c.Table + " where (" + strings.TrimSpace(more.Condition) + ")"
		if c.Where != "" {
			query += " and (" + c.Where + ")"
		}
	}
	if query == "" {
		return "it has neither a fail condition nor a fail query"
	}
	if err := checks.Guard(query); err != nil {
		return "its query is not one that dw may ask: " + err.Error()
	}
	c.Kind, c.Query, c.Table, c.Where = checks.KindSQL, query, "", ""
	return ""
}

// sodaSchema reads what must be there and what must not. Each is a failure in dw,
// or a warning where only warn says so.
func sodaSchema(more sodaDetails, c *Check) string {
	zones, isMap := more.Fail.(map[string]any)
	if more.Fail == nil {
		zones, isMap = more.Warn.(map[string]any)
		c.Severity = "warn"
	}
	switch {
	case !isMap:
		return "it says nowhere what the schema must be"
	case more.Fail != nil && more.Warn != nil:
		return "it both warns and fails; write two checks of kind schema"
	}
	c.Kind, c.AllowNew = checks.KindSchema, true
	for key, value := range zones {
		switch key {
		case "when required column missing":
			c.Columns = texts(value)
		case "when forbidden column present":
			c.Forbidden = texts(value)
		case "when wrong column type":
			types, _ := value.(map[string]any)
			c.Types = map[string]string{}
			for name, of := range types {
				c.Types[name] = fmt.Sprint(of)
			}
		case "when schema changes":
			c.AllowNew = false
		default:
			return fmt.Sprintf("dw does not read %q", key)
		}
	}
	return ""
}
