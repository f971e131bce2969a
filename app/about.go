package app

import (
	"context"
	"fmt"
	"time"

	"dw/checks"
	"dw/lineage"
	"dw/store"
	"dw/workflows"
)

// mostOpen is how many open incidents are looked through for one asset.
const mostOpen = 1000

// about says what dw itself has seen of an asset: its checks, whether it is fresh,
// open incidents.
func (p *Project) about(ctx context.Context, db viewer, id lineage.AssetID, now time.Time) ([]lineage.Line, error) {
	var results []checks.Result
	var open []workflows.Incident
	err := db.View(ctx, func(tx workflows.ReadTx) (err error) {
		if results, err = tx.LastResults(ctx); err != nil {
			return err
		}
		open, err = tx.Incidents(ctx, true, mostOpen)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read what was seen of %s: %w", id, err)
	}
	same := p.Current().Same(id)
	return workflows.AssetLines(same, p.checksOf(same), results, open, now), nil
}

// viewer reads the store.
type viewer interface {
	View(ctx context.Context, do func(workflows.ReadTx) error) error
}

func (p *Project) checksOf(same func(lineage.AssetID) bool) []string {
	var names []string
	for _, spec := range p.Specs {
		if same(spec.Asset) {
			names = append(names, spec.Name)
		}
	}
	return names
}

// About says the same for commands that answer while dw may not run. Where there is
// no database of dw yet, nothing was seen.
func (p *Project) About(ctx context.Context, id lineage.AssetID) (lines []lineage.Line, err error) {
	found, err := p.stored(ctx, func(db *store.DB) (err error) {
		lines, err = p.about(ctx, db, id, p.Now())
		return err
	})
	if err != nil || found {
		return lines, err
	}
	same := p.Current().Same(id)
	return workflows.AssetLines(same, p.checksOf(same), nil, nil, p.Now()), nil
}

func (a *App) about(ctx context.Context, id lineage.AssetID, now time.Time) ([]lineage.Line, error) {
	return a.project.about(ctx, a.store, id, now)
}
