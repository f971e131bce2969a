package workflows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Incident returns an incident with its proposals in the order in which they
// were made. It fails with ErrNotFound for an unknown id.
func (s *Service) Incident(ctx context.Context, id string) (Incident, []Proposal, error) {
	var i Incident
	var ps []Proposal
	err := s.store.View(ctx, func(tx ReadTx) error {
		var err error
		if i, err = tx.Incident(ctx, id); err != nil {
			return err
		}
		ps, err = tx.ProposalsOf(ctx, id)
		return err
	})
	if err != nil {
		return Incident{}, nil, fmt.Errorf("read incident %s: %w", id, err)
	}
	slices.SortStableFunc(ps, func(a, b Proposal) int {
		return cmp.Compare(slices.Index(i.Proposals, a.ID), slices.Index(i.Proposals, b.ID))
	})
	return i, ps, nil
}

// Incidents lists incidents, newest first, at most limit.
func (s *Service) Incidents(ctx context.Context, openOnly bool, limit int) ([]Incident, error) {
	var is []Incident
	err := s.store.View(ctx, func(tx ReadTx) error {
		var err error
		is, err = tx.Incidents(ctx, openOnly, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list incidents: %w", err)
	}
	return is, nil
}

// Waiting lists the proposals that wait for a decision, oldest first.
func (s *Service) Waiting(ctx context.Context) ([]Proposal, error) {
	var ps []Proposal
	err := s.store.View(ctx, func(tx ReadTx) error {
		var err error
		ps, err = tx.ProposalsIn(ctx, Waiting)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list waiting proposals: %w", err)
	}
	return ps, nil
}

// Proposal returns one proposal. It fails with ErrNotFound for an unknown id.
func (s *Service) Proposal(ctx context.Context, id string) (Proposal, error) {
	return s.proposalNow(ctx, id)
}

// PlaceCard records where the card of an incident or proposal stands, which
// decides where clicks are accepted from. A later place replaces an earlier one.
func (s *Service) PlaceCard(ctx context.Context, id string, at MessageRef) error {
	err := s.write(ctx, func(w *work) error {
		p, err := w.proposal(ctx, id)
		if err == nil {
			return w.placeProposal(ctx, p, at)
		}
		if !errors.Is(err, ErrNotFound) {
			return err
		}
		i, err := w.incident(ctx, id)
		if err != nil {
			return err
		}
		return w.placeIncident(i, at)
	})
	if err != nil {
		return fmt.Errorf("place card of %s: %w", id, err)
	}
	return nil
}

// placeProposal writes past flush: where a card stands is no reason to paint it.
func (w *work) placeProposal(ctx context.Context, p Proposal, at MessageRef) error {
	if p.Message == at {
		return nil
	}
	p.Message = at
	_, err := w.tx.PutProposal(ctx, p)
	return err
}

// placeIncident paints no card either; pages and tickets that wait for a link to
// it go out.
func (w *work) placeIncident(i Incident, at MessageRef) error {
	if i.Card == at {
		return nil
	}
	i.Card, w.quiet = at, true
	w.setIncident(i, Outcome{})
	return nil
}

// Repaint queues the cards of every open incident and of every proposal that
// waits or is carried out, once per process: a crash between a commit and its
// delivery then heals at start.
func (s *Service) Repaint(ctx context.Context) error {
	err := s.write(ctx, func(w *work) error { return w.repaint(ctx, s.started) })
	if err != nil {
		return fmt.Errorf("repaint cards: %w", err)
	}
	return nil
}

// repaint queues every live card once for each key.
func (w *work) repaint(ctx context.Context, key string) error {
	open, err := w.tx.Incidents(ctx, true, manyIncidents)
	if err != nil {
		return fmt.Errorf("list open incidents: %w", err)
	}
	for _, i := range open {
		w.out.effect(EffectIncidentCard, key+"/"+i.ID, IncidentRef{Incident: i.ID, Rev: i.Rev})
	}
	live, err := w.tx.ProposalsIn(ctx, Waiting, Approved, Executing, Halted)
	if err != nil {
		return fmt.Errorf("list live proposals: %w", err)
	}
	for _, p := range live {
		w.out.effect(EffectApprovalCard, key+"/"+p.ID, ProposalRef{Proposal: p.ID, Rev: p.Rev})
	}
	return nil
}
