package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dw/slackdev"
)

// causeNamed is 12:35: the dead-letter table is seen, and the cause named.
func (c *conductor) causeNamed(ctx context.Context) error {
	if err := c.advance(ctx, c.day.at(12, 35)); err != nil {
		return err
	}
	var incident card
	err := c.await(ctx, "the incident's card names the cause and who is harmed", false, func(s slackdev.Snapshot) bool {
		incident, _ = incidentCard(s)
		return strings.Contains(incident.text, "Cause: Records produced without") && strings.Contains(incident.text, fmt.Sprint(boxOfficeOrganizers))
	})
	if err != nil {
		return err
	}
	c.line.event(c.day.at(12, 35), "dw", "cause named", incident.text)
	c.line.event(c.day.at(12, 35), "dw", notBuilt, "metric redpanda_iceberg_translation_invalid_records")
	return nil
}

// asked is 12:40: three requests stand in the thread.
func (c *conductor) asked(ctx context.Context) error {
	if err := c.advance(ctx, c.day.at(12, 40)); err != nil {
		return err
	}
	err := c.awaitWhile(ctx, "three approval cards in the incident's thread", func(s slackdev.Snapshot) bool {
		var ok bool
		c.requests, ok = planCards(s, c.repo.pipelineName(), c.repo.modelName())
		return ok
	})
	if err != nil {
		return err
	}
	for _, request := range c.requests.each() {
		c.line.event(request.posted(), "Slack", request.header, request.text)
	}
	incident, _ := incidentCard(c.slack.Snapshot())
	if err := c.seeNote(ctx, incident.id(), stageAsked); err != nil {
		return err
	}
	c.tell("", "You are "+c.names[personOwner]+" (choose it at the top of the page).",
		"Open the thread of the incident in #"+c.names[channelIncidents]+", read P1 to P3, and click Approve or Reject on each.",
		"Try it as "+c.names[personFinance]+" or "+c.names[personGuest]+" too: dw says why they cannot.", "  "+c.slack.URL())
	return nil
}

// decided is 13:10: the owner decides on all three. Where a person plays, the
// clock stands until that has happened.
func (c *conductor) decided(ctx context.Context) error { return c.decidedAt(ctx, c.day.at(13, 10)) }

func (c *conductor) decidedAt(ctx context.Context, at time.Time) error {
	if err := c.advance(ctx, at); err != nil {
		return err
	}
	if c.auto {
		for _, request := range c.requests.each() {
			if err := c.click(ctx, ownerID, request, buttonApprove); err != nil {
				return err
			}
		}
	}
	var p plan
	err := c.await(ctx, "all three requests are decided", !c.auto, func(s slackdev.Snapshot) bool {
		p = c.requests.now(s)
		return !p.hold.has(buttonApprove) && !p.change.has(buttonApprove) && !p.recover.has(buttonApprove)
	})
	for n, request := range p.each() {
		if err == nil {
			c.line.event(at, "Slack", fmt.Sprintf("P%d decided", n+1), request.header)
		}
	}
	return err
}

// lifted holds the story while dw is stopped: nothing that was approved begins.
func (c *conductor) lifted(ctx context.Context) error {
	stopped := func(s slackdev.Snapshot) bool {
		return slices.ContainsFunc(c.requests.now(s).each(), func(r card) bool { return strings.Contains(r.whole, "Stopped: dw is stopped") })
	}
	if !stopped(c.slack.Snapshot()) {
		return nil
	}
	c.line.event(c.clock.now(), "dw", "stopped", "nothing that is approved begins")
	c.tell("dw is stopped, so the story waits. /dw resume asks for the end of the stop; somebody else than the one who asks approves it.")
	return c.await(ctx, "the stop is lifted", !c.auto, func(s slackdev.Snapshot) bool { return !stopped(s) })
}

// refused ends the story where the plan was not approved, or not any more.
func (c *conductor) refused() bool {
	p := c.requests.now(c.slack.Snapshot())
	for _, request := range []card{p.change, p.recover, p.hold} {
		if !slices.ContainsFunc([]string{"Rejected", "Expired", "Revoked", "Withdrawn", "Lapsed"}, request.is) {
			continue
		}
		c.line.event(c.clock.now(), "owner", "a request was not approved", request.header)
		c.line.say("", "So dw changes nothing for it, and what starts only after it ends too. The incident stays open; what else was approved is tracked.",
			"The decision and its reason are in the receipts. This demo plays on only where all three are approved: it ends here.")
		c.over = true
		return true
	}
	return false
}

