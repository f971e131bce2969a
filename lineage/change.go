package lineage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ChangeKind is what is done to an asset or to one of its columns.
type ChangeKind string

// The kinds of change. Without a column a drop or a rename is the asset's.
const (
	ChangeDrop   ChangeKind = "drop"
	ChangeRename ChangeKind = "rename"
	ChangeType   ChangeKind = "type"   // of a column
	ChangeValues ChangeKind = "values" // what stands in a column, or in the asset
)

// Change is something that is about to be done to an asset.
type Change struct {
	Asset  AssetID    `json:"asset"`
	Column string     `json:"column,omitempty"` // empty: the asset itself
	Kind   ChangeKind `json:"kind"`
}

// The outcomes of a change for what lies below.
const (
	OutcomeBreaks     = "breaks"     // reads the column or the table by its name
	OutcomeChanges    = "changes"    // goes on, with other values
	OutcomeUnaffected = "unaffected" // does not read the column
)

// Impact is the outcome of a change for one asset.
type Impact struct {
	Asset   AssetID  `json:"asset"`
	Name    string   `json:"name"`
	Kind    Kind     `json:"kind"`
	Owner   string   `json:"owner"`
	Outcome string   `json:"outcome"`
	Columns []string `json:"columns,omitempty"` // of its own that carry the change on
	// Sure is false where no source says which columns are read: then the worst is
	// assumed.
	Sure  bool   `json:"sure"`
	Why   string `json:"why"`
	Depth int    `json:"depth"`
}

// ChangeImpact is the answer to what a change does, nearest first; Impacts holds
// everything below the asset, also what is unaffected.
type ChangeImpact struct {
	Change  Change         `json:"change"`
	Impacts []Impact       `json:"impacts"`
	Counts  map[string]int `json:"counts"` // by outcome
	Unsure  int            `json:"unsure"` // impacts of which the columns are not known
}

// taint is how much of an asset carries a change.
type taint struct {
	columns []string // folded
	all     bool     // every row may differ, or which columns is not known
	sure    bool
	told    bool // of a job: its outputs say themselves what they read
	outcome string
	why     string
}

// ChangeImpact says what a change does to all that lies below the asset. An edge
// with columns is followed only where one of them carries the change; one without
// is followed, and the answer says that it is not sure. An id that the graph does
// not hold is an *UnknownAssetError, a column that no source states an error that
// lists those that are.
func (g *Graph) ChangeImpact(c Change) (ChangeImpact, error) {
	start, err := g.node(c.Asset)
	if err != nil {
		return ChangeImpact{}, err
	}
	c.Asset = g.assets[start].ID
	if err := g.checkChange(start, c); err != nil {
		return ChangeImpact{}, err
	}
	taints := map[int32]taint{start: startTaint(c)}
	way := g.walk(start, g.down, 0)
	// Until nothing changes any more: a path that is longer may carry more columns.
	for changed := true; changed; {
		changed = false
		for _, n := range append([]int32{start}, way.order...) {
			if t, tainted := taints[n]; tainted && g.passTaint(start, n, t, c, taints) {
				changed = true
			}
		}
	}
	return g.impacts(c, way, taints), nil
}

func (g *Graph) checkChange(n int32, c Change) error {
	switch c.Kind {
	case ChangeDrop, ChangeRename, ChangeValues:
	case ChangeType:
		if c.Column == "" {
			return errors.New("a change of type needs a column")
		}
	default:
		return fmt.Errorf("%q is no kind of change: drop, rename, type or values", c.Kind)
	}
	a := g.assets[n]
	has := func(column string) bool { return fold(column) == fold(c.Column) }
	if c.Column == "" || slices.ContainsFunc(a.Columns, has) || g.linked(n, c.Column) {
		return nil
	}
	if len(a.Columns) == 0 {
		return fmt.Errorf("no source states the columns of %s: give dw a catalog, or ask about the whole asset", a.ID)
	}
	return fmt.Errorf("%s has no column %q; it has %s", a.ID, c.Column, shownColumns(a.Columns))
}

func shownColumns(columns []string) string {
	const most = 20
	if len(columns) > most {
		return strings.Join(columns[:most], ", ") + fmt.Sprintf(" and %d more", len(columns)-most)
	}
	return strings.Join(columns, ", ")
}

// linked says that an edge reads the column.
func (g *Graph) linked(n int32, column string) bool {
	for _, edge := range g.down.neighbours(n) {
		if slices.ContainsFunc(g.edges[edge].Columns, func(l ColumnLink) bool { return fold(l.From) == fold(column) }) {
			return true
		}
	}
	return false
}

func startTaint(c Change) taint {
	if c.Column == "" {
		return taint{all: true, sure: true}
	}
	return taint{columns: []string{fold(c.Column)}, sure: true}
}

// passTaint carries what a node has to its neighbours, and reports whether any of
// them has more than before.
func (g *Graph) passTaint(start, n int32, t taint, c Change, taints map[int32]taint) bool {
	changed := false
	for next, edge := range g.down.neighbours(n) {
		if next == start {
			continue
		}
		got, reached := g.carry(n, next, g.edges[edge], t)
		if !reached {
			continue
		}
		got.outcome = OutcomeChanges
		if n == start && (c.Kind == ChangeDrop || c.Kind == ChangeRename) {
			got.outcome = OutcomeBreaks
		}
		if merged, more := mergeTaint(taints[next], got); more {
			taints[next] = merged
			changed = true
		}
	}
	return changed
}

