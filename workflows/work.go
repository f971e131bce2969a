package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// work is one transaction's unit of work: each row is read once, changed in
// memory by transitions, and written once by flush, with everything the
// transitions asked for.
type work struct {
	tx        Tx
	now       time.Time
	incidents rows[Incident]
	proposals rows[Proposal]
	out       Outcome
	stop      Stop    // as read when the transaction began
	inForce   InForce // likewise, with what this transaction changes
	governed  bool    // it changes inForce
	quiet     bool    // what changed is not on any card
	counted   bool    // what changed of the incident is how often a check failed

	delegations []Delegation // that hold, as read for what is proposed
}

// rows keeps rows by id, and which of them changed in what order.
type rows[T any] struct {
	held    map[string]T
	changed []string
}

func (r *rows[T]) hold(id string, v T) {
	if r.held == nil {
		r.held = map[string]T{}
	}
	r.held[id] = v
}

func (r *rows[T]) change(id string, v T) {
	r.hold(id, v)
	if !slices.Contains(r.changed, id) {
		r.changed = append(r.changed, id)
	}
}

func (w *work) incident(ctx context.Context, id string) (Incident, error) {
	if i, held := w.incidents.held[id]; held {
		return i, nil
	}
	i, err := w.tx.Incident(ctx, id)
	if err != nil {
		return Incident{}, fmt.Errorf("read incident %s: %w", id, err)
	}
	w.incidents.hold(id, i)
	return i, nil
}

func (w *work) proposal(ctx context.Context, id string) (Proposal, error) {
	if p, held := w.proposals.held[id]; held {
		return p, nil
	}
	p, err := w.tx.Proposal(ctx, id)
	if err != nil {
		return Proposal{}, fmt.Errorf("read proposal %s: %w", id, err)
	}
	w.proposals.hold(id, p)
	return p, nil
}

// proposalsOf returns the incident's proposals as they are in this transaction.
func (w *work) proposalsOf(ctx context.Context, incident string) ([]Proposal, error) {
	stored, err := w.tx.ProposalsOf(ctx, incident)
	if err != nil {
		return nil, fmt.Errorf("read proposals of incident %s: %w", incident, err)
	}
	for n, p := range stored {
		if held, ok := w.proposals.held[p.ID]; ok {
			stored[n] = held
		} else {
			w.proposals.hold(p.ID, p)
		}
	}
	for _, id := range w.proposals.changed {
		p := w.proposals.held[id]
		known := slices.ContainsFunc(stored, func(q Proposal) bool { return q.ID == id })
		if p.Incident == incident && !known {
			stored = append(stored, p)
		}
	}
	return stored, nil
}

func (w *work) setIncident(i Incident, out Outcome) {
	w.incidents.change(i.ID, i)
	w.out.merge(out)
}

func (w *work) setProposal(p Proposal, out Outcome) {
	w.proposals.change(p.ID, p)
	for n := range out.Notes {
		if out.Notes[n].Incident == "" {
			out.Notes[n].Proposal = p.ID
		}
	}
	w.out.merge(out)
}

// flush writes everything. A changed incident or proposal gets its card
// repainted; the card's key carries the revision.
func (w *work) flush(ctx context.Context) error {
	if err := w.writeNotes(ctx); err != nil {
		return err
	}
	for _, id := range w.proposals.changed {
		p, err := w.tx.PutProposal(ctx, w.proposals.held[id])
		if err != nil {
			return fmt.Errorf("write proposal %s: %w", id, err)
		}
		w.out.effect(EffectApprovalCard, fmt.Sprintf("%s/%d", id, p.Rev), ProposalRef{Proposal: id, Rev: p.Rev})
	}
	for _, id := range w.incidents.changed {
		i, err := w.tx.PutIncident(ctx, w.incidents.held[id])
		if err != nil {
			return fmt.Errorf("write incident %s: %w", id, err)
		}
		if w.quiet {
			continue
		}
		w.paint(i)
	}
	return w.writeOutcome(ctx)
}