// holdPayout is 13:15: the owner pauses the payout's schedule in the orchestrator.
func (c *conductor) holdPayout(ctx context.Context) error {
	if err := c.advance(ctx, c.day.at(13, 15)); err != nil {
		return err
	}
	schedule := c.names[jobPayout] + scheduleSuffix
	if !c.dagster.SetRunning(schedule, false) {
		return fmt.Errorf("the orchestrator has no schedule %s", schedule)
	}
	c.line.event(c.day.at(13, 15), "owner", "schedule paused", schedule+" in Dagster")
	return c.ownerDone(ctx, func(p plan) card { return p.hold })
}

// deployEncoder is 13:30: the owner applies the diff of the card to the pipeline.
// Its runtime reads the file again at the next record.
func (c *conductor) deployEncoder(ctx context.Context) error {
	at := c.day.at(13, 30)
	if err := c.advance(ctx, at); err != nil {
		return err
	}
	if err := c.applyDiff(ctx, at, func(p plan) card { return p.change }, "Encode the partner feed before its output"); err != nil {
		return err
	}
	c.line.event(at, "owner", "pipeline deployed", "the diff of P2 applied with git and committed: "+c.repo.pipelineName())
	if err := c.ownerDone(ctx, func(p plan) card { return p.change }); err != nil {
		return err
	}
	// From its next run on, the dead-letter check finds nothing new.
	if err := c.advance(ctx, c.day.at(13, 35)); err != nil {
		return err
	}
	return c.seeChecked(ctx, deadLetterCheck, c.day.at(13, 35))
}

// mergeRecovery is 13:50 to 13:55: the owner tries the model's diff, then merges.
func (c *conductor) mergeRecovery(ctx context.Context) error {
	if err := c.advance(ctx, c.day.at(13, 50)); err != nil {
		return err
	}
	p := c.requests.now(c.slack.Snapshot())
	diff, err := c.wholeDiff(ctx, p.recover)
	if err != nil {
		return err
	}
	if err := c.repo.git(ctx, c.day.at(13, 50), diff, "apply", "--check", "-"); err != nil {
		return err
	}
	c.line.event(c.day.at(13, 50), "owner", "the diff of P3 is reviewed", "git apply --check: it fits")
	at := c.day.at(13, 55)
	if err := c.advance(ctx, at); err != nil {
		return err
	}
	if err := c.applyDiff(ctx, at, func(p plan) card { return p.recover }, "Recover the orders of the dead letter"); err != nil {
		return err
	}
	c.line.event(at, "owner", "diff merged", "the diff of P3 applied with git and committed: "+c.repo.modelName())
	return c.ownerDone(ctx, func(p plan) card { return p.recover })
}

func (c *conductor) applyDiff(ctx context.Context, at time.Time, which func(plan) card, message string) error {
	p := c.requests.now(c.slack.Snapshot())
	diff, err := c.wholeDiff(ctx, which(p))
	if err != nil {
		return err
	}
	return c.repo.apply(ctx, at, diff, message)
}

// ownerDone marks an owner's step done on its card, or, where a person plays,
// lets time pass until they have, or dw has seen it by itself.
func (c *conductor) ownerDone(ctx context.Context, which func(plan) card) error {
	p := c.requests.now(c.slack.Snapshot())
	on := which(p)
	gone := func(s slackdev.Snapshot) bool {
		now, ok := find(s, on.key)
		return ok && !now.has(buttonDone)
	}
	if !c.auto {
		c.tell("You may click Mark done on that card; dw also sees it by itself within a minute of the story.")
		if err := c.clock.run(scaleSlow); err != nil {
			return err
		}
		return errors.Join(c.await(ctx, "the step is marked done or seen: "+on.header, true, gone), c.clock.hold())
	}
	// dw may have seen it by itself already; then there is no button to press.
	err := c.await(ctx, "a button Mark done, or the step seen by dw: "+on.header, false, func(s slackdev.Snapshot) bool {
		now, ok := find(s, on.key)
		return ok && (now.has(buttonDone) || now.seen())
	})
	if err != nil {
		return err
	}
	if now, _ := find(c.slack.Snapshot(), on.key); now.has(buttonDone) {
		if err := c.click(ctx, ownerID, now, buttonDone); err != nil {
			return err
		}
	}
	return c.await(ctx, "the step is recorded as done: "+on.header, false, gone)
}

