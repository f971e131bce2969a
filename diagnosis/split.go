package diagnosis

import (
	"fmt"
	"strings"
	"time"

	"dw/checks"
)

// SplitOf turns an attribution of the checks into the split that a diagnosis
// reads, with what could not be split and why. Without any split dimension the
// split is nil.
func SplitOf(a checks.Attribution, at time.Time, source string) (*SegmentSplit, []string) {
	var unknown []string
	split := 0
	for _, d := range a.Dimensions {
		if d.Skipped != "" {
			unknown = append(unknown, "the gap was not split by "+d.Dimension+": "+d.Skipped)
			continue
		}
		split++
	}
	switch {
	case a.Best != nil:
		b := a.Best
		return &SegmentSplit{
			Dimension: b.Dimension, Value: b.Value, And: b.And, Expected: b.Expected, Actual: b.Actual, Contribution: b.Contribution,
			Normal: a.Normal, SameRows: a.SameRows, At: at, Source: source,
		}, unknown
	case split > 0:
		return &SegmentSplit{None: "no single segment explains the gap" + together(a.Causes), At: at, Source: source}, unknown
	}
	return nil, unknown
}

// together names the segments that explain a gap together.
func together(causes []checks.Segment) string {
	if len(causes) < 2 {
		return ""
	}
	named := make([]string, len(causes))
	for i, c := range causes {
		named[i] = fmt.Sprintf("%s (%s of %s rows)", c, count(c.Actual), count(c.Expected))
	}
	return ": it takes " + strings.Join(named, " and ")
}

// name writes the segment for a person: "channel=web, region=north".
func (s *SegmentSplit) name() string {
	return checks.Segment{Dimension: s.Dimension, Value: s.Value, And: s.And}.String()
}

// parts are the segment's dimensions with their values.
func (s *SegmentSplit) parts() map[string]string {
	parts := map[string]string{s.Dimension: s.Value}
	if s.And != nil {
		parts[s.And.Dimension] = s.And.Value
	}
	return parts
}
