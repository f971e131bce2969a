package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"dw/blocks"
	"dw/bot"
	"dw/workflows"
)

// Poster sends and finds dw's own messages.
type Poster interface {
	Post(ctx context.Context, channel string, m bot.Message, o bot.PostOptions) (string, error)
	Update(ctx context.Context, channel, ts string, m bot.Message) error
	FindByKey(ctx context.Context, channel, key, threadTS string, since time.Time) (string, bool, error)
}

// Loader reads what is painted.
type Loader interface {
	Incident(ctx context.Context, id string) (workflows.Incident, []workflows.Proposal, error)
	Proposal(ctx context.Context, id string) (workflows.Proposal, error)
	// Stopped answers with a stop that is on where it cannot be read.
	Stopped(ctx context.Context) (workflows.Stop, error)
}

// Deliverer paints cards and posts notes. It reads the current state, so that a
// late or repeated delivery paints the truth, and it looks for its own message
// before it posts one, so that a crash between the post and its record does not
// post twice.
type Deliverer struct {
	Poster Poster
	OpenDM func(ctx context.Context, user string) (string, error)
	Placer workflows.Placer
	Loader Loader
	Policy func(domain string) (workflows.Policy, bool)
	Zone   *time.Location
	Now    func() time.Time
	Logger *slog.Logger

	mu    sync.Mutex
	locks map[string]*sync.Mutex
	told  map[string]bool // keys of refusals that their owner knows of

	painted map[workflows.MessageRef]painting // what this process painted last
	owed    map[string][]line                 // by thread, in order
}

// Deliver carries out one of the Slack effects.
func (d *Deliverer) Deliver(ctx context.Context, e workflows.Effect) error {
	switch e.Kind {
	case workflows.EffectIncidentCard:
		return decoded(e, func(ref workflows.IncidentRef) error { return d.incidentCard(ctx, ref.Incident) })
	case workflows.EffectApprovalCard:
		return decoded(e, func(ref workflows.ProposalRef) error { return d.approvalCard(ctx, ref.Proposal) })
	case workflows.EffectThreadNote:
		return decoded(e, func(n workflows.ThreadNote) error { return d.note(ctx, e.Key, n) })
	case workflows.EffectNotice:
		return decoded(e, func(n workflows.Notice) error { return d.notice(ctx, e.Key, n) })
	case workflows.EffectDirect:
		return decoded(e, func(n workflows.DirectNote) error { return d.direct(ctx, e.Key, n) })
	default:
		return fmt.Errorf("effect %s is not Slack's", e.Kind)
	}
}

func decoded[T any](e workflows.Effect, do func(T) error) error {
	var payload T
	if err := json.Unmarshal(e.Payload, &payload); err != nil {
		return fmt.Errorf("read the payload of effect %s: %w", e.Key, err)
	}
	return do(payload)
}

// lock serialises the painting of one message inside this process.
func (d *Deliverer) lock(key string) func() {
	d.mu.Lock()
	if d.locks == nil {
		d.locks = map[string]*sync.Mutex{}
	}
	l, ok := d.locks[key]
	if !ok {
		l = new(sync.Mutex)
		d.locks[key] = l
	}
	d.mu.Unlock()
	l.Lock()
	return l.Unlock
}

func (d *Deliverer) incidentCard(ctx context.Context, id string) error {
	defer d.lock("incident/" + id)()
	_, err := d.paintIncident(ctx, id)
	return err
}

// paintIncident updates the incident's card, or posts it where there is none,
// and returns where it stands.
func (d *Deliverer) paintIncident(ctx context.Context, id string) (workflows.MessageRef, error) {
	read := func(ctx context.Context) (sketch, error) { return d.sketchIncident(ctx, id) }
	return d.put(ctx, read, func(ctx context.Context, s sketch) (workflows.MessageRef, bool, error) {
		incident, _, err := d.Loader.Incident(ctx, id)
		if err != nil {
			return workflows.MessageRef{}, false, fmt.Errorf("load incident %s: %w", id, err)
		}
		policy, _ := d.Policy(incident.Domain)
		at, found, err := d.findOrPost(ctx, policy.Channel, "", "incident/"+id, incident.OpenedAt, s.message, true)
		if err != nil {
			err = d.refusedChannel(ctx, policy, id, incident.OpenedAt, err)
			return at, false, fmt.Errorf("post the card of incident %s: %w", id, err)
		}
		return at, found, nil
	})
}

