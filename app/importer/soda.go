package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"dw/checks"
)

// Soda turns checks in SodaCL, the YAML of Soda Core 3, into checks of dw.
func Soda(text []byte, o Options) (Report, error) {
	var report Report
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		err := decoder.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return report, nil
		}
		if err != nil {
			return Report{}, fmt.Errorf("read SodaCL: %w", err)
		}
		if len(doc.Content) == 0 {
			continue
		}
		if doc.Content[0].Kind != yaml.MappingNode {
			return Report{}, errors.New("read SodaCL: it is not a mapping of `checks for TABLE`")
		}
		sodaDocument(doc.Content[0], o, &report)
	}
}

func sodaDocument(doc *yaml.Node, o Options, report *Report) {
	for i := 0; i+1 < len(doc.Content); i += 2 {
		key, value := doc.Content[i].Value, doc.Content[i+1]
		table, found := strings.CutPrefix(key, "checks for ")
		switch {
		case !found:
			report.skip(key, "it is not `checks for TABLE`")
			continue
		case strings.Contains(table, "[") || strings.Contains(key, "${"):
			report.skip(key, "its partition or variable is filled in by Soda; write where or partition")
			continue
		}
		for _, entry := range value.Content {
			sodaEntry(strings.TrimSpace(table), entry, o, report)
		}
	}
}

// sodaEntry is one check: a text, or a mapping of the text to its details.
func sodaEntry(table string, entry *yaml.Node, o Options, report *Report) {
	text, details := entry.Value, &yaml.Node{}
	if entry.Kind == yaml.MappingNode && len(entry.Content) == 2 {
		text, details = entry.Content[0].Value, entry.Content[1]
	}
	var more sodaDetails
	if err := details.Decode(&more); err != nil && details.Kind != 0 {
		report.skip(table+": "+text, "its details are not what dw reads: %v", err)
		return
	}
	c := Check{Name: table + ": " + text, Asset: table, Table: table, Where: more.Filter}
	if more.Name != "" {
		c.Name = more.Name
	}
	why := sodaCheck(strings.Join(strings.Fields(text), " "), more, &c)
	if strings.Contains(text+more.Filter, "${") {
		why = "it holds a variable that Soda fills in"
	}
	if why != "" {
		report.skip(c.Name, "%s", why)
		return
	}
	report.add(c, o)
}

// sodaDetails are the keys below a check that dw understands.
type sodaDetails struct {
	Name      string         `yaml:"name"`
	Filter    string         `yaml:"filter"`
	Warn      any            `yaml:"warn"`
	Fail      any            `yaml:"fail"`
	Values    []string       `yaml:"valid values"`
	Regex     string         `yaml:"valid regex"`
	Format    string         `yaml:"valid format"`
	Min       *float64       `yaml:"valid min"`
	Max       *float64       `yaml:"valid max"`
	MinLength *int           `yaml:"valid min length"`
	MaxLength *int           `yaml:"valid max length"`
	Length    *int           `yaml:"valid length"`
	Missing   []string       `yaml:"missing values"`
	Condition string         `yaml:"fail condition"`
	Query     string         `yaml:"fail query"`
	Samples   *int           `yaml:"samples limit"`
	Rest      map[string]any `yaml:",inline"`
}

var (
	sodaMetric = regexp.MustCompile(`^(\w+)\s*(?:\(([^)]*)\))?\s*(.*)$`)
	sodaExist  = regexp.MustCompile(`^values in \(?([^)]*?)\)? must exist in (\S+) \(?([^)]*?)\)?$`)
	sodaAge    = regexp.MustCompile(`^freshness(?: using |\s*\()\s*([^\s)]+)\)?(?: with \S+)? < (\S+)$`)
)

func sodaCheck(text string, more sodaDetails, c *Check) string {
	for key := range more.Rest {
		if !slices.Contains([]string{"attributes", "owner", "identity", "title"}, key) {
			return fmt.Sprintf("dw does not read its key %q", key)
		}
	}
	if found := sodaExist.FindStringSubmatch(text); found != nil {
		return sodaReference(found, c)
	}
	if found := sodaAge.FindStringSubmatch(text); found != nil {
		return sodaFreshness(found, more, c)
	}
	switch {
	case text == "schema":
		return sodaSchema(more, c)
	case text == "failed rows":
		return failedRows(more, c)
	case strings.HasPrefix(text, "row_count same as "):
		return sodaSame(strings.TrimPrefix(text, "row_count same as "), c)
	}
	found := sodaMetric.FindStringSubmatch(text)
	if found == nil {
		return "it is not a metric that dw reads"
	}
	if why := sodaKind(found[1], names(found[2]), more, c); why != "" {
		return why
	}
	return sodaThreshold(found[1], found[3], more, c)
}

