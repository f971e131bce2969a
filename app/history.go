package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"dw/store"
	"dw/workflows"
)

// mostPast is how many past incidents a history lists.
const mostPast = 10

// incidentPrefix begins the id of an incident.
const incidentPrefix = "INC-"

func (a *App) history(ctx context.Context, name string) (workflows.History, error) {
	return a.project.history(ctx, a.store, name)
}

// History answers for a command while dw may not run: the past of an incident, or
// of the asset that a name means. An unknown asset is a *lineage.UnknownAssetError
// with near names. Where there is no database of dw yet, there is no past.
func (p *Project) History(ctx context.Context, name string) (past workflows.History, err error) {
	found, err := p.stored(ctx, func(db *store.DB) (err error) {
		past, err = p.history(ctx, db, name)
		return err
	})
	if err != nil || found {
		return past, err
	}
	asset, err := p.Current().Resolve(name)
	return workflows.History{Of: asset.Name}, err
}

func (p *Project) history(ctx context.Context, db viewer, name string) (workflows.History, error) {
	related := (&investigator{project: p}).Related
	if strings.HasPrefix(strings.ToUpper(name), incidentPrefix) {
		var i workflows.Incident
		err := db.View(ctx, func(tx workflows.ReadTx) (err error) {
			i, err = tx.Incident(ctx, strings.ToUpper(name))
			return err
		})
		if errors.Is(err, workflows.ErrNotFound) {
			return workflows.History{}, fmt.Errorf("there is no incident %q", name)
		}
		if err != nil {
			return workflows.History{}, fmt.Errorf("read incident %s: %w", name, err)
		}
		return workflows.HistoryOf(ctx, db, i.ID, workflows.LikenessOf(i), related, mostPast)
	}
	asset, err := p.Current().Resolve(name)
	if err != nil {
		return workflows.History{}, err
	}
	return workflows.HistoryOf(ctx, db, asset.Name, workflows.Likeness{Asset: asset.ID}, related, mostPast)
}