// root returns where the incident's card stands, posting it if need be: cards
// and notes go into its thread.
func (d *Deliverer) root(ctx context.Context, id string) (workflows.MessageRef, error) {
	defer d.lock("incident/" + id)()
	incident, _, err := d.Loader.Incident(ctx, id)
	if err != nil {
		return workflows.MessageRef{}, fmt.Errorf("load incident %s: %w", id, err)
	}
	if incident.Card.TS != "" {
		return incident.Card, nil
	}
	return d.paintIncident(ctx, id)
}

// approvalCard paints a proposal's card. New cards of one incident are posted in
// the order in which the proposals were made, whichever effect comes first.
func (d *Deliverer) approvalCard(ctx context.Context, id string) error {
	proposal, err := d.Loader.Proposal(ctx, id)
	if err != nil {
		return fmt.Errorf("load proposal %s: %w", id, err)
	}
	if proposal.Incident == "" {
		_, err := d.paintChange(ctx, id)
		return err
	}
	defer d.lock("proposals/" + proposal.Incident)()
	root, err := d.root(ctx, proposal.Incident)
	if err != nil {
		return err
	}
	_, all, err := d.Loader.Incident(ctx, proposal.Incident)
	if err != nil {
		return fmt.Errorf("load incident %s: %w", proposal.Incident, err)
	}
	for _, p := range all {
		if p.ID != id && p.Message.TS != "" {
			continue
		}
		err := d.paintProposal(ctx, p, root)
		if p.ID == id {
			return err // another's failure is reported by its own effect
		}
	}
	return nil
}

func (d *Deliverer) paintProposal(ctx context.Context, p workflows.Proposal, root workflows.MessageRef) error {
	read := func(ctx context.Context) (sketch, error) { return d.sketchProposal(ctx, p.Incident, p.ID) }
	_, err := d.put(ctx, read, func(ctx context.Context, s sketch) (workflows.MessageRef, bool, error) {
		at, found, err := d.findOrPost(ctx, root.Channel, root.TS, "proposal/"+p.ID, p.CreatedAt, s.message, true)
		if err != nil {
			return at, false, fmt.Errorf("post the card of proposal %s: %w", p.ID, err)
		}
		return at, found, nil
	})
	return err
}

func (d *Deliverer) direct(ctx context.Context, key string, n workflows.DirectNote) error {
	channel, err := d.OpenDM(ctx, n.To.User)
	if err != nil {
		return fmt.Errorf("open a direct message with %s: %w", n.To.User, err)
	}
	_, err = d.postOnce(ctx, channel, "", key, d.Now().Add(-24*time.Hour), toBot(blocks.Note(n.Text, nil)), true)
	return err
}

// postOnce looks for the message by its key before it posts: an earlier attempt
// may have posted it and died before that was recorded. Without the scope to
// look it posts, and says so in the log.
func (d *Deliverer) postOnce(ctx context.Context, channel, thread, key string, since time.Time, m bot.Message, urgent bool) (workflows.MessageRef, error) {
	at, _, err := d.findOrPost(ctx, channel, thread, key, since, m, urgent)
	return at, err
}

// findOrPost is postOnce and says whether the message was there already.
func (d *Deliverer) findOrPost(ctx context.Context, channel, thread, key string, since time.Time, m bot.Message, urgent bool) (at workflows.MessageRef, found bool, err error) {
	ts, found, err := d.Poster.FindByKey(ctx, channel, key, thread, since)
	if noHistory, ok := errors.AsType[*bot.NoHistoryError](err); ok {
		d.Logger.Warn("cannot look for an earlier copy before posting", "key", key, "error", noHistory)
	} else if err != nil {
		return workflows.MessageRef{}, false, fmt.Errorf("look for message %s: %w", key, err)
	}
	if found {
		return workflows.MessageRef{Channel: channel, TS: ts}, true, nil
	}
	ts, err = d.Poster.Post(ctx, channel, m, bot.PostOptions{ThreadTS: thread, Key: key, Urgent: urgent})
	return workflows.MessageRef{Channel: channel, TS: ts}, false, err
}

// TellOwner sends a direct message to a domain's owner, for troubles that a
// channel cannot carry. Where Slack refuses that too, the log says so.
func (d *Deliverer) TellOwner(ctx context.Context, policy workflows.Policy, problem string) {
	who := responsible(policy)
	channel, err := d.OpenDM(ctx, who.User)
	if err == nil {
		_, err = d.Poster.Post(ctx, channel, toBot(blocks.Private(problem)), bot.PostOptions{})
	}
	if err != nil {
		d.Logger.Error("the owner could not be told", "actor", who.User, "problem", problem, "error", err)
	}
}
