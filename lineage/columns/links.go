package columns

import (
	"iter"
	"maps"
	"strings"

	"dw/lineage"
)

func mapKeys[V any](m map[lineage.AssetID]V) iter.Seq[lineage.AssetID] { return maps.Keys(m) }

// links are the columns that each table of a model's query feeds into it. Each
// table that the query reads has at least one link: without any, dw would take
// its columns for unknown.
func (p *project) links(m lineage.Model, answer Answer) map[lineage.AssetID][]lineage.ColumnLink {
	l := linker{out: map[lineage.AssetID][]lineage.ColumnLink{}, by: string(answer.Rung), assets: map[string]lineage.AssetID{}, seen: map[linkKey]bool{}}
	for _, table := range answer.Tables {
		if id, ok := p.asset(table); ok && id != m.ID { // an incremental model reads itself
			l.assets[strings.ToLower(table)] = id
		}
	}
	for _, o := range answer.Outputs {
		for _, c := range o.From {
			l.link(c, o.Name, lineage.UseValue)
		}
	}
	for _, c := range answer.Filters {
		l.link(c, "", lineage.UseFilter)
	}
	for _, id := range l.assets {
		if len(l.out[id]) == 0 {
			l.out[id] = []lineage.ColumnLink{{Use: lineage.UseFilter, By: l.by}}
		}
	}
	return l.out
}

// asset is the asset of a table that a query names: by its whole name, or by its
// end where only one ends so.
func (p *project) asset(table string) (lineage.AssetID, bool) {
	table = strings.ToLower(plainName(table))
	if id, ok := p.byRelation[table]; ok {
		return id, true
	}
	if !strings.Contains(table, ".") {
		return "", false
	}
	var found lineage.AssetID
	for name, id := range p.byRelation {
		if strings.HasSuffix(name, "."+table) {
			if found != "" && found != id {
				return "", false
			}
			found = id
		}
	}
	return found, found != ""
}

type linkKey struct {
	id       lineage.AssetID
	from, to string
}

type linker struct {
	out    map[lineage.AssetID][]lineage.ColumnLink
	by     string
	assets map[string]lineage.AssetID // by the table's name, folded
	seen   map[linkKey]bool
}

// link states one link; of a column of which the table is not known, that any
// column of any of the tables may feed it.
func (l *linker) link(c Column, to, use string) {
	if c.Table == "" {
		for _, id := range l.assets {
			l.add(id, lineage.ColumnLink{From: lineage.AnyColumn, To: to, Use: use, By: l.by, Unsure: true})
		}
		return
	}
	if id, ok := l.assets[strings.ToLower(c.Table)]; ok {
		unsure := c.Column == lineage.AnyColumn && to != lineage.AnyColumn
		l.add(id, lineage.ColumnLink{From: c.Column, To: to, Use: use, By: l.by, Unsure: unsure})
	}
}

func (l *linker) add(id lineage.AssetID, link lineage.ColumnLink) {
	key := linkKey{id, strings.ToLower(link.From), strings.ToLower(link.To)}
	if !l.seen[key] {
		l.seen[key] = true
		l.out[id] = append(l.out[id], link)
	}
}
