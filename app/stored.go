package app

import (
	"context"
	"errors"
	"os"

	"dw/store"
)

// stored reads dw's database for a command that answers while dw may not run. It
// reports false, and reads nothing, where there is no database of dw yet.
func (p *Project) stored(ctx context.Context, read func(*store.DB) error) (found bool, err error) {
	db, err := store.OpenReadOnly(ctx, p.Config.Store.DSN.Reveal())
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, store.ErrNotDW) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, errors.Join(read(db), db.Close())
}
