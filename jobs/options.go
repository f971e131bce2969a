package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"dw/workflows"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

// Options say how effects are delivered. DB, Deliverers and Now are required;
// a zero elsewhere means the default.
type Options struct {
	// DB holds the connections that write; they stay the store's.
	DB *sql.DB
	// Postgres says that DB is PostgreSQL; otherwise it is SQLite.
	Postgres bool
	// Deliverers are chosen by the longest key that is a prefix of the effect's
	// kind; the empty key takes the rest.
	Deliverers map[string]Deliverer
	// Claim takes the right to deliver the effect that a key names, against other
	// processes: one that is frozen in a delivery may still make its call when it
	// goes on, so that no other makes it meanwhile. taken is false where another
	// has it. nil grants every claim.
	Claim func(ctx context.Context, key string) (release func(), taken bool, err error)
	// OnDead is told of every effect that is given up, with the reason.
	OnDead func(ctx context.Context, e workflows.Effect, cause error)
	// Now is the wall clock, by which the queue counts.
	Now func() time.Time
	// Log takes what an operator should know; nil discards it.
	Log *slog.Logger

	// Workers is how many effects are under way at once; 4.
	Workers int
	// JobTimeout ends one attempt; 1 min.
	JobTimeout time.Duration
	// RescueStuckJobsAfter is the age at which an attempt counts as lost with
	// its process, 2 min. After a kill the queue also waits up to 15 s for the
	// dead process's lead to lapse, and a few more for the retry.
	RescueStuckJobsAfter time.Duration
	// FetchPollInterval is the time between looks into the queue; 200 ms.
	FetchPollInterval time.Duration
	// MaxBackoff is the longest wait between attempts; 5 min.
	MaxBackoff time.Duration
	// StopWithin is how long Stop lets effects finish before it ends their
	// contexts; 10 s.
	StopWithin time.Duration
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.OnDead == nil {
		o.OnDead = func(context.Context, workflows.Effect, error) {}
	}
	if o.Claim == nil {
		o.Claim = func(context.Context, string) (func(), bool, error) { return func() {}, true, nil }
	}
	if o.Workers == 0 {
		o.Workers = 4
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&o.JobTimeout, time.Minute},
		{&o.RescueStuckJobsAfter, 2 * time.Minute},
		{&o.FetchPollInterval, 200 * time.Millisecond},
		{&o.MaxBackoff, 5 * time.Minute},
		{&o.StopWithin, 10 * time.Second},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return o
}

// driver speaks to the queue's tables.
func (o Options) driver() riverdriver.Driver[*sql.Tx] {
	if o.Postgres {
		return riverdatabasesql.New(o.DB)
	}
	return riversqlite.New(o.DB)
}

// validate returns every problem at once.
func (o Options) validate() error {
	var errs []error
	if o.DB == nil {
		errs = append(errs, errors.New("option DB is missing"))
	}
	if o.Now == nil {
		errs = append(errs, errors.New("option Now is missing"))
	}
	if o.Workers < 0 || o.Workers > 1000 {
		errs = append(errs, fmt.Errorf("option Workers is %d, must be 1 to 1000", o.Workers))
	}
	if len(o.Deliverers) == 0 {
		errs = append(errs, errors.New("option Deliverers is empty"))
	}
	for prefix, d := range o.Deliverers {
		if d == nil {
			errs = append(errs, fmt.Errorf("the deliverer of %q is nil", prefix))
		}
	}
	for name, d := range map[string]time.Duration{
		"JobTimeout": o.JobTimeout, "FetchPollInterval": o.FetchPollInterval,
		"MaxBackoff": o.MaxBackoff, "StopWithin": o.StopWithin,
	} {
		if d < time.Millisecond {
			errs = append(errs, fmt.Errorf("option %s is %s, must be at least 1ms", name, d))
		}
	}
	if o.RescueStuckJobsAfter <= o.JobTimeout {
		errs = append(errs, fmt.Errorf("option RescueStuckJobsAfter (%s) must be longer than JobTimeout (%s), "+
			"else a slow attempt would run beside its repetition", o.RescueStuckJobsAfter, o.JobTimeout))
	}
	return errors.Join(errs...)
}
