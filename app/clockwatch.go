package app

import (
	"context"
	"time"

	"dw/jobs"
)

// watchClock has every jump of the machine's clock written into the log. The
// story's clock of a demo is moved on purpose, and is not watched.
func (a *App) watchClock(ctx context.Context) error {
	if a.project.Config.Clock.File != "" {
		<-ctx.Done()
		return nil
	}
	start := time.Now()
	watch := &jobs.ClockWatch{
		Wall: a.project.Now, Elapsed: func() time.Duration { return time.Since(start) },
		Jumped: a.service.ClockJumped, Log: a.log,
	}
	watch.Run(ctx)
	return nil
}
