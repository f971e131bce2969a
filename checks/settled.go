package checks

import (
	"context"
	"time"
)

// Settled returns a volume check with the delay that it waits as of now, where it
// is learned, so that it can be asked about a bucket of the past: as of the
// bucket's end and that delay. Other checks come back as they are. It reads the
// ends of the time column.
func Settled(ctx context.Context, spec Spec, q Querier, mem Memory, now time.Time) (Spec, error) {
	if spec.kind() != KindVolume || spec.Delay > 0 || spec.judge() != JudgeDetector {
		return spec, nil
	}
	r := &runner{ctx: ctx, spec: spec, q: q, mem: mem, now: now.UTC()}
	t, e, err := r.timed()
	if err != nil {
		return spec, err
	}
	l, err := r.openLedger(t, e, e.clock.now.AddDate(0, 0, -detectorDays-1), measureRows)
	if err != nil {
		return spec, err
	}
	spec.Delay, _ = l.delay(spec)
	return spec, nil
}