func names(list string) []string {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// sodaKind reads the metric before the threshold.
func sodaKind(metric string, columns []string, more sodaDetails, c *Check) string {
	for i, name := range columns {
		plain, ok := column(name)
		if !ok {
			return fmt.Sprintf("%q is not a column", name)
		}
		columns[i] = plain
	}
	c.Columns = columns
	switch metric {
	case "row_count":
		c.Kind = checks.KindRowCount
		return ""
	case "missing_count", "missing_percent":
		c.Kind = checks.KindMissing
		if len(more.Missing) > 0 {
			return "it counts values besides NULL as missing; write accepted_values"
		}
	case "duplicate_count", "duplicate_percent":
		c.Kind = checks.KindUnique
	case "invalid_count", "invalid_percent":
		if why := validity(more, c); why != "" {
			return why
		}
	case "avg", "min", "max", "sum":
		if len(columns) != 1 {
			return "it takes one column"
		}
		c.Kind, c.Expression, c.Columns = checks.KindMetric, metric+"("+columns[0]+")", nil
		return ""
	default:
		return "no kind of dw's checks does what " + metric + " does"
	}
	if len(columns) == 0 {
		return "it names no column"
	}
	return ""
}

// validity reads what makes a value valid.
func validity(more sodaDetails, c *Check) string {
	c.Kind, c.Values, c.Regex = checks.KindAcceptedValues, more.Values, more.Regex
	switch {
	case more.Format != "":
		return fmt.Sprintf("valid format %q is a pattern of Soda's own; write regex", more.Format)
	case more.Length != nil:
		c.Length = fmt.Sprintf("= %d", *more.Length)
	case more.MinLength != nil && more.MaxLength != nil:
		c.Length = fmt.Sprintf("between %d and %d", *more.MinLength, *more.MaxLength)
	case more.MinLength != nil:
		c.Length = fmt.Sprintf(">= %d", *more.MinLength)
	case more.MaxLength != nil:
		c.Length = fmt.Sprintf("<= %d", *more.MaxLength)
	case more.Min != nil || more.Max != nil:
		if len(c.Values) > 0 || c.Regex != "" {
			return "it has both a list and a range; write two checks"
		}
		c.Kind, c.Min, c.Max = checks.KindRange, more.Min, more.Max
		return ""
	}
	if len(c.Values) == 0 && c.Regex == "" && c.Length == "" {
		return "it says nowhere what is valid"
	}
	return ""
}

// sodaThreshold reads what must hold, or the zones in which it warns and fails.
func sodaThreshold(metric, condition string, more sodaDetails, c *Check) string {
	percent := ""
	if strings.HasSuffix(metric, "_percent") {
		percent = "%"
	}
	read := func(text string, invert bool) (string, string) {
		text = strings.TrimSuffix(strings.TrimSpace(text), "%")
		if invert {
			passes, ok := inverse(strings.TrimPrefix(text, "when "))
			if !ok {
				return "", fmt.Sprintf("the zone %q is not one that dw reads", text)
			}
			text = passes
		}
		if strings.HasPrefix(text, "between ") && percent != "" {
			text = strings.Replace(text, " and ", "% and ", 1)
		}
		text += percent
		if _, err := checks.ParseThreshold(text); err != nil {
			return "", fmt.Sprintf("%q is not a threshold that dw reads", text)
		}
		return text, ""
	}
	var why string
	for _, zone := range []struct {
		value any
		into  *string
	}{{more.Warn, &c.Warn}, {more.Fail, &c.Fail}} {
		if zone.value == nil || why != "" {
			continue
		}
		*zone.into, why = read(fmt.Sprint(zone.value), true)
	}
	switch {
	case why != "":
		return why
	case condition != "":
		c.Threshold, why = read(condition, false)
	case c.Warn == "" && c.Fail == "":
		return "it has no threshold"
	}
	return why
}
