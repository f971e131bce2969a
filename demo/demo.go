package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"dw/app"
	"dw/config"
	"dw/internal/fakes/dagster"
)

// Options say how the day is to be played.
type Options struct {
	Dir       string       // for all that the demo makes; empty is a new temporary folder
	Listen    string       // of the workspace's page; empty is any port of this machine
	Auto      bool         // click as the owner instead of waiting for a person
	JSON      bool         // print the timeline as JSON, one object a line
	Variant   string       // empty is the worked day
	Store     string       // DSN of dw's own database, which must be empty; none is dw.db in Dir
	NamesFile string       // JSON object, story name to new name
	Out       io.Writer    // where the timeline goes; nil is standard output
	Log       *slog.Logger // what the stand-ins have to say; nil is nowhere

	history string // a finished warehouse to copy, for tests
	served  bool   // somebody else starts dw
}

// scheduleSuffix makes the orchestrator's schedule of a job.
const scheduleSuffix = "_schedule"

// patience is how long dw may take for one message, by the wall.
const patience = 2 * time.Minute

// Run plays the day with a dw in this process. With Auto it returns an error
// unless what the variant promises held; otherwise it stays up at the end until
// ctx ends.
func Run(ctx context.Context, o Options) error {
	return withConductor(ctx, o, func(ctx context.Context, c *conductor) error { return c.withDW(ctx, c.playAndTell) })
}

// Serve plays the day for a dw that somebody else starts beside it with
// `dw run -c DIR/config.yaml`.
func Serve(ctx context.Context, o Options) error {
	o.served = true
	return withConductor(ctx, o, func(ctx context.Context, c *conductor) error {
		c.line.say("Now start dw beside this:  dw run -c "+c.path("config.yaml"), "")
		return c.playAndTell(ctx, func() error { return nil })
	})
}

// withConductor builds the estate and everything outside dw, and takes it down
// again.
func withConductor(ctx context.Context, o Options, play func(context.Context, *conductor) error) (err error) {
	o.setDefaults()
	if err := checkVariant(o.Variant); err != nil {
		return err
	}
	names, err := LoadNames(o.NamesFile)
	if err != nil {
		return err
	}
	dir, unlock, err := prepareDir(o.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	c := &conductor{auto: o.Auto, served: o.served, patience: patience, line: &timeline{out: o.Out, asJSON: o.JSON}}
	c.line.say("Everything of this demo lies in " + dir + "; its rows are being made.")
	if c.estate, err = newEstate(ctx, dir, o, names); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	c.line.day = c.day
	stop, err := c.open(ctx, o)
	defer func() { err = errors.Join(err, stop()) }()
	if err != nil {
		return err
	}
	err = errors.Join(play(ctx, c), c.line.failed())
	if !o.Auto && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // the person ended it
	}
	return err
}

