package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"dw/workflows"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// claimShare divides the longest wait: so long is waited for a claim.
const claimShare = 6

// Runner works the queue of effects. Effects are taken in the order in which
// they were queued, but several run at once: no order is promised.
type Runner struct {
	client *river.Client[*sql.Tx]
}

// New returns a runner that does nothing before Start.
func New(o Options) (*Runner, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("prepare the queue's workers: %w", err)
	}
	dead := &undertaker{o}
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, &effectWorker{o: o, dead: dead}); err != nil {
		return nil, fmt.Errorf("prepare the queue's workers: %w", err)
	}
	client, err := river.NewClient(o.driver(), &river.Config{
		ErrorHandler:         dead,
		FetchCooldown:        min(river.FetchCooldownDefault, o.FetchPollInterval),
		FetchPollInterval:    o.FetchPollInterval,
		JobTimeout:           o.JobTimeout,
		Logger:               o.Log,
		PollOnly:             true, // on SQLite a listener would poll too, on PostgreSQL it needs a pool of its own
		Queues:               map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: o.Workers}},
		RescueStuckJobsAfter: o.RescueStuckJobsAfter,
		RetryPolicy:          &cappedBackoff{limit: o.MaxBackoff, now: o.Now},
		SoftStopTimeout:      o.StopWithin,
		Workers:              workers,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the queue's workers: %w", err)
	}
	return &Runner{client}, nil
}

// Start begins to work the queue and returns. Ending ctx stops as Stop does.
func (r *Runner) Start(ctx context.Context) error {
	if err := r.client.Start(ctx); err != nil {
		return fmt.Errorf("start the queue's workers: %w", err)
	}
	return nil
}

// Stop takes no further effects, lets those under way finish, ends their
// contexts after Options.StopWithin, and returns when all have returned or ctx
// ends. An effect that was cut off is tried again after the next Start.
func (r *Runner) Stop(ctx context.Context) error {
	if err := r.client.Stop(ctx); err != nil {
		return fmt.Errorf("stop the queue's workers: %w", err)
	}
	return nil
}

// Stopped returns a channel that is closed when the runner has stopped.
func (r *Runner) Stopped() <-chan struct{} { return r.client.Stopped() }

// effectWorker hands each job to its deliverer.
type effectWorker struct {
	river.WorkerDefaults[workflows.EffectJob]
	o    Options
	dead *undertaker
}

// Work delivers one effect.
func (w *effectWorker) Work(ctx context.Context, job *river.Job[workflows.EffectJob]) error {
	e := job.Args.Effect
	release, taken, err := w.o.Claim(ctx, e.Kind+" "+e.Key)
	if err != nil {
		return fmt.Errorf("deliver effect %s %q: %w", e.Kind, e.Key, err)
	}
	if !taken {
		w.o.Log.WarnContext(ctx, "another process still has this effect in hand; it is tried again later", "effect", e.Kind, "key", e.Key)
		return river.JobSnooze(w.o.MaxBackoff / claimShare)
	}
	defer release()
	err = w.deliver(ctx, e)
	if !IsPermanent(err) {
		return err
	}
	w.dead.bury(ctx, e, err)
	return river.JobCancel(err)
}

func (w *effectWorker) deliver(ctx context.Context, e workflows.Effect) error {
	d, ok := choose(w.o.Deliverers, e.Kind)
	if !ok {
		return Permanent(fmt.Errorf("%w: %s", ErrNoDeliverer, e.Kind))
	}
	if err := d.Deliver(ctx, e); err != nil {
		return fmt.Errorf("deliver effect %s %q: %w", e.Kind, e.Key, err)
	}
	return nil
}

// undertaker reports effects that are given up.
type undertaker struct{ o Options }

// bury must get through although the attempt's own time may be over.
func (u *undertaker) bury(ctx context.Context, e workflows.Effect, cause error) {
	ctx = context.WithoutCancel(ctx)
	u.o.Log.ErrorContext(ctx, "gave up on an effect", "effect", e.Kind, "key", e.Key, "error", cause)
	u.o.OnDead(ctx, e, cause)
}

// HandleError is called by the queue after each failed attempt.
func (u *undertaker) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	u.last(ctx, job, err)
	return nil
}

// HandlePanic is called by the queue after each attempt that panicked.
func (u *undertaker) HandlePanic(ctx context.Context, job *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	u.o.Log.ErrorContext(ctx, "a deliverer panicked", "panic", fmt.Sprint(value), "trace", trace)
	u.last(ctx, job, fmt.Errorf("deliverer panicked: %v", value))
	return nil
}

// last reports an effect whose attempts are used up.
func (u *undertaker) last(ctx context.Context, job *rivertype.JobRow, cause error) {
	if job.Attempt < job.MaxAttempts {
		return
	}
	e, err := effectOf(job)
	u.bury(ctx, e, errors.Join(fmt.Errorf("after %d attempts: %w", job.Attempt, cause), err))
}

// cappedBackoff is the queue's own growing, jittered wait, cut off at a limit.
type cappedBackoff struct {
	river.DefaultClientRetryPolicy
	limit time.Duration
	now   func() time.Time
}

// NextRetry returns when a failed job is tried again.
func (b *cappedBackoff) NextRetry(job *rivertype.JobRow) time.Time {
	latest := b.now().Add(b.limit)
	if next := b.DefaultClientRetryPolicy.NextRetry(job); next.Before(latest) {
		return next
	}
	return latest
}
