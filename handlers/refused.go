package handlers

import (
	"context"
	"errors"
	"slices"
	"time"

	"dw/blocks"
	"dw/bot"
	"dw/workflows"
)

// channelCodes are Slack's refusals that only people can mend, in the channel or
// in the configuration.
func channelCodes() []string {
	return []string{
		"channel_not_found", "not_in_channel", "is_archived", "restricted_action", "restricted_action_read_only_channel",
		"restricted_action_thread_only_channel", "no_permission",
	}
}

// refusedChannel tells the domain's owner once by direct message that an
// incident cannot be shown in its channel. cause is returned as it is: the
// effect stays queued and is delivered when the channel is mended.
func (d *Deliverer) refusedChannel(ctx context.Context, policy workflows.Policy, incident string, since time.Time, cause error) error {
	refused, ok := errors.AsType[*bot.RefusedError](cause)
	if !ok || !slices.Contains(channelCodes(), refused.Code) {
		return cause
	}
	who := responsible(policy)
	key := "refused/" + incident + "/" + policy.Channel
	defer d.lock(key)()
	if d.toldOf(key) {
		return cause
	}
	text := "Incident " + incident + " cannot be shown in channel " + policy.Channel + ": " + refused.What + ". To mend it, " + refused.Do +
		". dw keeps trying and posts it then; /dw incident " + incident + " shows it now."
	channel, err := d.OpenDM(ctx, who.User)
	if err == nil {
		_, err = d.postOnce(ctx, channel, "", key, since, toBot(blocks.Private(text)), true)
	}
	if err != nil {
		d.Logger.Error("the owner could not be told", "actor", who.User, "incident", incident, "error", err)
		return cause
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.told[key] = true
	return cause
}

// responsible is the first of a domain's people whom Slack knows.
func responsible(policy workflows.Policy) workflows.Person {
	for _, who := range append([]workflows.Person{policy.Owner, policy.Deputy}, policy.Escalation...) {
		if who.User != "" {
			return who
		}
	}
	return workflows.Person{}
}

func (d *Deliverer) toldOf(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.told == nil {
		d.told = map[string]bool{}
	}
	return d.told[key]
}