// rebuilt is 13:55: dw queues the approved job and reads its run back.
func (c *conductor) rebuilt(ctx context.Context) error {
	id, err := c.ranByDW(ctx, c.names[jobBuild])
	if err == nil {
		c.line.event(c.day.at(13, 55), "dw + Dagster", "the approved job ran", c.names[jobBuild]+", run "+id+", read back as SUCCESS")
	}
	return err
}

// ranByDW waits until dw's own run of a job has succeeded, and dw has read it back.
func (c *conductor) ranByDW(ctx context.Context, job string) (id string, err error) {
	run := func() (id string, done bool) {
		for _, r := range c.dagster.Runs() {
			if r.Job == job && r.Tags["dw/step"] != "" {
				return r.ID, r.Status == "SUCCESS"
			}
		}
		return "", false
	}
	err = c.until(ctx, "dw's run of "+job+" succeeds in Dagster", func() bool { _, done := run(); return done })
	if err != nil {
		return "", err
	}
	err = c.awaitWhile(ctx, "dw reads back that its run has succeeded", func(s slackdev.Snapshot) bool {
		incident, _ := incidentCard(s)
		return incident.is("Verifying")
	})
	id, _ = run()
	return id, err
}

// resolved is 14:30: the numbers are asked again.
func (c *conductor) resolved(ctx context.Context) error { return c.resolvedAt(ctx, c.day.at(14, 30)) }

func (c *conductor) resolvedAt(ctx context.Context, at time.Time) error {
	if err := c.advance(ctx, at); err != nil {
		return err
	}
	var incident card
	err := c.awaitWhile(ctx, "the numbers are verified and the incident is resolved", func(s slackdev.Snapshot) bool {
		incident, _ = incidentCard(s)
		return incident.is("Resolved")
	})
	if err != nil {
		return err
	}
	c.line.event(at, "dw", "verified and resolved", incident.text)
	return c.handedOn(ctx, incident.id())
}

// handedOn is what the end of an incident leaves with others: a page that is
// resolved, and a ticket.
func (c *conductor) handedOn(ctx context.Context, incident string) error {
	if err := c.seePageResolved(ctx, incident); err != nil {
		return err
	}
	return c.seeTicket(ctx)
}

// takeBack is 14:35: the owner resumes the schedule, which was agreed with P1.
func (c *conductor) takeBack(ctx context.Context) error {
	if err := c.advance(ctx, c.day.at(14, 35)); err != nil {
		return err
	}
	schedule := c.names[jobPayout] + scheduleSuffix
	c.dagster.SetRunning(schedule, true)
	c.line.event(c.day.at(14, 35), "owner", "schedule resumed", schedule+" in Dagster: the undo of P1, no new decision")
	p := c.requests.now(c.slack.Snapshot())
	err := c.await(ctx, "the undo's button on P1, or the undo seen by dw", false, func(s slackdev.Snapshot) bool {
		now, ok := find(s, p.hold.key)
		return ok && (now.has(buttonUndone) || now.undone())
	})
	if err != nil {
		return err
	}
	if now, _ := find(c.slack.Snapshot(), p.hold.key); c.auto && now.has(buttonUndone) {
		if err := c.click(ctx, ownerID, now, buttonUndone); err != nil {
			return err
		}
	}
	err = c.awaitWhile(ctx, "the undo is recorded", func(s slackdev.Snapshot) bool {
		now, ok := find(s, p.hold.key)
		return ok && now.undone()
	})
	if err != nil {
		return err
	}
	c.line.event(c.day.at(14, 35), "dw", "the undo is recorded", "at 02:00 all "+c.names[harmUnit]+" are settled on every order")
	return nil
}
