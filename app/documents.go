package app

import (
	"context"
	"encoding/json"
	"fmt"

	"dw/workflows"
)

// IncidentDocuments lists every incident as the JSON that the database holds,
// newest first.
func (l *Log) IncidentDocuments(ctx context.Context) (docs []json.RawMessage, err error) {
	err = l.store.View(ctx, func(tx workflows.ReadTx) error {
		incidents, err := tx.Incidents(ctx, false, 0)
		if err != nil {
			return err
		}
		docs, err = documents(incidents)
		return err
	})
	return docs, err
}

// ProposalDocuments lists an incident's proposals as JSON, oldest first.
func (l *Log) ProposalDocuments(ctx context.Context, incident string) (docs []json.RawMessage, err error) {
	err = l.store.View(ctx, func(tx workflows.ReadTx) error {
		proposals, err := tx.ProposalsOf(ctx, incident)
		if err != nil {
			return err
		}
		docs, err = documents(proposals)
		return err
	})
	return docs, err
}

// ProposalDocument returns one proposal as JSON, or workflows.ErrNotFound.
func (l *Log) ProposalDocument(ctx context.Context, id string) (doc json.RawMessage, err error) {
	err = l.store.View(ctx, func(tx workflows.ReadTx) error {
		p, err := tx.Proposal(ctx, id)
		if err != nil {
			return err
		}
		doc, err = json.Marshal(p)
		return err
	})
	return doc, err
}

func documents[T any](values []T) ([]json.RawMessage, error) {
	docs := make([]json.RawMessage, len(values))
	for n, v := range values {
		doc, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("encode %T: %w", v, err)
		}
		docs[n] = doc
	}
	return docs, nil
}
