package lookml

import (
	"maps"
	"slices"
	"strings"

	"dw/lineage"
)

// writer collects what a project states.
type writer struct {
	*project
	from  lineage.Provenance
	out   lineage.Statements
	known map[string]view // views, read
}

// statements states the views, then the explores, then the dashboards.
func (p *project) statements() lineage.Statements {
	w := writer{project: p, known: map[string]view{}}
	w.from = lineage.Provenance{Source: Source, SeenAt: p.opts.SeenAt.UTC(), How: lineage.HowDeclared}
	if p.opts.SeenAt.IsZero() {
		w.from.SeenAt = p.opts.SeenAt
	}
	for _, name := range slices.Sorted(maps.Keys(p.views)) {
		w.known[name] = p.view(name)
	}
	for _, name := range slices.Sorted(maps.Keys(p.views)) {
		w.view(w.known[name])
	}
	for _, name := range slices.Sorted(maps.Keys(p.explores)) {
		w.explore(name)
	}
	for _, d := range p.dashboards {
		w.dashboard(d)
	}
	return w.out.Folded()
}

func (w *writer) id(parts ...string) lineage.AssetID {
	return lineage.AssetID("looker://" + w.opts.Project + "/" + strings.Join(parts, "/"))
}

func (w *writer) asset(a lineage.Asset) lineage.AssetID {
	a.From = []lineage.Provenance{w.from}
	w.out.Assets = append(w.out.Assets, a)
	return a.ID
}

func (w *writer) edge(from, to lineage.AssetID, links []lineage.ColumnLink) {
	if from == to {
		return
	}
	e := lineage.Edge{From: from, To: to, Seen: w.from, Columns: links}
	if len(links) > 0 {
		e.Use = lineage.UseValue
	}
	w.out.Edges = append(w.out.Edges, e)
}

// undescribed states what is named and not defined.
func (w *writer) undescribed(id lineage.AssetID, kind lineage.Kind, name string) lineage.AssetID {
	return w.asset(lineage.Asset{ID: id, Kind: kind, Name: name, Properties: map[string]string{"lookml.described": "no, only named"}})
}

func (w *writer) view(v view) {
	n := w.views[v.name]
	a := lineage.Asset{
		ID: w.id("views", v.name), Kind: lineage.KindView, Name: v.name, Description: n.text("description"),
		Properties: map[string]string{"lookml.file": w.where["view "+v.name]},
	}
	if label := n.text("label"); label != "" {
		a.Aliases = append(a.Aliases, label)
	}
	for _, f := range v.fields {
		a.Columns = append(a.Columns, f.name)
	}
	w.asset(a)
	if v.bare {
		return
	}
	for _, table := range v.tables {
		var links []lineage.ColumnLink
		if len(v.tables) == 1 && w.isPlain(v.name) {
			links = fieldLinks(v)
		}
		w.edge(w.table(table), a.ID, links)
	}
	for _, other := range v.views {
		w.edge(w.viewID(other), a.ID, nil)
	}
	for _, name := range v.explores {
		w.edge(w.exploreID("", name), a.ID, nil)
	}
}

// isPlain says that a view's columns are those of its table: it is not derived.
func (w *writer) isPlain(name string) bool {
	_, derived := w.inherited(w.views, w.views[name], 0).one("derived_table")
	return !derived
}

// fieldLinks says which columns of its table the fields of a view read.
func fieldLinks(v view) []lineage.ColumnLink {
	var out []lineage.ColumnLink
	for _, f := range v.fields {
		for _, column := range f.columns {
			out = append(out, lineage.ColumnLink{From: column, To: f.name, Use: lineage.UseValue})
		}
	}
	return out
}

