package tableau

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"dw/lineage"
)

// Source is the name of this source in every statement.
const Source = "Tableau"

// Options say how to read an answer.
type Options struct {
	Site   string    // the first part of the ids of dashboards; required
	SeenAt time.Time // when the answer was given
}

// Load reads one answer: an asset for each dashboard, or for a workbook that has
// none, an edge from each table that it reads, and columns of the edge as far as the
// answer states them. An error says what is wrong; nothing is returned with it.
func Load(r io.Reader, opts Options) (lineage.Statements, error) {
	workbooks, err := readAnswer(r)
	if err != nil {
		return lineage.Statements{}, fmt.Errorf("read Tableau metadata: %w", err)
	}
	l := loader{opts: opts, from: lineage.Provenance{Source: Source, SeenAt: opts.SeenAt, How: lineage.HowDeclared}}
	for n, w := range workbooks {
		if w.LUID == "" || w.Name == "" {
			return lineage.Statements{}, fmt.Errorf("read Tableau metadata: workbook %d has no luid or no name", n+1)
		}
		l.workbook(w)
	}
	return l.out.Folded(), nil
}

type loader struct {
	opts Options
	from lineage.Provenance
	out  lineage.Statements
}

func (l *loader) workbook(w workbook) {
	if len(w.Dashboards) == 0 {
		l.dashboard(w, dashboard{LUID: w.LUID, Name: w.Name})
	}
	for _, d := range w.Dashboards {
		// A hidden dashboard has no luid of its own.
		d.LUID = cmp.Or(d.LUID, w.LUID+"/"+d.Name)
		d.Name = cmp.Or(d.Name, d.LUID)
		l.dashboard(w, d)
	}
}

func (l *loader) dashboard(w workbook, d dashboard) {
	id := lineage.AssetID("tableau://" + l.opts.Site + "/" + d.LUID)
	a := lineage.Asset{
		ID: id, Kind: lineage.KindDashboard, Name: d.Name, Aliases: []string{w.Name + "/" + d.Name}, From: []lineage.Provenance{l.from},
		Properties: map[string]string{"tableau.workbook": w.Name},
	}
	for key, value := range map[string]string{"tableau.project": w.Project, "tableau.uri": w.URI} {
		if value != "" {
			a.Properties[key] = value
		}
	}
	if w.Owner != nil && cmp.Or(w.Owner.Email, w.Owner.Name) != "" {
		a.Owners = []lineage.Fact{{Value: cmp.Or(w.Owner.Email, w.Owner.Name), From: l.from}}
	}
	l.out.Assets = append(l.out.Assets, a)
	tables := d.Tables
	if tables == nil {
		tables = w.Tables // of the whole workbook: rather too many than too few
	}
	for _, t := range tables {
		l.reads(id, t, d)
	}
}

// reads states that a dashboard reads a table. A table without a name is hidden from
// who asked.
func (l *loader) reads(id lineage.AssetID, t table, d dashboard) {
	if t.Name == "" {
		return
	}
	of := t.asset(l.from)
	columns := d.columnsOf(t.LUID)
	for _, c := range columns {
		if !slices.Contains(of.Columns, c.From) {
			of.Columns = append(of.Columns, c.From)
		}
	}
	l.out.Assets = append(l.out.Assets, of)
	l.out.Edges = append(l.out.Edges, lineage.Edge{From: of.ID, To: id, Seen: l.from, Columns: columns})
}

// columnsOf are the links from a table's columns to the dashboard's fields; none
// where the answer does not say which table a column is of.
func (d dashboard) columnsOf(luid string) []lineage.ColumnLink {
	var out []lineage.ColumnLink
	for _, sheet := range d.Sheets {
		for _, f := range sheet.Fields {
			for _, c := range f.Columns {
				if c.Table == nil || c.Table.LUID == "" || c.Name == "" {
					return nil // which table's it is is not known: no columns, so that the worst is assumed
				}
				link := lineage.ColumnLink{From: c.Name, To: f.Name, Use: lineage.UseValue}
				if c.Table.LUID == luid && !slices.Contains(out, link) {
					out = append(out, link)
				}
			}
		}
	}
	return out
}

// asset is a table under the name that its database has for it; the server is not
// in the answer.
func (t table) asset(from lineage.Provenance) lineage.Asset {
	kind, database := "table", ""
	if t.Database != nil {
		kind, database = cmp.Or(lineage.SystemOf(t.Database.ConnectionType), kind), t.Database.Name
	}
	return lineage.Asset{ID: lineage.TableID(kind, database, t.Schema, t.Name), Kind: lineage.KindTable, Name: t.Name, From: []lineage.Provenance{from}}
}
