package handlers

import (
	"context"
	"fmt"

	"dw/blocks"
	"dw/workflows"
)

// stop is what cards show; one that cannot be read counts as on.
func (d *Deliverer) stop(ctx context.Context) workflows.Stop {
	stop, err := d.Loader.Stopped(ctx)
	if err != nil {
		d.Logger.ErrorContext(ctx, "a card is painted as stopped", "error", err)
	}
	return stop
}

// paintChange updates the card of a policy change, or posts it in its domain's
// channel where there is none, and returns where it stands.
func (d *Deliverer) paintChange(ctx context.Context, id string) (workflows.MessageRef, error) {
	defer d.lock("proposal/" + id)()
	p, err := d.Loader.Proposal(ctx, id)
	if err != nil {
		return workflows.MessageRef{}, fmt.Errorf("load proposal %s: %w", id, err)
	}
	message := toBot(blocks.ChangeCard(p, blocks.View{Now: d.Now(), Zone: d.Zone, Stop: d.stop(ctx)}))
	if p.Message.TS != "" {
		return p.Message, d.Poster.Update(ctx, p.Message.Channel, p.Message.TS, message)
	}
	policy, _ := d.Policy(p.Domain)
	at, err := d.postOnce(ctx, policy.Channel, "", "proposal/"+id, p.CreatedAt, message, true)
	if err != nil {
		return workflows.MessageRef{}, fmt.Errorf("post the card of proposal %s: %w", id, err)
	}
	return at, d.Placer.PlaceCard(ctx, id, at)
}

// rootOf is the card in whose thread a note goes.
func (d *Deliverer) rootOf(ctx context.Context, n workflows.ThreadNote) (workflows.MessageRef, error) {
	if n.Incident != "" {
		return d.root(ctx, n.Incident)
	}
	p, err := d.Loader.Proposal(ctx, n.Proposal)
	if err != nil {
		return workflows.MessageRef{}, fmt.Errorf("load proposal %s: %w", n.Proposal, err)
	}
	if p.Message.TS != "" {
		return p.Message, nil
	}
	return d.paintChange(ctx, n.Proposal)
}

func (d *Deliverer) notice(ctx context.Context, key string, n workflows.Notice) error {
	_, err := d.postOnce(ctx, n.Channel, "", key, n.Since, toBot(blocks.Note(n.Text, nil)), true)
	return err
}