// carry says what an edge carries on of a taint.
func (g *Graph) carry(from, to int32, e Edge, t taint) (taint, bool) {
	if len(e.Columns) == 0 {
		return g.carryUnknown(from, to, t)
	}
	out := taint{sure: true}
	reached := false
	for _, l := range e.Columns {
		if t.all {
			reached = true
			out.add(l, fold(l.To))
			continue
		}
		for _, column := range t.columns {
			if to, ok := l.carries(column); ok {
				reached = true
				out.add(l, to)
			}
		}
	}
	out.sure = out.sure && t.sure
	if out.why == "" && reached {
		out.why = "its " + strings.Join(firstOf(out.columns, 5), ", ") + " come from it"
	}
	return out, reached
}

// add puts in what one link carries. All of it is sure only where each link is.
func (t *taint) add(l ColumnLink, to string) {
	t.sure = t.sure && !l.Unsure
	switch {
	case to == AnyColumn:
		t.all, t.why = true, "takes all of its columns over"
	case to != "":
		t.columns = appendNew(t.columns, to)
	case l.From == "":
		t.all, t.why = true, "counts its rows"
	case l.Unsure:
		t.all, t.why = true, "may filter or join by it"
	default:
		t.all, t.why = true, "reads "+l.From
	}
}

// carryUnknown carries on over an edge whose columns no source states. A job is
// passed over where each of what it writes says itself which columns it reads.
func (g *Graph) carryUnknown(from, to int32, t taint) (taint, bool) {
	if !t.all && t.told {
		return taint{}, false
	}
	if !t.all && g.told(from, to) {
		return g.carryTold(from, to, t)
	}
	out := taint{all: true, sure: t.sure && t.all, why: "reads it; which columns is not known"}
	if t.all {
		out.why = "reads it"
	}
	return out, true
}

// carryTold is what a job reads, by what its outputs say that they read.
func (g *Graph) carryTold(from, job int32, t taint) (taint, bool) {
	for next, edge := range g.down.neighbours(from) {
		if len(g.edges[edge].Columns) == 0 || !g.feeds(job, next) {
			continue
		}
		if _, reached := g.carry(from, next, g.edges[edge], t); reached {
			return taint{sure: t.sure, told: true, why: "writes " + g.assets[next].Name + ", which reads it"}, true
		}
	}
	return taint{}, false
}

func (g *Graph) feeds(from, to int32) bool {
	for next := range g.down.neighbours(from) {
		if next == to {
			return true
		}
	}
	return false
}

// told reports that edges with columns lead from an asset past the job that reads
// it to everything that the job writes.
func (g *Graph) told(from, to int32) bool {
	if !g.process(to) {
		return false
	}
	outputs := 0
	for output := range g.down.neighbours(to) {
		outputs++
		if !g.withColumns(from, output) {
			return false
		}
	}
	return outputs > 0
}

func (g *Graph) process(n int32) bool {
	kind := g.assets[n].Kind
	return kind == KindJob || kind == KindPipeline
}

func (g *Graph) withColumns(from, to int32) bool {
	for next, edge := range g.down.neighbours(from) {
		if next == to && len(g.edges[edge].Columns) > 0 {
			return true
		}
	}
	return false
}

// mergeTaint adds what came by another way. The worse outcome stands, and what is
// sure by one way is sure.
func mergeTaint(old, got taint) (taint, bool) {
	if old.outcome == "" {
		return got, true
	}
	merged := old
	merged.columns = appendNew(old.columns, got.columns...)
	merged.all = old.all || got.all
	merged.sure = old.sure || got.sure
	merged.told = old.told && got.told
	if old.outcome != OutcomeBreaks && got.outcome == OutcomeBreaks {
		merged.outcome, merged.why = got.outcome, got.why
	}
	more := len(merged.columns) > len(old.columns) || merged.all != old.all || merged.sure != old.sure || merged.told != old.told || merged.outcome != old.outcome
	return merged, more
}

func firstOf(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	return append(slices.Clone(list[:most]), fmt.Sprintf("%d more", len(list)-most))
}

// impacts writes the outcome of each asset below.
func (g *Graph) impacts(c Change, way walked, taints map[int32]taint) ChangeImpact {
	out := ChangeImpact{Change: c, Impacts: []Impact{}, Counts: map[string]int{}}
	for _, n := range way.order {
		a := g.assets[n]
		i := Impact{
			Asset: a.ID, Name: a.Name, Kind: a.Kind, Owner: a.FirstOwner(), Depth: int(way.depth[n]),
			Outcome: OutcomeUnaffected, Sure: true, Why: "does not read " + c.Column,
		}
		if t, tainted := taints[n]; tainted {
			i.Outcome, i.Sure, i.Why = t.outcome, t.sure, t.why
			if !t.all {
				i.Columns = slices.Sorted(slices.Values(t.columns))
			}
		}
		out.Counts[i.Outcome]++
		if !i.Sure {
			out.Unsure++
		}
		out.Impacts = append(out.Impacts, i)
	}
	return out
}