// table states a table by its name, and returns its id.
func (w *writer) table(name string) lineage.AssetID {
	parts := strings.Split(name, ".")
	if len(parts) == 1 && w.opts.Schema != "" {
		parts = append([]string{w.opts.Schema}, parts...)
	}
	if len(parts) == 2 && w.opts.Database != "" {
		parts = append([]string{w.opts.Database}, parts...)
	}
	full := strings.Join(parts, ".")
	id := "table://" + full
	switch {
	case strings.Contains(w.opts.System, "://"):
		id = strings.TrimRight(w.opts.System, "/") + "/" + full
	case w.opts.System != "":
		id = w.opts.System + "://" + full
	}
	a := lineage.Asset{ID: lineage.AssetID(id), Kind: lineage.KindTable, Name: parts[len(parts)-1]}
	if full != a.Name {
		a.Aliases = []string{full}
	}
	return w.asset(a)
}

func (w *writer) viewID(name string) lineage.AssetID {
	id := w.id("views", name)
	if _, defined := w.views[name]; !defined {
		w.undescribed(id, lineage.KindView, name)
	}
	return id
}

// exploreID finds an explore of a model. A tile may leave the model out.
func (w *writer) exploreID(model, name string) lineage.AssetID {
	if _, defined := w.explores[name]; defined {
		return w.id(w.modelName(name), name)
	}
	if model == "" {
		model = "explores"
	}
	return w.undescribed(w.id(model, name), lineage.KindExplore, name)
}

func (w *writer) modelName(explore string) string {
	if model := w.modelOf(w.where["explore "+explore]); model != "" {
		return model
	}
	return "explores"
}

func (w *writer) explore(name string) {
	n := w.inherited(w.explores, w.explores[name], 0)
	a := lineage.Asset{
		ID: w.id(w.modelName(name), name), Kind: lineage.KindExplore, Name: name, Description: n.text("description"),
		Properties: map[string]string{"lookml.file": w.where["explore "+name]},
	}
	if label := n.text("label"); label != "" {
		a.Aliases = append(a.Aliases, label)
	}
	base, alias := name, name
	if from := n.text("from"); from != "" {
		base = from
	} else if view := n.text("view_name"); view != "" {
		base, alias = view, view
	}
	joined := map[string]string{alias: base}
	for _, join := range n.all("join") {
		joined[join.name] = join.name
		if from := join.text("from"); from != "" {
			joined[join.name] = from
		}
	}
	w.asset(a)
	for _, alias := range slices.Sorted(maps.Keys(joined)) {
		var links []lineage.ColumnLink
		for _, f := range w.known[joined[alias]].fields {
			links = append(links, lineage.ColumnLink{From: f.name, To: alias + "." + f.name, Use: lineage.UseValue})
		}
		w.edge(w.viewID(joined[alias]), a.ID, links)
	}
}

func (w *writer) dashboard(d dashboard) {
	a := lineage.Asset{ID: w.id("dashboards", d.Name), Kind: lineage.KindDashboard, Name: d.Name, Description: d.Description}
	if d.Title != "" && d.Title != d.Name {
		a.Aliases = []string{d.Title}
	}
	w.asset(a)
	if d.Extension == "required" {
		return
	}
	asks := w.asksOf(d, 0)
	for _, key := range asks.explores() {
		var links []lineage.ColumnLink
		fields := slices.Clone(asks[key])
		slices.Sort(fields)
		for _, f := range slices.Compact(fields) {
			links = append(links, lineage.ColumnLink{From: w.fieldName(f), Use: lineage.UseValue})
		}
		w.edge(w.exploreID(key.model, key.explore), a.ID, links)
	}
}

// fieldName turns a timeframe of a dimension group into the group.
func (w *writer) fieldName(asked string) string {
	alias, name, found := strings.Cut(asked, ".")
	if !found {
		return asked
	}
	for _, f := range w.known[alias].fields {
		if f.name == name {
			return asked
		}
	}
	for _, f := range w.known[alias].fields {
		if f.group && strings.HasPrefix(name, f.name+"_") {
			return alias + "." + f.name
		}
	}
	return asked
}
