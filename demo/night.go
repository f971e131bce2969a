package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"dw/slackdev"
)

// columnsCheck is the check of the shop's columns in the configuration.
const columnsCheck = "settled-columns"

// night is the second day: the shop's team renames a column at 23:40 which the
// load of 23:45 reads.
func (c *conductor) night(ctx context.Context) error {
	for _, scene := range []func(context.Context) error{c.evening, c.migrated, c.loadFails, c.driftNamed, c.askedAtNight, c.decidedAtNight} {
		if err := scene(ctx); err != nil {
			return err
		}
	}
	for _, scene := range []func(context.Context) error{c.loadAdapted, c.modelAdapted, c.loadedAgain, c.resolvedAtNight} {
		if err := c.lifted(ctx); err != nil || c.refused() {
			return err
		}
		if err := scene(ctx); err != nil {
			return err
		}
	}
	return nil
}

// evening is 23:20 to 23:40: the columns are as they always were.
func (c *conductor) evening(ctx context.Context) error {
	if err := c.await(ctx, "dw connects to the workspace", c.served, func(s slackdev.Snapshot) bool { return s.Sockets > 0 }); err != nil {
		return err
	}
	c.line.event(c.clock.now(), "dw", "connected to the workspace", "checks run by their schedules from now on")
	if err := c.advance(ctx, c.day.at(23, 35)); err != nil {
		return err
	}
	return c.seeChecked(ctx, columnsCheck, c.day.at(23, 35))
}

// migrated is 23:40: the migration, and the event that the tool of migrations
// reports.
func (c *conductor) migrated(ctx context.Context) error {
	at := c.day.at(23, 40)
	if err := c.advance(ctx, at); err != nil {
		return err
	}
	if err := c.warehouse.migrate(ctx); err != nil {
		return err
	}
	event, err := json.Marshal(map[string]any{
		"id": "migration-0812", "system": "migrations", "kind": "schema", "asset": "shopdb://" + c.names[tableSettled], "at": at.UTC(),
		"who": c.names[personDeputy], "text": "rename " + columnBefore + " to " + columnAfter,
	})
	if err == nil {
		err = os.WriteFile(c.path("changes.ndjson"), append(event, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the migration's event: %w", err)
	}
	c.line.event(at, "shop", "migration", columnBefore+" of "+c.names[tableSettled]+" is "+columnAfter+" now; one change event")
	return nil
}

// loadFails is 23:45: the nightly load reads a column that is gone, and the
// orchestrator's sensor says so.
func (c *conductor) loadFails(ctx context.Context) error {
	at := c.day.at(23, 45)
	if err := c.advance(ctx, at); err != nil {
		return err
	}
	failed := c.builds.run(ctx, c.names[jobRevenue])
	if failed == nil {
		return fmt.Errorf("the load of 23:45 succeeded although its column %s is gone", columnBefore)
	}
	c.line.event(at, "Dagster", c.names[jobRevenue]+" fails", failed.Error())
	return c.report(ctx, "night-1", "FAILURE")
}

// report is the orchestrator's sensor: it tells dw how a run of the load ended.
func (c *conductor) report(ctx context.Context, run, status string) error {
	body, err := json.Marshal(map[string]any{"job_name": c.names[jobRevenue], "run_id": run, "status": status, "at": c.clock.now().UTC()})
	if err != nil {
		return fmt.Errorf("write the sensor's report: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.dwAt+"/intake/signals/nights", strings.NewReader(string(body)))
	if err != nil {
		return fmt.Errorf("report the run: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+c.tokens.hook)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("report the run: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // only its status is read
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("report the run: dw answers %s", answer.Status)
	}
	return nil
}

// driftNamed is 23:50: the check of the columns finds what changed, and the cause
// is named on the card and on the page.
func (c *conductor) driftNamed(ctx context.Context) error {
	if err := c.advance(ctx, c.day.at(23, 50)); err != nil {
		return err
	}
	var incident card
	err := c.awaitWhile(ctx, "the incident's card names the cause and who is harmed", func(s slackdev.Snapshot) bool {
		incident, _ = incidentCard(s)
		return strings.Contains(incident.text, "Cause: The schema changed") && strings.Contains(incident.text, c.names[exploreRevenue])
	})
	if err != nil {
		return err
	}
	c.line.event(c.day.at(23, 50), "dw", "cause named", incident.text)
	return c.seePaged(ctx, incident.id())
}

// askedAtNight is five past midnight at the latest: three requests stand in the
// thread.
func (c *conductor) askedAtNight(ctx context.Context) error {
	if err := c.advance(ctx, c.day.at(24, 5)); err != nil {
		return err
	}
	err := c.awaitWhile(ctx, "three approval cards in the incident's thread", func(s slackdev.Snapshot) bool {
		var ok bool
		c.requests, ok = planCards(s, c.repo.mappingName(), c.repo.revenueName())
		c.requests.holdLast = true
		return ok
	})
	if err != nil {
		return err
	}
	for _, request := range c.requests.each() {
		c.line.event(request.posted(), "Slack", request.header, request.text)
	}
	c.tell("", "You are "+c.names[personOwner]+" (choose it at the top of the page).",
		"Open the thread of the incident in #"+c.names[channelIncidents]+" and click Approve or Reject on each.", "  "+c.slack.URL())
	return nil
}

// decidedAtNight is 00:20.
func (c *conductor) decidedAtNight(ctx context.Context) error {
	return c.decidedAt(ctx, c.day.at(24, 20))
}

// loadAdapted is 00:30: the owner deploys the mapping of the card.
func (c *conductor) loadAdapted(ctx context.Context) error {
	return c.adapted(ctx, 30, "the load's mapping", c.repo.mappingName(), func(p plan) card { return p.change })
}

// modelAdapted is 00:40: the owner merges the model's diff of the card.
func (c *conductor) modelAdapted(ctx context.Context) error {
	return c.adapted(ctx, 40, "the model", c.repo.revenueName(), func(p plan) card { return p.recover })
}

func (c *conductor) adapted(ctx context.Context, minute int, what, file string, which func(plan) card) error {
	at := c.day.at(24, minute)
	if err := c.advance(ctx, at); err != nil {
		return err
	}
	if err := c.applyDiff(ctx, at, which, "Read "+columnAfter+" in "+what); err != nil {
		return err
	}
	c.line.event(at, "owner", what+" is adapted", "the diff of the card applied with git and committed: "+file)
	return c.ownerDone(ctx, which)
}

// loadedAgain is 00:40: dw starts the load once more and reads its run back.
func (c *conductor) loadedAgain(ctx context.Context) error {
	id, err := c.ranByDW(ctx, c.names[jobRevenue])
	if err != nil {
		return err
	}
	c.line.event(c.day.at(24, 40), "dw + Dagster", "the approved load ran", c.names[jobRevenue]+", run "+id+", read back as SUCCESS")
	return c.report(ctx, id, "SUCCESS")
}

// resolvedAtNight is 01:20, long before 07:00: the numbers are asked again.
func (c *conductor) resolvedAtNight(ctx context.Context) error {
	if err := c.resolvedAt(ctx, c.day.at(25, 20)); err != nil {
		return err
	}
	// The new name is what the check compares with from now on.
	if err := c.advance(ctx, c.day.at(25, 35)); err != nil {
		return err
	}
	return c.seeChecked(ctx, columnsCheck, c.day.at(25, 35))
}
