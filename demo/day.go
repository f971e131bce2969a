package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"dw/slackdev"
)

// play plays the variant's day.
func (c *conductor) play(ctx context.Context) error {
	if c.variant == variantNight {
		return c.night(ctx)
	}
	if err := c.morning(ctx); err != nil {
		return err
	}
	switch c.variant {
	case variantDay:
		return c.boxOfficeDay(ctx)
	case variantDropApp:
		return c.lostRowsDay(ctx)
	case variantLate:
		return c.lateDay(ctx)
	default:
		return c.advance(ctx, c.day.at(14, 36))
	}
}

// morning is the same in every variant until noon.
func (c *conductor) morning(ctx context.Context) error {
	if err := c.await(ctx, "dw connects to the workspace", c.served, func(s slackdev.Snapshot) bool { return s.Sockets > 0 }); err != nil {
		return err
	}
	c.line.event(c.clock.now(), "dw", "connected to the workspace", "checks run by their schedules from now on")
	if err := c.advance(ctx, c.day.at(10, 35)); err != nil {
		return err
	}
	if err := c.seeChecked(ctx, deadLetterCheck, c.day.at(10, 35)); err != nil {
		return err
	}
	if err := c.advance(ctx, c.day.at(10, 55)); err != nil {
		return err
	}
	if c.variant == variantDay {
		return c.replaceRelay(ctx)
	}
	return nil
}

// deadLetterCheck is the check of the dead-letter table in the configuration.
const deadLetterCheck = "orders-dead-letter"

// seeChecked asks dw in Slack, as the analyst, until a check has run since a
// time, so that what it found is known to be from then.
func (c *conductor) seeChecked(ctx context.Context, check string, since time.Time) error {
	for range 60 {
		before := len(c.slack.Ephemerals(analystID))
		if _, err := c.slack.Command(ctx, analystID, generalID, "checks"); err != nil {
			return fmt.Errorf("ask dw for its checks: %w", err)
		}
		var answer slackdev.Message
		err := c.await(ctx, "dw answers its command checks", false, func(s slackdev.Snapshot) bool {
			all := s.Ephemerals[analystID]
			if len(all) > before {
				answer = all[len(all)-1]
			}
			return len(all) > before
		})
		if err != nil {
			return err
		}
		if ran := ranAt(answer, check); !ran.Before(since) {
			return nil
		}
		if err := c.pass(ctx, c.clock.now().Add(3*time.Second), scaleSlow); err != nil {
			return err
		}
	}
	return fmt.Errorf("at %s in the story: check %s has not run since %s", c.day.clock(c.clock.now()), check, c.day.clock(since))
}

