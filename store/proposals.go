package store

import (
	"context"
	"database/sql"
	"fmt"

	"dw/workflows"
)

// Proposal returns the proposal with this id, or ErrNotFound.
func (r *reader) Proposal(ctx context.Context, id string) (workflows.Proposal, error) {
	p, found, err := firstDoc[workflows.Proposal](ctx, r, "proposal_get", id)
	if err != nil {
		return p, fmt.Errorf("load proposal %s: %w", id, err)
	}
	if !found {
		return p, fmt.Errorf("proposal %q: %w", id, workflows.ErrNotFound)
	}
	return p, nil
}

// ProposalsOf lists an incident's proposals, oldest first.
func (r *reader) ProposalsOf(ctx context.Context, incident string) ([]workflows.Proposal, error) {
	list, err := listDocs[workflows.Proposal](ctx, r, "proposal_list_of", incident)
	if err != nil {
		return nil, fmt.Errorf("list proposals of incident %s: %w", incident, err)
	}
	return list, nil
}

// ProposalsIn lists the proposals in any of the states, oldest first; none
// where no state is given.
func (r *reader) ProposalsIn(ctx context.Context, states ...workflows.ProposalState) ([]workflows.Proposal, error) {
	if len(states) == 0 {
		return []workflows.Proposal{}, nil
	}
	wanted, err := encodeDoc(states)
	if err != nil {
		return nil, fmt.Errorf("list proposals: %w", err)
	}
	list, err := listDocs[workflows.Proposal](ctx, r, "proposal_list_in", wanted)
	if err != nil {
		return nil, fmt.Errorf("list proposals in %v: %w", states, err)
	}
	return list, nil
}

// PutProposal stores p if its Rev is the stored one (0: there is none) and
// returns it with the next Rev; otherwise it answers ErrConflict. The
// proposal's incident, if it has one, must be there when the transaction commits.
func (t *writer) PutProposal(ctx context.Context, p workflows.Proposal) (workflows.Proposal, error) {
	before := p.Rev
	p.Rev++
	doc, err := encodeDoc(p)
	if err != nil {
		return workflows.Proposal{}, fmt.Errorf("store proposal %s: %w", p.ID, t.fail(err))
	}
	incident := sql.NullString{String: p.Incident, Valid: p.Incident != ""}
	columns := []any{incident, string(p.State), toMicros(p.CreatedAt), p.Rev, doc}
	if err := t.swap(ctx, "proposal", p.ID, before, columns); err != nil {
		return workflows.Proposal{}, fmt.Errorf("store proposal %s: %w", p.ID, err)
	}
	return p, nil
}
