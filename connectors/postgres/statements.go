package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"dw/lineage"
)

// Statements reads what the catalogue says of the tables and views of schemas, all
// with none named, as statements about assets of the context graph, and the edges
// from what a view reads to it. source names the catalogue in each statement, now
// is when it was read. The ids leave out the server, which the same database has
// under many names; package lineage joins them with fuller ones.
func (db *DB) Statements(ctx context.Context, source string, now time.Time, schemas ...string) (lineage.Statements, error) {
	tables, err := db.Tables(ctx, schemas...)
	if err != nil {
		return lineage.Statements{}, err
	}
	from := lineage.Provenance{Source: source, SeenAt: now.UTC(), How: lineage.HowDeclared}
	out := lineage.Statements{}
	listed := map[string]lineage.AssetID{}
	for _, t := range tables {
		a := t.asset(db.database, from)
		listed[t.Schema+"."+t.Name] = a.ID
		out.Assets = append(out.Assets, a)
	}
	for _, t := range tables {
		for _, read := range t.Sources {
			if of, ok := listed[read]; ok { // what is read in other schemas is not stated here
				out.Edges = append(out.Edges, lineage.Edge{From: of, To: listed[t.Schema+"."+t.Name], Seen: from})
			}
		}
	}
	return out, nil
}

func (t Table) asset(database string, from lineage.Provenance) lineage.Asset {
	a := lineage.Asset{
		ID: lineage.TableID("postgres", database, t.Schema, t.Name), Kind: lineage.KindTable, Name: t.Name,
		Aliases: []string{t.Schema + "." + t.Name}, Description: t.Comment, From: []lineage.Provenance{from},
		Properties: map[string]string{"postgres.kind": t.Kind},
	}
	if t.Kind == "view" || t.Kind == "materialized view" {
		a.Kind = lineage.KindView
	}
	if t.Owner != "" {
		a.Properties["postgres.role"] = t.Owner // a role is no person to ask
	}
	if t.Rows != nil {
		a.Properties["postgres.rows"] = "about " + strconv.FormatInt(*t.Rows, 10) + analysed(t.Analyzed)
	}
	for _, c := range t.Columns {
		a.Columns = append(a.Columns, c.Name)
	}
	return a
}

func analysed(at time.Time) string {
	if at.IsZero() {
		return ", analysed at a time not known"
	}
	return fmt.Sprintf(", analysed %s", at.UTC().Format("2006-01-02 15:04 UTC"))
}
