package checks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Memory is what earlier runs knew.
type Memory interface {
	// Last returns the newest Result of a check that has an answer (neither
	// error nor skipped), and false where there is none.
	Last(ctx context.Context, check string) (Result, bool, error)
}

// runner carries one run of one check.
type runner struct {
	ctx    context.Context
	spec   Spec
	q      Querier
	other  Querier // reconcile: where the other table is
	mem    Memory
	now    time.Time
	result Result

	waited  string   // volume: how long after its end a bucket was judged, where that was learned
	answers []Answer // what people said of the check
}

// Run asks a check's question once and says what the answer means. It always
// returns a Result: a question that could not be asked has status error, with
// Problem saying what, where and what to do, and one that a guard found too
// costly is skipped. now is the time of the run; mem may be nil where nothing is
// known of earlier runs. Took is left to the caller, who holds the clock.
func Run(ctx context.Context, spec Spec, q Querier, mem Memory, now time.Time) Result {
	return RunAgainst(ctx, spec, q, q, mem, now)
}

// RunAgainst is Run for a check that compares two connections: other is where
// the table To of a reconcile check is.
func RunAgainst(ctx context.Context, spec Spec, q, other Querier, mem Memory, now time.Time) (result Result) {
	r := &runner{ctx: ctx, spec: spec, q: q, other: other, mem: mem, now: now.UTC(), result: Result{
		Check:     spec.Name,
		Kind:      orDefault(spec.kind(), spec.Kind),
		Asset:     spec.Asset,
		Domain:    spec.Domain,
		At:        now.UTC(),
		Connected: spec.Connection,
		Status:    Error,
	}}
	defer func() {
		if cause := recover(); cause != nil {
			r.unasked(defect(cause))
			result = r.result
		}
	}()
	if spec.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, spec.Timeout)
		defer cancel()
		r.ctx = limited
	}
	if err := r.run(); err != nil {
		r.unasked(r.asLimit(ctx, err))
	}
	return r.result
}

// defect is the error of a panic.
func defect(cause any) error { return fmt.Errorf("a defect in dw or in the connection: %v", cause) }

// run validates the Spec and goes by its kind.
func (r *runner) run() error {
	if wrong := r.spec.Validate(); len(wrong) > 0 {
		all := make([]error, len(wrong))
		for i, w := range wrong {
			all[i] = w
		}
		return unfit("correct the check", "the check is not complete: %v", errors.Join(all...))
	}
	if r.q == nil {
		return errors.New("there is no such connection")
	}
	ask, known := r.kinds()[r.spec.kind()]
	if !known {
		return fmt.Errorf("no such kind %q", r.spec.Kind)
	}
	return ask()
}

// kinds returns how each kind is run.
func (r *runner) kinds() map[string]func() error {
	return map[string]func() error{
		KindRowCount:       r.rowCount,
		KindVolume:         r.volume,
		KindFreshness:      r.freshness,
		KindMissing:        r.missing,
		KindUnique:         r.unique,
		KindAcceptedValues: r.acceptedValues,
		KindRange:          r.inRange,
		KindRelationships:  r.relationships,
		KindSchema:         r.schema,
		KindMetric:         r.metric,
		KindDimension:      r.dimension,
		KindDeadLetter:     r.deadLetter,
		KindReconcile:      r.reconcile,
		KindSQL:            r.sql,
	}
}

// asLimit turns the run's own timeout into the guard's refusal; the caller's
// cancellation stays an error.
func (r *runner) asLimit(caller context.Context, err error) error {
	if r.ctx.Err() != nil && caller.Err() == nil {
		return &RefusedError{Guard: "time limit", Why: fmt.Sprintf("the check took longer than %s", r.spec.Timeout)}
	}
	return err
}

// unasked records that the question could not be asked, or was too costly.
func (r *runner) unasked(err error) {
	where := "on connection " + orDefault(r.spec.Connection, "(none)")
	r.result.Observed, r.result.Expected, r.result.Low, r.result.High = nil, nil, nil, nil
	r.result.Since = time.Time{}
	var refused *RefusedError
	if errors.As(err, &refused) && refused.Guard != guardName {
		r.finish(Skipped, fmt.Sprintf("skipped: too costly, %s", refused.Guard))
		r.result.Problem = fmt.Sprintf("check %s %s: %v; narrow it with where, or raise the limit of the connection",
			r.spec.Name, where, err)
		return
	}
	r.finish(Error, "the question could not be asked: "+oneLine(err.Error()))
	r.result.Problem = fmt.Sprintf("check %s %s: %v; %s", r.spec.Name, where, err, advice(err))
}

