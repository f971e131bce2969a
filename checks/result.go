package checks

import (
	"time"

	"dw/lineage"
)

// Status is the outcome of one run of one check.
type Status string

// The statuses. Error means that the question could not be asked: it is never
// a pass and never a fail.
const (
	Pass     Status = "pass"
	Warn     Status = "warn"
	Fail     Status = "fail"
	Error    Status = "error"
	Skipped  Status = "skipped"
	Learning Status = "learning"
	Late     Status = "late"
)

// Measure is one number with its unit, where it came from and when.
type Measure struct {
	Value  float64   `json:"value"`
	Unit   string    `json:"unit"` // "rows", "seconds", "percent", "value", "changes", "segments"
	Source string    `json:"source"`
	At     time.Time `json:"at"` // when it was read
}

// Bucket is a half-open span of time [Start, End) that a check judged.
type Bucket struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// Result is what one run of a check found.
type Result struct {
	Check     string          `json:"check"`
	Kind      string          `json:"kind"`
	Asset     lineage.AssetID `json:"asset"`
	Domain    string          `json:"domain"`
	Status    Status          `json:"status"`
	Observed  *Measure        `json:"observed,omitempty"`
	Expected  *float64        `json:"expected,omitempty"`
	Low       *float64        `json:"low,omitempty"` // range that passes, where there is one
	High      *float64        `json:"high,omitempty"`
	Samples   int             `json:"samples,omitempty"` // history behind Expected
	Bucket    *Bucket         `json:"bucket,omitempty"`
	Since     time.Time       `json:"since,omitzero"` // onset: start of the first bad bucket; zero if unknown
	At        time.Time       `json:"at"`
	Took      time.Duration   `json:"took"`
	SQL       string          `json:"sql,omitempty"`
	Message   string          `json:"message"`            // one plain sentence
	Problem   string          `json:"problem,omitempty"`  // with error and skipped: what and what to do
	FirstRow  time.Time       `json:"first_row,omitzero"` // dead_letter: time of the first new row
	LastRow   time.Time       `json:"last_row,omitzero"`
	Connected string          `json:"connection,omitempty"`
	Sample    []string        `json:"sample,omitempty"`    // a few offending keys with their numbers, never of private columns
	Schema    []Column        `json:"schema,omitempty"`    // schema: the columns that the next run compares with
	Renamed   []Rename        `json:"renamed,omitempty"`   // schema: columns that seem to have another name now
	Count     int64           `json:"count,omitempty"`     // dead_letter: all rows at this check
	Watermark time.Time       `json:"watermark,omitzero"`  // dead_letter: newest row seen by this check or one before
	Landed    string          `json:"landed,omitempty"`    // volume: which buckets have late rows now that they lacked when they were read before
	Detection *Detection      `json:"detection,omitempty"` // by the detector: what people can answer
	Tool      string          `json:"tool,omitempty"`      // the other tool that found this, as people call it; empty for dw's own checks
	URL       string          `json:"url,omitempty"`       // that tool's page about it
}

// Found reports whether the detector found a deviation that people can judge.
func (r Result) Found() bool { return r.Detection != nil && !r.Detection.Start.IsZero() }

// PercentOff returns how far Observed is from Expected in percent, negative
// when short, and false where either is missing or Expected is zero.
func (r Result) PercentOff() (float64, bool) {
	if r.Observed == nil || r.Expected == nil || *r.Expected == 0 {
		return 0, false
	}
	return 100 * (r.Observed.Value - *r.Expected) / *r.Expected, true
}
