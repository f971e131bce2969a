package checks

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// FieldError says what is wrong with one key of a Spec.
type FieldError struct {
	Path    string // key path inside the check: "time_column", "columns[1]"
	Problem string // what is wrong and what to write instead
}

// Error returns the key path and what is wrong with it.
func (e FieldError) Error() string { return e.Path + ": " + e.Problem }

// problems collects what is wrong with a Spec.
type problems []FieldError

func (p *problems) add(path, format string, args ...any) {
	*p = append(*p, FieldError{Path: path, Problem: fmt.Sprintf(format, args...)})
}

// need adds a problem where a key that the kind needs is empty.
func (p *problems) need(path, value, kind string) {
	if value == "" {
		p.add(path, "a %s check needs it", kind)
	}
}

// Validate returns everything that is wrong with the Spec, none if it can run.
func (s Spec) Validate() []FieldError {
	var p problems
	if s.Name == "" {
		p.add("name", "it is missing")
	}
	kind, known := KindOf(s.Kind)
	if !known {
		p.add("kind", "no such kind %q; the kinds are %s", s.Kind, kindList())
	} else {
		s.validateKind(kind, &p)
	}
	s.validateNames(&p)
	s.validateText(&p)
	s.validateChoices(&p)
	s.validateNumbers(&p)
	return p
}

// validateKind asks for the keys without which a kind cannot run.
func (s Spec) validateKind(kind string, p *problems) {
	if kind == KindSQL {
		p.need("query", s.Query, kind)
	} else {
		p.need("table", s.Table, kind)
	}
	switch kind {
	case KindVolume:
		p.need("time_column", s.TimeColumn, kind)
	case KindFreshness:
		p.need("time_column", s.TimeColumn, kind)
		s.validateFreshness(p)
	case KindMissing, KindUnique:
		if len(s.Columns) == 0 {
			p.add("columns", "a %s check needs at least one column", kind)
		}
	case KindDeadLetter:
		s.validateDeadLetter(p)
	case KindAcceptedValues, KindRange:
		s.validateRule(kind, p)
	case KindRelationships, KindReconcile:
		s.validateOther(kind, p)
	case KindMetric:
		s.validateMetric(p)
	case KindDimension:
		p.need("time_column", s.TimeColumn, kind)
		if len(s.Dimensions) == 0 {
			p.add("dimensions", "a dimension check needs at least one column")
		}
	}
	if !countsInPercent(kind) {
		s.refusePercent(kind, p)
	}
	s.validateAnomaly(kind, p)
	s.validatePartition(kind, p)
	s.validateGroups(kind, p)
}

// validateDeadLetter checks what a share needs.
func (s Spec) validateDeadLetter(p *problems) {
	if s.Share > 0 && s.MainTable == "" {
		p.add("main_table", "a share needs the table that the good rows go to")
	}
	if s.Share > 0 && s.TimeColumn == "" {
		p.add("time_column", "a share needs it, to count both tables over the same time")
	}
}

// refusePercent says which thresholds may not be percentages.
func (s Spec) refusePercent(kind string, p *problems) {
	for _, t := range s.thresholds() {
		if t.value.Percent {
			p.add(t.path, "%q: a %s check has no percentage; write a number", t.value, kind)
		}
	}
}

// namedThreshold is a threshold with its key.
type namedThreshold struct {
	path  string
	value Threshold
}

func (s Spec) thresholds() []namedThreshold {
	return []namedThreshold{{"threshold", s.Threshold}, {"warn", s.Warn}, {"fail", s.Fail}}
}