// advice says what to do about an error.
func advice(err error) string {
	var table *MissingTableError
	var column *MissingColumnError
	var refused *RefusedError
	var rows *unfitError
	switch {
	case errors.As(err, &rows):
		return rows.do
	case errors.As(err, &table):
		return "correct the table in the check, or create it"
	case errors.As(err, &column):
		return "correct the column in the check"
	case errors.As(err, &refused):
		return "write one SELECT that only reads"
	case errors.Is(err, context.Canceled):
		return "run it again"
	}
	return "see that the connection can be read, then run the check again"
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// timed resolves the table and measures its time column.
func (r *runner) timed() (target, extent, error) {
	t, err := resolve(r.ctx, r.q, r.spec.Table)
	if err != nil {
		return target{}, extent{}, err
	}
	e, err := measureExtent(r.ctx, r.q, t, r.spec.TimeColumn, r.spec.TimeFormat, r.spec.Zone, r.now)
	return t, e, err
}

// observe records the number that is judged.
func (r *runner) observe(value float64, unit string) {
	source := r.spec.Table
	if r.spec.kind() == KindSQL {
		source = "query"
	}
	if r.spec.Connection != "" {
		source = r.spec.Connection + ": " + source
	}
	r.result.Observed = &Measure{Value: value, Unit: unit, Source: source, At: r.now}
}

// finish sets the status and the sentence that says why.
func (r *runner) finish(status Status, message string) {
	r.result.Status, r.result.Message = status, message
}

// fail finishes with fail, or with warn where the severity says so.
func (r *runner) fail(message string) {
	if s := r.spec.Severity; s == SeverityWarn || s == SeverityInfo {
		r.finish(Warn, message)
		return
	}
	r.finish(Fail, message)
}

// decide finishes by the thresholds that are set.
func (r *runner) decide(value float64, message string) {
	switch {
	case !r.spec.Threshold.Holds(value):
		r.fail(message + ", which must be " + r.spec.Threshold.String())
	case !r.spec.Fail.Holds(value):
		r.fail(message + ", which must be " + r.spec.Fail.String())
	case !r.spec.Warn.Holds(value):
		r.finish(Warn, message+", which should be "+r.spec.Warn.String())
	default:
		r.finish(Pass, message)
	}
}

// defaultThreshold sets what passes where the check names no threshold at all.
func (r *runner) defaultThreshold(t Threshold) {
	if r.spec.Threshold.IsZero() && r.spec.Fail.IsZero() && r.spec.Warn.IsZero() {
		r.spec.Threshold = t
	}
	applied := r.spec.Threshold
	if applied.IsZero() {
		applied = r.spec.Fail
	}
	r.result.Low, r.result.High = applied.bounds()
}

// learning finishes a check whose history is too short. A check that once had
// enough has lost its rows, which is a failure.
func (r *runner) learning(samples int, why string) error {
	r.result.Samples = samples
	previous, known, err := r.previous()
	if err != nil {
		return err
	}
	if known && previous.Samples >= minSamples {
		r.fail(fmt.Sprintf("the history is gone: %s, and there were %d at the last check", why, previous.Samples))
		// The higher number is kept, so that the next run does not take the
		// loss for a new table.
		r.result.Samples = previous.Samples
		return nil
	}
	r.finish(Learning, fmt.Sprintf("learning %d of %d: %s", samples, minSamples, why))
	return nil
}

// previous returns what the last run of this check knew.
func (r *runner) previous() (Result, bool, error) {
	if r.mem == nil {
		return Result{}, false, nil
	}
	last, known, err := r.mem.Last(r.ctx, r.spec.Name)
	if err != nil {
		return Result{}, false, fmt.Errorf("read what the last run knew: %w", err)
	}
	return last, known, nil
}

// countText writes a count, rounded, with commas between thousands.
func countText(v float64) string {
	digits := strconv.FormatFloat(math.Abs(math.Round(v)), 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if math.Round(v) < 0 {
		return "-" + digits
	}
	return digits
}