func (o *Options) setDefaults() {
	if o.Variant == "" {
		o.Variant = variantDay
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// start is when the story begins.
func (e *estate) start() time.Time {
	if e.variant == variantNight {
		return e.day.at(23, 20)
	}
	return e.day.at(10, 30)
}

// open starts the clock, the systems around dw and the workspace, and brings the rows
// up to the start. What it returns takes down whatever was started.
func (c *conductor) open(ctx context.Context, o Options) (stop func() error, err error) {
	var closers []func() error
	stop = func() error {
		var errs []error
		for _, closer := range slices.Backward(closers) {
			errs = append(errs, closer())
		}
		return errors.Join(errs...)
	}
	if c.clock, err = newClock(c.path("clock.json"), c.start(), time.Now); err != nil {
		return stop, err
	}
	if err := c.firstBuild(ctx); err != nil {
		return stop, err
	}
	at, closeStandIns, err := c.openStandIns()
	closers = append(closers, closeStandIns)
	if err != nil {
		return stop, err
	}
	journal, err := os.OpenFile(c.path("slack.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return stop, fmt.Errorf("open the workspace's log: %w", err)
	}
	closers = append(closers, journal.Close)
	if c.slack, err = newWorkspace(c.estate, o.Listen, c.clock.now, journal, o.Log); err != nil {
		return stop, fmt.Errorf("build the workspace: %w", err)
	}
	if err := c.slack.Start(); err != nil {
		return stop, fmt.Errorf("start the workspace on %s: %w", o.Listen, err)
	}
	closers = append(closers, c.slack.Close)
	c.line.say("The workspace's page:  "+c.slack.URL(), "")
	at.slack, at.dw = c.slack.APIURL(), "127.0.0.1:0"
	if c.served {
		if at.dw, err = freeAddress(); err != nil {
			return stop, err
		}
		c.tellDW(at.dw)
	}
	return stop, c.configure(at)
}

// firstBuild is the last scheduled build before the story begins.
func (c *conductor) firstBuild(ctx context.Context) error {
	c.builtAt = c.start().Truncate(time.Hour).Add(5 * time.Minute)
	if err := c.stream.advance(ctx, c.builtAt); err != nil {
		return err
	}
	if err := c.builds.run(ctx, c.names[jobBuild]); err != nil {
		return err
	}
	return c.stream.advance(ctx, c.start())
}

// openDagster starts the orchestrator's stand-in.
func (c *conductor) openDagster() (url string, stop func() error, err error) {
	schedule := func(job, cron string) dagster.Schedule {
		return dagster.Schedule{Name: c.names[job] + scheduleSuffix, Job: c.names[job], Cron: cron, Running: true}
	}
	c.dagster, err = dagster.New(dagster.Options{
		Location: "shop", Repository: "__repository__", Token: c.tokens.dagster, Runner: c.builds.run, Now: c.clock.now, NewID: rand.Text,
		Jobs:      []string{c.names[jobBuild], c.names[jobPayout], c.names[jobRevenue]},
		Schedules: []dagster.Schedule{schedule(jobBuild, "5 * * * *"), schedule(jobPayout, "0 2 * * *"), schedule(jobRevenue, "45 23 * * *")},
	})
	if err != nil {
		return "", nil, err
	}
	return listen("the orchestrator's stand-in", c.dagster)
}

var errDWStopped = errors.New("dw stopped before the story ended")

// withDW runs an ordinary dw from the folder's configuration while play plays.
// play may stop it early.
func (c *conductor) withDW(ctx context.Context, play func(ctx context.Context, stopDW func() error) error) (err error) {
	log, err := os.OpenFile(c.path("dw.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open dw's log: %w", err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	project, err := app.LoadProject(c.path("config.yaml"), config.OS(), false)
	if err != nil {
		return fmt.Errorf("load the demo's configuration: %w", err)
	}
	dw, err := app.New(ctx, project, app.Options{LogTo: log, Version: "demo"})
	if err != nil {
		return errors.Join(fmt.Errorf("build dw: %w", err), project.Close())
	}
	c.tellDW(dw.Address())
	running, cancelDW := context.WithCancel(ctx)
	playing, cancelPlay := context.WithCancelCause(ctx)
	defer cancelPlay(nil)
	ended := make(chan error, 1)
	go func() { // ends with running, or when dw fails
		err := dw.Run(running)
		if running.Err() == nil {
			cancelPlay(errors.Join(errDWStopped, err))
		}
		ended <- errors.Join(err, dw.Close())
	}()
	var once error
	stopped := false
	stopDW := func() error {
		if !stopped {
			stopped = true
			cancelDW()
			once = <-ended
		}
		return once
	}
	return errors.Join(play(playing, stopDW), stopDW())
}

// playAndTell plays the day and ends it: with Auto by the promise, else by
// staying up for the person.
func (c *conductor) playAndTell(ctx context.Context, stopDW func() error) error {
	if err := c.play(ctx); err != nil {
		return err
	}
	if !c.auto {
		return c.stayUp(ctx)
	}
	if err := stopDW(); err != nil {
		return fmt.Errorf("stop dw: %w", err)
	}
	out, broken, err := c.ending(ctx)
	if err != nil {
		return err
	}
	c.line.say("", c.farewell(out))
	if c.line.asJSON {
		c.line.object(out)
	}
	return broken
}

// ending reads what dw recorded and holds it against the promise.
func (c *conductor) ending(ctx context.Context) (out outcome, broken, err error) {
	out, proposals, err := readOutcome(ctx, c.store)
	if err != nil {
		return out, nil, err
	}
	broken = c.checkPromise(ctx, out, proposals)
	out.Verified = broken == nil
	return out, broken, nil
}

// stayUp leaves everything running for the person until they end it.
func (c *conductor) stayUp(ctx context.Context) error {
	out, broken, err := c.ending(ctx)
	if err != nil {
		return err
	}
	if broken != nil && !c.over {
		c.line.say("", "Not everything that the story promises has happened: "+broken.Error())
	}
	c.line.say("", c.farewell(out), "", "The workspace stays up: "+c.slack.URL()+"  (Ctrl-C ends it)")
	if c.line.asJSON {
		c.line.object(out)
	}
	<-ctx.Done()
	return nil
}

// farewell says where everything lies.
func (c *conductor) farewell(o outcome) string {
	receipts := "no incident was opened, so its receipts are those of the start"
	if o.Incident != nil {
		receipts = fmt.Sprintf("receipts %d to %d of incident %s", o.Receipts.First, o.Receipts.Last, *o.Incident)
	}
	return "Everything lies in " + c.dir + " (" + receipts + ").\n" +
		"Verify it as an outsider would:\n" +
		"  dw receipts verify -c " + c.path("config.yaml") + " --key " + c.path("receipts.pub")
}
