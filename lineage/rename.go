package lineage

// rename moves the statements and the edges of each id to the one that stands for
// it. An edge from an asset to itself says nothing and goes.
func (b *Builder) rename(canon map[AssetID]AssetID) {
	for _, id := range sortedKeys(canon) {
		to := canon[id]
		for _, s := range b.statements[id] {
			b.statements[to] = append(b.statements[to], b.renamed(s, to))
		}
		delete(b.statements, id)
	}
	if len(canon) == 0 {
		return
	}
	kept := make([]Edge, 0, len(b.edges))
	for _, e := range b.edges {
		from, to := e.From, e.To
		if c, ok := canon[from]; ok {
			e.From = c
		}
		if c, ok := canon[to]; ok {
			e.To = c
		}
		if e.From != e.To || from == to {
			kept = append(kept, e)
		}
	}
	b.edges = kept
}

// renamed is what one source says of an asset that has another's id now. Its own
// id is another name; its kind gives way, because a table that dbt builds is a
// model. What the configuration says stands.
func (b *Builder) renamed(s Asset, to AssetID) Asset {
	s.Aliases = appendNew(s.Aliases, string(s.ID))
	s.ID = to
	if len(s.From) > 0 && s.From[0].Source == SourceConfig {
		return s
	}
	if s.Name != "" {
		s.Aliases = appendNew(s.Aliases, s.Name)
	}
	s.Kind, s.Name = "", ""
	return s
}

// joinShadows draws an edge from each table to the dbt source that is the same
// table, where dbt draws none itself: the model and the source are of two
// projects.
func (b *Builder) joinShadows(u unifier, canon map[AssetID]AssetID) {
	drawn := make(map[[2]AssetID]bool, len(b.edges))
	if len(u.shadows) > 0 {
		for _, e := range b.edges {
			drawn[[2]AssetID{e.From, e.To}] = true
		}
	}
	for _, id := range sortedKeys(u.shadows) {
		from := u.root(u.shadows[id])
		if c, ok := canon[from]; ok {
			from = c
		}
		pair := [2]AssetID{from, id}
		if from == id || drawn[pair] || drawn[[2]AssetID{id, from}] || u.rank(id) == 0 {
			continue
		}
		b.edges = append(b.edges, Edge{From: from, To: id, Seen: b.statements[id][0].From[0]})
	}
}
