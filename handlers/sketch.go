package handlers

import (
	"context"
	"encoding/json"
	"fmt"

	"dw/blocks"
	"dw/bot"
	"dw/workflows"
)

// sketch is a card as it should be, read at one moment.
type sketch struct {
	id      string // of the incident or the proposal
	at      workflows.MessageRef
	from    revisions
	message bot.Message
}

// maxOvertaken bounds how often one delivery paints a card that goes on changing;
// each change has an effect of its own.
const maxOvertaken = 3

// put brings a card to Slack: it updates the message that stands, or posts one and
// records where. Then it reads again and paints what changed meanwhile: a process
// that read earlier may come to Slack later, and a message that is found instead
// of posted shows what its poster knew.
func (d *Deliverer) put(ctx context.Context, read func(context.Context) (sketch, error), post func(context.Context, sketch) (workflows.MessageRef, bool, error)) (workflows.MessageRef, error) {
	s, err := read(ctx)
	if err != nil {
		return workflows.MessageRef{}, err
	}
	if s.at.TS != "" {
		if err := d.repaint(ctx, s.at, s.from, s.message); err != nil {
			return s.at, err
		}
		return s.at, d.overtaken(ctx, s, read)
	}
	at, found, err := post(ctx, s)
	if err != nil {
		return workflows.MessageRef{}, err
	}
	if err := d.Placer.PlaceCard(ctx, s.id, at); err != nil {
		return at, err
	}
	if found {
		s.from, s.message = "", bot.Message{}
	}
	return at, d.overtaken(ctx, s, read)
}

// overtaken paints s again where the state has moved on since it was read. The
// caller holds the card's lock.
func (d *Deliverer) overtaken(ctx context.Context, s sketch, read func(context.Context) (sketch, error)) error {
	for range maxOvertaken {
		next, err := read(ctx)
		if err != nil {
			return err
		}
		same, err := sameMessage(s.message, next.message)
		if err != nil || same || next.from == s.from || next.at.TS == "" {
			return err
		}
		if err := d.repaint(ctx, next.at, next.from, next.message); err != nil {
			return err
		}
		s = next
	}
	return nil
}

func sameMessage(a, b bot.Message) (bool, error) {
	one, err := json.Marshal(a)
	if err != nil {
		return false, fmt.Errorf("compare two cards: %w", err)
	}
	other, err := json.Marshal(b)
	if err != nil {
		return false, fmt.Errorf("compare two cards: %w", err)
	}
	return string(one) == string(other), nil
}

// sketchIncident reads an incident's card.
func (d *Deliverer) sketchIncident(ctx context.Context, id string) (sketch, error) {
	incident, proposals, err := d.Loader.Incident(ctx, id)
	if err != nil {
		return sketch{}, fmt.Errorf("load incident %s: %w", id, err)
	}
	policy, _ := d.Policy(incident.Domain)
	view := blocks.View{Now: d.Now(), Zone: d.Zone, Stop: d.stop(ctx), Owner: responsible(policy), Unresolved: policy.Unresolved, Held: heldOf(policy), CanPage: policy.CanPage(incident), CanTicket: policy.CanTicket(incident)}
	return sketch{
		id: id, at: incident.Card, from: revisionsOf(view.Stop, incident, proposals...),
		message: toBot(blocks.IncidentCard(incident, proposals, view)),
	}, nil
}

// sketchProposal reads the card of an incident's proposal.
func (d *Deliverer) sketchProposal(ctx context.Context, incident, id string) (sketch, error) {
	i, all, err := d.Loader.Incident(ctx, incident)
	if err != nil {
		return sketch{}, fmt.Errorf("load incident %s: %w", incident, err)
	}
	for _, p := range all {
		if p.ID == id {
			view := blocks.View{Now: d.Now(), Zone: d.Zone, Stop: d.stop(ctx), Unresolved: p.Unresolved}
			return sketch{id: id, at: p.Message, from: revisionsOf(view.Stop, i, p), message: toBot(blocks.ApprovalCard(i, p, view))}, nil
		}
	}
	return sketch{}, fmt.Errorf("proposal %s of incident %s: %w", id, incident, workflows.ErrNotFound)
}
