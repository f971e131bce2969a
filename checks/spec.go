package checks

import (
	"time"

	"dw/lineage"
)

// Severities of a check. A check of severity warn or info never says fail.
const (
	SeverityError = "error"
	SeverityWarn  = "warn"
	SeverityInfo  = "info"
)

// Bucket sizes of a volume check.
const (
	BucketHour = "hour"
	BucketDay  = "day"
)

// How a time column holds its times; all of them are UTC. An unset format is
// found from the newest value.
const (
	FormatRFC3339  = "rfc3339"  // text 2006-01-02T15:04:05Z
	FormatDatetime = "datetime" // text 2006-01-02 15:04:05
	FormatUnix     = "unix"     // whole seconds since 1970
	FormatNative   = "native"   // the database's own type
)

// Defaults of a Spec whose field is zero.
const (
	DefaultWeeks     = 8
	DefaultMinChange = 20 // percent
	DefaultMinRows   = 10
)

// Spec is one declared check. Text comes from the operator's file: Table and
// columns are quoted, Where and Query must pass the guard.
type Spec struct {
	Name       string          // unique
	Kind       string          // a kind or one of its aliases
	Asset      lineage.AssetID // what a bad result is about
	Domain     string
	Connection string // name of the connection to ask
	Table      string // "orders", "main.orders" or `"odd.name"`
	Where      string // condition on the rows judged, optional
	// The rows of the last PartitionLast by PartitionColumn alone are judged, by
	// the kinds that have no time column of their own.
	PartitionColumn string
	PartitionLast   time.Duration
	TimeColumn      string
	TimeFormat      string            // one of the Format constants, empty to find it
	Bucket          string            // volume: BucketHour (default) or BucketDay
	Zone            string            // IANA name in which weeks and days are counted, empty is UTC
	Columns         []string          // missing: each is judged; unique, relationships: the key together; accepted_values, range: one; schema: required
	Dimensions      []string          // columns by which a bad bucket is split; dimension: by which rows are counted
	GroupBy         []string          // by which rows are judged apart, at most two columns
	Private         []string          // columns whose values are never shown, beside those that Personal knows
	Values          []string          // accepted_values: as the database writes them as text
	Regex           string            // accepted_values: of the database, PostgreSQL alone
	Length          Threshold         // accepted_values: of the text, in characters
	Low             *float64          // range: the least that passes
	High            *float64          // range: the most that passes
	To              string            // relationships, reconcile: the other table
	ToColumns       []string          // relationships: its key, empty is Columns
	ToConnection    string            // reconcile: where the other table is, empty is Connection
	ToWhere         string            // reconcile: condition on the rows of the other table
	ToTime          string            // reconcile: its time column, empty is TimeColumn
	Expression      string            // metric, reconcile: an aggregate
	MinShare        float64           // dimension: percent of the rows below which a value is not judged
	AllowNew        bool              // schema: added columns pass
	Forbidden       []string          // schema: columns that may not be there
	Types           map[string]string // schema: by column, as the catalogue writes them
	AcceptedAt      time.Time         // schema: what was found up to then is accepted
	Renamed         []Rename          // schema: new names that somebody approved for columns that were learned
	Threshold       Threshold         // what passes; else the check fails
	Warn            Threshold         // what passes without a warning
	Fail            Threshold         // what passes or warns; else the check fails
	MinChange       float64           // volume: percent, smaller changes pass; 0 is DefaultMinChange
	MinRows         int               // volume: rows, smaller differences pass; 0 is DefaultMinRows
	Delay           time.Duration     // volume: wait after a bucket closes; 0 is learned by the detector, from DefaultDelay on
	Lateness        time.Duration     // volume: age up to which late rows are looked for in a bucket; 0 is DefaultLateness
	Weeks           int               // volume: weeks of history, 3 to 52; 0 is DefaultWeeks
	Judge           string            // volume: JudgeDetector, the default without thresholds, or JudgeWeeks
	Anomaly         bool              // missing, metric: each bucket of TimeColumn is judged by the detector
	FalseAlarms     float64           // volume by the detector: messages in 30 days that may be false; 0 is detect.DefaultBudget
	Holidays        []string          // volume by the detector: days like 2026-12-25 that are not judged
	MaxAge          time.Duration     // freshness
	By              string            // freshness: time of day in Zone by which there must be a row of the day, "07:00"
	MainTable       string            // dead_letter: where the good rows go
	MainTime        string            // dead_letter: time column of MainTable, empty is TimeColumn
	Share           float64           // dead_letter: percent of dead rows that still passes; 0 is unset
	Max             int               // dead_letter: new rows that still pass; with Share, 0 is unset
	Query           string            // sql
	Severity        string            // a severity, empty is SeverityError
	Owner           string
	Schedule        string        // as Due reads it
	Timeout         time.Duration // of one run; 0 leaves it to the connection
	Description     string
}

// kind returns the kind behind Kind, or "" where it is unknown.
func (s Spec) kind() string {
	kind, _ := KindOf(s.Kind)
	return kind
}

func (s Spec) weeks() int { return orDefault(s.Weeks, DefaultWeeks) }

func (s Spec) minChange() float64 { return orDefault(s.MinChange, DefaultMinChange) }

func (s Spec) minRows() float64 { return float64(orDefault(s.MinRows, DefaultMinRows)) }

func orDefault[T comparable](value, byDefault T) T {
	var zero T
	if value == zero {
		return byDefault
	}
	return value
}
