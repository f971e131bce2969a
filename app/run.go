package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"dw/bot"
	"dw/checks"
	"dw/lineage"
)

const stopWithin = 15 * time.Second

func randomFraction() float64 { return rand.Float64() } //nolint:gosec // spreads reconnects, guards nothing

func due(spec, zone string, from, to time.Time) ([]time.Time, error) {
	return checks.Due(spec, zone, from, to)
}

func (a *App) graph() *lineage.Graph { return a.project.Current() }

// Run works until ctx ends or a part fails for good, then stops every part and
// waits for it. Ending by ctx is no error.
func (a *App) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := a.service.ScheduleChecks(ctx, a.runner.CheckNames()); err != nil {
		return err
	}
	if err := a.drawGraph(ctx); err != nil {
		return err
	}
	if err := a.service.Repaint(ctx); err != nil {
		return fmt.Errorf("repaint open cards: %w", err)
	}
	if err := a.jobs.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start deliveries: %w", err)
	}
	a.checkChannels(ctx)
	err := a.runParts(ctx, cancel)
	stop, done := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer done()
	a.handler.Close()
	return errors.Join(err, a.jobs.Stop(stop), a.writeCheckpoint(stop))
}

// runParts runs the parts side by side; the first that fails ends the others.
func (a *App) runParts(ctx context.Context, cancel context.CancelFunc) error {
	var parts sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	part := func(name string, run func(context.Context) error) {
		parts.Go(func() {
			defer cancel()
			if err := run(ctx); err != nil && !errors.Is(err, context.Canceled) {
				mu.Lock()
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
				mu.Unlock()
			}
		})
	}
	part("Slack", a.listen)
	part("deadlines", func(ctx context.Context) error { a.ticker.Run(ctx); return nil })
	part("checkpoints", a.signing().run)
	part("anchors", a.anchors.keep)
	part("self-check of the receipts", a.selfCheck.keep)
	part("the clock", a.watchClock)
	part("graph", a.keepGraph)
	part("catalogues", a.keepCatalogues)
	part("columns", a.keepColumns)
	part("files of signals", a.keepSignalFiles)
	part("HTTP", a.server.run)
	parts.Wait()
	return errors.Join(errs...)
}

// scrubbed takes secrets out of what comes from Slack. The store signs what a person
// decides in the decision's own transaction, before Slack is answered.
type scrubbed struct{ a *App }

// Handle meets bot.Handler.
func (s scrubbed) Handle(ctx context.Context, e bot.Event) (any, error) {
	return s.a.handler.Handle(ctx, withoutSecrets(s.a.redactor, e))
}

// checkChannels looks at every domain's channel at start: one that refuses dw
// is said in the log and to the domain's owner, before an incident needs it.
func (a *App) checkChannels(ctx context.Context) {
	for name, policy := range a.policies {
		info, err := a.client.ChannelInfo(ctx, policy.Channel)
		problem := ""
		switch {
		case err != nil:
			problem = err.Error()
		case info.Archived:
			problem = "channel " + policy.Channel + " is archived"
		case info.Shared:
			problem = "channel " + policy.Channel + " is shared with another company; dw posts no proposals there"
		case info.Private && !info.Member:
			problem = "channel " + policy.Channel + " is private and dw is not in it: invite it"
		}
		if problem != "" {
			a.log.Error("a domain's channel cannot be used", "domain", name, "problem", problem)
			a.deliverer.TellOwner(ctx, policy, "dw cannot use the channel of domain "+name+": "+problem)
		}
	}
}
