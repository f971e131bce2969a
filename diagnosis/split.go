package diagnosis

import (
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
			Dimension: b.Dimension, Value: b.Value, Expected: b.Expected, Actual: b.Actual, Contribution: b.Contribution,
			Normal: a.Normal, SameRows: a.SameRows, At: at, Source: source,
		}, unknown
	case split > 0:
		return &SegmentSplit{None: "no single segment explains the gap", At: at, Source: source}, unknown
	}
	return nil, unknown
}
