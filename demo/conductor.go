package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dw/internal/fakes/dagster"
	"dw/internal/fakes/jira"
	"dw/internal/fakes/pagerduty"
	"dw/slackdev"
)

// conductor plays the day: it moves the clock, lets rows come in, and does what
// people outside dw do. Of dw it sees only what everybody sees.
type conductor struct {
	*estate
	clock    *clock
	slack    *slackdev.Server
	dagster  *dagster.Server
	pager    *pagerduty.Server
	tracker  *jira.Server
	line     *timeline
	auto     bool
	patience time.Duration // how long an expected message may take, by the wall
	builtAt  time.Time     // the last scheduled build
	requests plan          // the three requests, once they stand in the thread
	served   bool          // somebody else starts dw, and may take their time
	dwAt     string        // dw's listener
	over     bool          // the story ended before its end: a request was refused
}

// Speeds of the story.
const (
	scaleAuto   = 900.0
	scaleShown  = 240.0
	scaleArrive = 90.0 // shortly before a point in time, so as to stop at it
	scaleSlow   = 6.0  // while dw is waited for
	arriveLead  = 45 * time.Second
	lookEvery   = 5 * time.Millisecond
)

// scale is how fast the story runs where nothing is waited for; nobody has to see
// the morning.
func (c *conductor) scale() float64 {
	if c.auto || c.clock.now().Before(c.day.at(12, 5)) {
		return scaleAuto
	}
	return scaleShown
}

// advance lets the story run to a time and stand there. Every row that is due
// before it is in the tables before the clock gets there, and none after it, so
// what a check finds at that moment does not depend on speed. Scheduled builds
// on the way run at their time.
func (c *conductor) advance(ctx context.Context, to time.Time) error {
	for {
		build := c.nextBuild()
		if build.After(to) {
			return c.arrive(ctx, to)
		}
		if err := c.arrive(ctx, build); err != nil {
			return err
		}
		if err := c.scheduledBuild(ctx, build); err != nil {
			return err
		}
	}
}

func (c *conductor) arrive(ctx context.Context, to time.Time) error {
	if err := c.pass(ctx, to.Add(-arriveLead), c.scale()); err != nil {
		return err
	}
	if err := c.stream.advance(ctx, to); err != nil {
		return err
	}
	return c.pass(ctx, to, scaleArrive)
}

// pass runs the clock to a time, while rows come in, and holds it there. A timer
// holds it, so that slow rows never let the story run past the time.
func (c *conductor) pass(ctx context.Context, to time.Time, scale float64) error {
	left := to.Sub(c.clock.now())
	if left <= 0 {
		return nil
	}
	if err := c.clock.run(scale); err != nil {
		return err
	}
	arrived := time.NewTimer(time.Duration(float64(left) / scale))
	defer arrived.Stop()
	stop, rows := make(chan struct{}), make(chan error, 1)
	go func() { rows <- c.follow(ctx, to, stop) }() // ends with stop or its first error
	var err error
	select {
	case <-arrived.C:
	case err = <-rows:
		rows <- nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	held := c.clock.hold()
	close(stop)
	return errors.Join(err, held, <-rows)
}

// follow lets rows come in as the story's time passes, until stop is closed.
func (c *conductor) follow(ctx context.Context, to time.Time, stop <-chan struct{}) error {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-stop:
			return nil
		case <-look.C:
			now := c.clock.now()
			if now.After(to) {
				now = to
			}
			if err := c.stream.advance(ctx, now); err != nil {
				return err
			}
		}
	}
}

// nextBuild is when the hourly build is due next.
func (c *conductor) nextBuild() time.Time {
	from := c.builtAt
	return from.Truncate(time.Hour).Add(time.Hour + 5*time.Minute)
}

// scheduledBuild is what the orchestrator does at five past each hour.
func (c *conductor) scheduledBuild(ctx context.Context, at time.Time) error {
	c.builtAt = at
	schedule, _ := c.dagster.Schedule(c.names[jobBuild] + scheduleSuffix)
	if !schedule.Running {
		return nil
	}
	if err := c.builds.run(ctx, c.names[jobBuild]); err != nil {
		return err
	}
	c.line.event(at, "dbt", c.names[tableOrders]+" builds", "all tests pass: the rows that are there are valid")
	return nil
}

// await waits until the workspace shows something. A person's part may take as
// long as it takes; dw's may not.
func (c *conductor) await(ctx context.Context, what string, person bool, done func(slackdev.Snapshot) bool) error {
	waiting, cancel := context.WithCancel(ctx)
	if !person {
		waiting, cancel = context.WithTimeout(ctx, c.patience)
	}
	defer cancel()
	err := c.slack.Wait(waiting, done)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("at %s in the story: waited %s and this did not come: %s (%w)", c.day.clock(c.clock.now()), c.patience, what, err)
}

// awaitWhile is await while the story's time passes slowly: for what dw does only
// as time goes by.
func (c *conductor) awaitWhile(ctx context.Context, what string, done func(slackdev.Snapshot) bool) error {
	if err := c.clock.run(scaleSlow); err != nil {
		return err
	}
	return errors.Join(c.await(ctx, what, false, done), c.clock.hold())
}

// until looks at something outside the workspace until it is so.
func (c *conductor) until(ctx context.Context, what string, done func() bool) error {
	limited, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for !done() {
		select {
		case <-limited.Done():
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("at %s in the story: waited %s and this did not come: %s", c.day.clock(c.clock.now()), c.patience, what)
		case <-look.C:
		}
	}
	return nil
}

// untilWhile is until while the story's time passes slowly.
func (c *conductor) untilWhile(ctx context.Context, what string, done func() bool) error {
	if err := c.clock.run(scaleSlow); err != nil {
		return err
	}
	return errors.Join(c.until(ctx, what, done), c.clock.hold())
}

// click presses a button of a card as a person.
func (c *conductor) click(ctx context.Context, user string, on card, button string) error {
	outcome, err := c.slack.Click(ctx, user, incidentsID, on.ts, button)
	if err != nil {
		return fmt.Errorf("click %s on %s: %w", button, on.header, err)
	}
	if outcome.Error != "" {
		return fmt.Errorf("click %s on %s: Slack shows %s: %s", button, on.header, outcome.Error, outcome.Detail)
	}
	return nil
}