// validateNames checks that every name can be quoted.
func (s Spec) validateNames(p *problems) {
	name := func(path, value string) {
		if value == "" {
			return
		}
		if _, err := Quote(DialectSQLite, value); err != nil {
			p.add(path, "%v", err)
		}
	}
	name("time_column", s.TimeColumn)
	name("main_time", s.MainTime)
	for i, column := range s.Columns {
		s.validateListed("columns", i, column, p)
	}
	for i, column := range s.Dimensions {
		s.validateListed("dimensions", i, column, p)
	}
	for i, column := range s.ToColumns {
		s.validateListed("to_columns", i, column, p)
	}
	name("to_time_column", s.ToTime)
	name("partition.column", s.PartitionColumn)
	for _, table := range []struct{ path, name string }{{"table", s.Table}, {"main_table", s.MainTable}, {"to", s.To}} {
		if table.name != "" && len(candidates(table.name)) == 0 {
			p.add(table.path, "%q cannot be a table name", table.name)
		}
	}
}

// validateListed checks one column of a list.
func (s Spec) validateListed(key string, index int, column string, p *problems) {
	if _, err := Quote(DialectSQLite, column); err != nil {
		p.add(key+"["+strconv.Itoa(index)+"]", "%v", err)
	}
}

// validateText checks the operator's SQL and the schedule.
func (s Spec) validateText(p *problems) {
	if s.Where != "" {
		if err := GuardCondition(s.Where); err != nil {
			p.add("where", "%v", err)
		}
	}
	if s.Query != "" {
		if err := Guard(s.Query); err != nil {
			p.add("query", "%v", err)
		}
	}
	if s.ToWhere != "" {
		if err := GuardCondition(s.ToWhere); err != nil {
			p.add("to_where", "%v", err)
		}
	}
	if s.Expression != "" {
		if err := GuardCondition(s.Expression); err != nil {
			p.add("expression", "%v", err)
		}
	}
	if _, err := loadZone(s.Zone); err != nil {
		p.add("zone", "%v", err)
	} else if s.Schedule != "" {
		if _, err := parseSchedule(s.Schedule, s.Zone); err != nil {
			p.add("schedule", "%v", err)
		}
	}
}

// validateChoices checks the keys that take one of a few words.
func (s Spec) validateChoices(p *problems) {
	choice := func(path, value string, allowed ...string) {
		if value != "" && !slices.Contains(allowed, value) {
			p.add(path, "%q is not one of %v", value, allowed)
		}
	}
	choice("bucket", s.Bucket, BucketHour, BucketDay)
	choice("time_format", s.TimeFormat, FormatRFC3339, FormatDatetime, FormatUnix, FormatNative)
	choice("judge", s.Judge, JudgeWeeks, JudgeDetector)
	choice("severity", s.Severity, SeverityError, SeverityWarn, SeverityInfo)
}

// validateNumbers checks the ranges of numbers and durations.
func (s Spec) validateNumbers(p *problems) {
	if s.Weeks != 0 && (s.Weeks < minSamples || s.Weeks > 52) {
		p.add("weeks", "%d is not between %d and 52", s.Weeks, minSamples)
	}
	if s.FalseAlarms < 0 || s.FalseAlarms > 30 {
		p.add("false_alarms", "%s is not a number of messages from 0 to 30", formatNumber(s.FalseAlarms))
	}
	if _, err := s.detectConfig(time.UTC); err != nil {
		p.add("holidays", "%v", err)
	}
	if s.MinChange < 0 || s.MinChange > 1000 {
		p.add("min_change", "%s is not a percentage between 0 and 1000", formatNumber(s.MinChange))
	}
	if s.Share < 0 || s.Share > 100 {
		p.add("share", "%s is not a percentage between 0 and 100", formatNumber(s.Share))
	}
	for _, n := range []struct {
		path  string
		value int64
	}{
		{"min_rows", int64(s.MinRows)},
		{"max", int64(s.Max)},
		{"delay", int64(s.Delay)},
		{"lateness", int64(s.Lateness)},
		{"max_age", int64(s.MaxAge)},
		{"timeout", int64(s.Timeout)},
	} {
		if n.value < 0 {
			p.add(n.path, "it is negative")
		}
	}
}
