package checks

import (
	"slices"
	"time"
)

// maxValues bounds the list of an accepted_values check: a longer one belongs
// into a table and a relationships check.
const maxValues = 1000

// countsInPercent reports whether the thresholds of a kind may be percentages.
func countsInPercent(kind string) bool {
	return slices.Contains([]string{KindMissing, KindUnique, KindAcceptedValues, KindRange, KindRelationships, KindReconcile}, kind)
}

// validateFreshness checks that there is a limit.
func (s Spec) validateFreshness(p *problems) {
	if s.MaxAge == 0 && s.By == "" {
		p.add("max_age", "a freshness check needs a duration such as 2h, or by with a time of day")
	}
	if s.By != "" {
		if _, err := time.Parse("15:04", s.By); err != nil {
			p.add("by", "%q is not a time of day such as 07:00", s.By)
		}
	}
}

// validateRule checks the keys of accepted_values and range.
func (s Spec) validateRule(kind string, p *problems) {
	if len(s.Columns) != 1 {
		p.add("columns", "a %s check judges one column, not %d", kind, len(s.Columns))
	}
	if kind == KindRange {
		switch {
		case s.Low == nil && s.High == nil:
			p.add("min", "a range check needs min, max or both")
		case s.Low != nil && s.High != nil && *s.Low > *s.High:
			p.add("max", "%s is less than min, which is %s", formatNumber(*s.High), formatNumber(*s.Low))
		}
		return
	}
	if len(s.Values) == 0 && s.Regex == "" && s.Length.IsZero() {
		p.add("values", "an accepted_values check needs values, regex or length")
	}
	if len(s.Values) > maxValues {
		p.add("values", "%d values are too many, at most %d; put them into a table and use a relationships check", len(s.Values), maxValues)
	}
	if s.Length.Percent {
		p.add("length", "%q: a length has no percentage", s.Length)
	}
}

// validateOther checks the keys of the kinds that look at a second table.
func (s Spec) validateOther(kind string, p *problems) {
	p.need("to", s.To, kind)
	if kind == KindReconcile {
		if s.Expression != "" && s.TimeColumn != "" {
			p.add("expression", "by bucket rows are compared; leave out time_column to compare an expression")
		}
		return
	}
	if len(s.Columns) == 0 {
		p.add("columns", "a relationships check needs at least one column")
	}
	if len(s.ToColumns) > 0 && len(s.ToColumns) != len(s.Columns) {
		p.add("to_columns", "%d columns cannot stand for the %d of columns", len(s.ToColumns), len(s.Columns))
	}
}

// validateMetric checks that a metric has something to be judged by.
func (s Spec) validateMetric(p *problems) {
	p.need("expression", s.Expression, KindMetric)
	if s.TimeColumn == "" && !s.thresholdSet() {
		p.add("threshold", "a metric check needs a threshold, or a time_column for a baseline of earlier weeks")
	}
}

// validatePartition checks a partition, which only kinds without a time of their
// own take.
func (s Spec) validatePartition(kind string, p *problems) {
	if s.PartitionColumn == "" && s.PartitionLast == 0 {
		return
	}
	timed := slices.Contains([]string{KindVolume, KindFreshness, KindDimension, KindDeadLetter, KindReconcile, KindSchema, KindSQL}, kind)
	switch {
	case timed:
		p.add("partition", "a %s check takes no partition", kind)
	case s.PartitionColumn == "":
		p.add("partition.column", "a partition needs the column that holds its time")
	case s.PartitionLast <= 0:
		p.add("partition.last", "a partition needs a duration such as 48h")
	}
}

// validateAnomaly checks what the detector needs of a check that is no volume
// check.
func (s Spec) validateAnomaly(kind string, p *problems) {
	switch {
	case !s.Anomaly:
	case kind != KindMissing && kind != KindMetric:
		p.add("anomaly", "a %s check takes none; volume checks are judged so without it", kind)
	case s.TimeColumn == "":
		p.add("time_column", "anomaly needs it, to measure each hour or day")
	case s.thresholdSet():
		p.add("anomaly", "stands beside a threshold; write one of the two")
	case len(s.GroupBy) > 0 || s.PartitionColumn != "":
		p.add("anomaly", "takes no group_by and no partition")
	}
}