// countEvery is the least time between two repaints of a card on which nothing
// moved but how often a check failed: a storm of alerts is no storm of messages.
const countEvery = 10 * time.Second

// paint queues the card of a changed incident.
func (w *work) paint(i Incident) {
	ref := IncidentRef{Incident: i.ID, Rev: i.Rev}
	if !w.counted || len(w.out.Notes) > 0 || len(w.out.Receipts) > 0 {
		w.out.effect(EffectIncidentCard, fmt.Sprintf("%s/%d", i.ID, i.Rev), ref)
		return
	}
	next := w.now.UTC().Truncate(countEvery).Add(countEvery)
	w.out.effect(EffectIncidentCard, fmt.Sprintf("%s/counted/%d", i.ID, next.Unix()), ref)
	w.out.Effects[len(w.out.Effects)-1].NotBefore = next
}

// writeNotes adds the notes to their incidents' histories and queues them for
// the threads.
func (w *work) writeNotes(ctx context.Context) error {
	for n, note := range w.out.Notes {
		if note.Incident == "" {
			w.out.effect(EffectThreadNote, fmt.Sprintf("%s/%d/%d", note.Proposal, w.proposals.held[note.Proposal].Rev+1, n), note)
			continue
		}
		i, err := w.incident(ctx, note.Incident)
		if err != nil {
			return err
		}
		i = i.clone()
		i.Notes = append(i.Notes, Note{At: w.now.UTC(), Who: "dw", Text: note.Text})
		w.incidents.change(i.ID, i)
		w.out.effect(EffectThreadNote, fmt.Sprintf("%s/%d/%d", i.ID, i.Rev+1, n), note)
	}
	return nil
}

func (w *work) writeOutcome(ctx context.Context) error {
	if err := w.writeInForce(ctx); err != nil {
		return err
	}
	for _, d := range w.out.Deadlines {
		if err := w.moveDeadline(ctx, d); err != nil {
			return fmt.Errorf("move deadline %s of %s: %w", d.Kind, d.Subject, err)
		}
	}
	for _, d := range w.out.Receipts {
		if _, err := w.tx.AppendReceipt(ctx, d); err != nil {
			return fmt.Errorf("append receipt %s: %w", d.Kind, err)
		}
	}
	for _, e := range w.out.Effects {
		if err := w.tx.Enqueue(ctx, e); err != nil {
			return fmt.Errorf("queue effect %s: %w", e.Key, err)
		}
	}
	return nil
}

func (w *work) moveDeadline(ctx context.Context, d DeadlineChange) error {
	switch {
	case !d.Drop:
		d.DueAt = d.DueAt.UTC().Round(0)
		return w.tx.SetDeadline(ctx, d.Deadline)
	case d.Kind == "":
		return w.tx.DropDeadlines(ctx, d.Subject)
	}
	stored, found, err := w.tx.Deadline(ctx, d.Kind, d.Subject)
	if err != nil || !found {
		return err
	}
	_, err = w.tx.TakeDeadline(ctx, stored)
	return err
}

// writeAttempts bounds how often a transaction that lost a race is tried.
const writeAttempts = 5

// write runs do in one transaction and writes what it changed. do may run more
// than once and must not keep anything between runs.
func (s *Service) write(ctx context.Context, do func(*work) error) error {
	var err error
	for range writeAttempts {
		var after InForce
		runs := 0
		err = s.store.Update(ctx, func(tx Tx) error {
			runs++
			stop, err := tx.Stop(ctx)
			if err != nil {
				return fmt.Errorf("read the stop: %w", err)
			}
			inForce, err := tx.InForce(ctx)
			if err != nil {
				return fmt.Errorf("read the policy in force: %w", err)
			}
			s.learn(inForce)
			w := &work{tx: tx, now: s.now(), stop: stop, inForce: inForce}
			if err := do(w); err != nil {
				return err
			}
			if err := s.queueErrands(ctx, w); err != nil {
				return err
			}
			err = w.flush(ctx)
			after = w.inForce
			return err
		})
		if err != nil || runs > 1 {
			s.relearn(ctx)
		}
		if err == nil {
			s.learn(after)
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return err
}
