package app

import (
	"context"
	"fmt"
	"time"

	"dw/config"
	"dw/connectors/postgres"
	"dw/lineage"
)

// catalogueEvery is how often the catalogues are read where nothing else is set.
const catalogueEvery = 6 * time.Hour

// keepCatalogues reads the catalogues of the warehouses into the graph, at the start
// and then now and again. One that cannot be read is an error in the log; what it
// stated before stays, and ages.
func (a *App) keepCatalogues(ctx context.Context) error {
	list := a.project.Config.Lineage.Catalogues
	if len(list) == 0 {
		<-ctx.Done()
		return nil
	}
	ticks := time.NewTicker(a.project.Config.Lineage.CatalogueEvery.Or(catalogueEvery))
	defer ticks.Stop()
	for {
		for _, c := range list {
			if err := a.readCatalogue(ctx, c); err != nil && ctx.Err() == nil {
				a.log.ErrorContext(ctx, "a warehouse's catalogue could not be read; what it stated before stays", "connection", c.Connection, "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
}

func (a *App) readCatalogue(ctx context.Context, c config.Catalogue) error {
	stated, err := a.project.catalogue(ctx, c)
	if err != nil {
		return err
	}
	return graphLog{a}.RecordLineage(ctx, stated)
}

// catalogue reads one catalogue; no table is read.
func (p *Project) catalogue(ctx context.Context, c config.Catalogue) (lineage.Statements, error) {
	db, err := p.database(c.Connection)
	if err != nil {
		return lineage.Statements{}, err
	}
	warehouse, ok := db.(*postgres.DB)
	if !ok {
		return lineage.Statements{}, fmt.Errorf("connection %s is no PostgreSQL, whose catalogue alone dw reads", c.Connection)
	}
	stated, err := warehouse.Statements(ctx, "catalogue of "+c.Connection, p.Now(), c.Schemas...)
	for i := range stated.Assets {
		stated.Assets[i].Domain = c.Domain
	}
	return stated, err
}
