package lineage

import (
	"cmp"
	"slices"
	"strings"
)

// IdentityConflict is a name that may be of several assets. They stay apart: an
// edge that is drawn to the wrong one would be believed.
type IdentityConflict struct {
	Name   AssetID   `json:"name"`
	May    []AssetID `json:"may_be"` // ordered
	Source string    `json:"source"` // that uses the name
}

// unifier finds which ids are of one asset.
type unifier struct {
	statements map[AssetID][]Asset
	parent     map[AssetID]AssetID
	shadows    map[AssetID]AssetID // a dbt source -> what is the same table
	conflicts  []IdentityConflict
}

// unify joins the statements of ids that are one asset under one of them, and
// returns which id stands for which. What dbt calls by two names, a source and
// the model that builds it, stays two, with an edge from one to the other.
func (b *Builder) unify() (map[AssetID]AssetID, []IdentityConflict) {
	u := unifier{statements: b.statements, parent: map[AssetID]AssetID{}, shadows: map[AssetID]AssetID{}}
	u.explicit()
	for _, bucket := range u.buckets() {
		u.exact(bucket)
		u.partial(bucket)
	}
	canon := u.canonical()
	b.rename(canon)
	b.joinShadows(u, canon)
	slices.SortFunc(u.conflicts, func(x, y IdentityConflict) int { return cmp.Compare(x.Name, y.Name) })
	return canon, u.conflicts
}

func (u *unifier) root(id AssetID) AssetID {
	for u.parent[id] != "" {
		id = u.parent[id]
	}
	return id
}

// join makes two ids one, unless both are dbt's.
func (u *unifier) join(a, b AssetID) bool {
	a, b = u.root(a), u.root(b)
	if a == b {
		return true
	}
	if isDBT(a) && isDBT(b) {
		return false
	}
	if isDBT(b) || !isDBT(a) && b < a {
		a, b = b, a // the root of a dbt asset is dbt's id
	}
	u.parent[b] = a
	return true
}

func isDBT(id AssetID) bool { return strings.HasPrefix(string(id), "dbt://") }

// explicit joins what a source says is one: an alias that is another's id.
func (u *unifier) explicit() {
	for _, id := range sortedKeys(u.statements) {
		for _, s := range u.statements[id] {
			for _, alias := range s.Aliases {
				if _, stated := u.statements[AssetID(alias)]; stated {
					u.join(id, AssetID(alias))
				}
			}
		}
	}
}

// buckets groups the names by the table's own, since only these can be the same.
func (u *unifier) buckets() map[string][]identity {
	out := map[string][]identity{}
	for _, id := range sortedKeys(u.statements) {
		seen := map[string]bool{}
		for _, s := range u.statements[id] {
			for _, i := range s.identities() {
				if key := i.key(); !seen[key] {
					seen[key] = true
					out[i.last()] = append(out[i.last()], i)
				}
			}
		}
	}
	for last, bucket := range out {
		if len(bucket) < 2 {
			delete(out, last)
			continue
		}
		slices.SortStableFunc(bucket, func(a, b identity) int {
			return cmp.Or(cmp.Compare(b.specific(), a.specific()), cmp.Compare(u.rank(a.of), u.rank(b.of)), cmp.Compare(a.of, b.of))
		})
	}
	return out
}

// rank puts what dbt builds before what it only reads.
func (u *unifier) rank(id AssetID) int {
	if s := u.statements[id]; isDBT(id) && s[0].Kind == KindSource {
		return 1
	}
	return 0
}

// exact joins names that are the same letter by letter.
func (u *unifier) exact(bucket []identity) {
	first := map[string]AssetID{}
	for _, i := range bucket {
		if other, known := first[i.key()]; !known {
			first[i.key()] = i.of
		} else if !u.join(other, i.of) {
			u.shadows[i.of] = other
		}
	}
}

// partial joins a name that leaves something out with the one asset that it can
// be of, the fullest names first.
func (u *unifier) partial(bucket []identity) {
	for _, i := range bucket {
		var may []AssetID
		for _, fuller := range bucket {
			if fuller.of != i.of && i.covers(fuller) {
				may = appendNew(may, u.root(u.primary(fuller.of)))
			}
		}
		switch own := u.root(i.of); {
		case len(may) == 1 && may[0] != own && !u.join(own, may[0]):
			u.shadows[i.of] = may[0]
		case len(may) > 1:
			slices.Sort(may)
			u.conflicts = append(u.conflicts, IdentityConflict{Name: i.of, May: may, Source: u.statements[i.of][0].From[0].Source})
		}
	}
}

// primary is what a shadow is the shadow of.
func (u *unifier) primary(id AssetID) AssetID {
	if of, is := u.shadows[u.root(id)]; is {
		return of
	}
	return id
}

// canonical returns the id that stands for each id that is not its own: dbt's,
// else the one in the configuration, else the fullest name.
func (u *unifier) canonical() map[AssetID]AssetID {
	groups := map[AssetID][]AssetID{}
	for id := range u.parent {
		root := u.root(id)
		groups[root] = append(groups[root], id)
	}
	out := map[AssetID]AssetID{}
	for root, ids := range groups {
		ids = append(ids, root)
		slices.SortFunc(ids, func(a, b AssetID) int {
			return cmp.Or(cmp.Compare(u.place(a), u.place(b)), cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
		})
		for _, id := range ids[1:] {
			out[id] = ids[0]
		}
	}
	return out
}

func (u *unifier) place(id AssetID) int {
	switch {
	case isDBT(id):
		return 0
	case slices.ContainsFunc(u.statements[id], func(a Asset) bool { return len(a.From) > 0 && a.From[0].Source == SourceConfig }):
		return 1
	case id.System() == anySystem:
		return 3
	}
	return 2
}