// replaceRelay is the deploy of 10:55: the files, and the event that the deploy
// tool reports.
func (c *conductor) replaceRelay(ctx context.Context) error {
	at := c.day.at(10, 55)
	if err := c.repo.replaceRelay(ctx, at); err != nil {
		return err
	}
	event, err := json.Marshal(map[string]any{
		"id": "deploy-4711", "system": "redpanda connect", "kind": "deploy", "asset": c.names[pipelineFeed], "at": at.UTC(),
		"who": c.names[personDeputy], "text": "relay of the partner feed replaced by pipeline " + c.names[pipelineFeed],
	})
	if err != nil {
		return fmt.Errorf("write the deploy event: %w", err)
	}
	if err := os.WriteFile(c.path("changes.ndjson"), append(event, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the deploy event: %w", err)
	}
	c.line.event(at, "Redpanda Connect", "the partner feed's relay is replaced", c.repo.pipelineName()+" has no "+encoderName+"; one commit, one deploy event")
	if err := c.advance(ctx, c.day.at(11, 2)); err != nil {
		return err
	}
	c.line.event(c.day.at(11, 2), "Iceberg topic", "the old relay's queue is empty", "from now on plain JSON goes to "+c.names[tableDead]+"; nothing is lost, nothing alerts")
	return nil
}

// noticed plays to the volume check of 12:20 and waits for the incident.
func (c *conductor) noticed(ctx context.Context) error {
	if err := c.advance(ctx, c.day.at(12, 20)); err != nil {
		return err
	}
	return c.awaitIncident(ctx, "the incident's card")
}

func (c *conductor) awaitIncident(ctx context.Context, what string) error {
	var opened card
	err := c.await(ctx, what+" in the channel, with a first diagnosis", false, func(s slackdev.Snapshot) bool {
		var ok bool
		opened, ok = incidentCard(s)
		return ok && !strings.Contains(opened.text, "First harm: not known")
	})
	if err != nil {
		return err
	}
	c.line.event(opened.posted(), "dw", "incident opened", opened.text)
	if err := c.seePaged(ctx, opened.id()); err != nil {
		return err
	}
	c.tell("The incident is in the channel #"+c.names[channelIncidents]+" of the workspace:", "  "+c.slack.URL())
	return nil
}

// tell says what a person at the screen sees or does next.
func (c *conductor) tell(lines ...string) {
	if !c.auto {
		c.line.say(lines...)
	}
}

// boxOfficeDay is the worked day from noon on.
func (c *conductor) boxOfficeDay(ctx context.Context) error {
	scenes := []func(context.Context) error{c.noticed, c.acknowledged, c.causeNamed, c.asked, c.decided}
	for _, scene := range scenes {
		if err := scene(ctx); err != nil {
			return err
		}
	}
	for _, scene := range []func(context.Context) error{c.holdPayout, c.deployEncoder, c.mergeRecovery, c.rebuilt, c.resolved, c.takeBack} {
		if err := c.lifted(ctx); err != nil || c.refused() {
			return err
		}
		if err := scene(ctx); err != nil {
			return err
		}
	}
	return nil
}

// lostRowsDay: the rows of one channel went nowhere, so dw says so and asks for
// nothing but to hold the payout that would run on what is left.
func (c *conductor) lostRowsDay(ctx context.Context) error {
	if err := c.noticed(ctx); err != nil {
		return err
	}
	if err := c.advance(ctx, c.day.at(14, 36)); err != nil {
		return err
	}
	incident, _ := incidentCard(c.slack.Snapshot())
	return errors.Join(c.seeNote(ctx, incident.id(), stageCause), c.holdAsked(ctx))
}

func (c *conductor) holdAsked(ctx context.Context) error {
	return c.awaitWhile(ctx, "the request to hold the payout", func(s slackdev.Snapshot) bool {
		asked := dwCards(s, "proposal")
		if len(asked) == 0 {
			return false
		}
		c.line.event(asked[0].posted(), "Slack", asked[0].header, asked[0].text)
		return true
	})
}

// lateDay: nothing arrives for three hours, then everything.
func (c *conductor) lateDay(ctx context.Context) error {
	c.line.event(c.day.at(11, 0), "Iceberg topic", "translation stands still", "no row arrives in "+c.names[tableEvents])
	if err := c.advance(ctx, c.day.at(13, 0)); err != nil {
		return err
	}
	if err := c.awaitIncident(ctx, "the card of the late load"); err != nil {
		return err
	}
	if err := c.advance(ctx, c.day.at(14, 0)); err != nil {
		return err
	}
	c.line.event(c.day.at(14, 0), "Iceberg topic", "translation goes on", "all rows of three hours arrive")
	if err := c.advance(ctx, c.day.at(14, 15)); err != nil {
		return err
	}
	var incident card
	err := c.await(ctx, "the incident is resolved by itself", false, func(s slackdev.Snapshot) bool {
		var ok bool
		incident, ok = incidentCard(s)
		return ok && incident.is("Resolved")
	})
	if err != nil {
		return err
	}
	c.line.event(c.clock.now(), "dw", "incident resolved", "every check passes again; nothing was proposed")
	if err := c.handedOn(ctx, incident.id()); err != nil {
		return err
	}
	return errors.Join(c.advance(ctx, c.day.at(14, 36)), c.nothingAsked(c.slack.Snapshot()))
}

func (c *conductor) nothingAsked(s slackdev.Snapshot) error {
	if asked := dwCards(s, "proposal"); len(asked) > 0 {
		return fmt.Errorf("dw proposed %q although nothing can be recovered", asked[0].header)
	}
	c.line.event(c.clock.now(), "dw", "nothing is proposed", "no cause in the catalogue with something to repair")
	return nil
}
