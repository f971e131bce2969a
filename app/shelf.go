package app

import (
	"context"
	"time"

	"dw/checks"
	"dw/store"
	"dw/workflows"
)

// memory hands checks what earlier runs knew and counted. It meets checks.Memory
// and checks.Shelf.
type memory struct {
	store *store.DB
	now   time.Time // when what is read now is read, which a re-check of the past is not
	again time.Time // from when on all is read again whatever is kept; zero: as the check says
}

var _ checks.Shelf = memory{}

// Last meets checks.Memory.
func (m memory) Last(ctx context.Context, check string) (result checks.Result, found bool, err error) {
	err = m.store.View(ctx, func(tx workflows.ReadTx) error {
		result, found, err = tx.LastAnswer(ctx, check)
		return err
	})
	return result, found, err
}

// Kept meets checks.Shelf.
func (m memory) Kept(ctx context.Context, h checks.History, from time.Time) (checks.Kept, error) {
	kept, err := m.store.History(ctx, h, from)
	kept.Now = m.now
	if !m.again.IsZero() && kept.Until.After(m.again) {
		kept.Until = m.again
	}
	return kept, err
}

// Keep meets checks.Shelf.
func (m memory) Keep(ctx context.Context, h checks.History, read []checks.KeptSpan, until time.Time) error {
	return m.store.KeepHistory(ctx, h, read, until, m.now)
}

// Answers meets checks.Shelf.
func (m memory) Answers(ctx context.Context, check string) (answers []checks.Answer, err error) {
	err = m.store.View(ctx, func(tx workflows.ReadTx) error {
		answers, err = tx.Answers(ctx, check)
		return err
	})
	return answers, err
}
