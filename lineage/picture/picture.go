// Package picture draws what lies between an asset and those whom it harms: few
// boxes, the way to the first harm among them, and a count of what is left out.
package picture

import (
	"fmt"
	"slices"
	"time"

	"dw/lineage"
)

// Most is how many boxes a picture has at most: more of them nobody reads on a
// phone (lineage.md section 7).
const Most = 25

// top is how many consumers beside the first harmed are drawn: a column of twenty
// dashboards hides the one box that counts.
const top = 8

// The roles of a box.
const (
	RoleSubject = "subject"
	RoleFirst   = "first" // whom it harms first
	RolePath    = "path"  // on the way to the first harm
	RoleOther   = "other"
	RoleMore    = "more" // stands for what is left out
)

// Box is one asset of a picture, or what is left out below one.
type Box struct {
	ID    string   `json:"id"` // of the asset; "more" for what is left out
	Lines []string `json:"lines"`
	Role  string   `json:"role"`
}

// Arrow leads from one box to another.
type Arrow struct {
	From string `json:"from"` // id of a box
	To   string `json:"to"`
	Main bool   `json:"main"` // on the way to the first harm
	// Skips counts the assets between the two that the picture leaves out; 0: From
	// feeds To.
	Skips int `json:"skips,omitempty"`
}

// Picture is what is drawn. Its boxes are in the order in which they were chosen,
// the subject first.
type Picture struct {
	Title  string  `json:"title"` // the blast radius in one line
	Boxes  []Box   `json:"boxes"`
	Arrows []Arrow `json:"arrows"`
	Left   int     `json:"left"` // assets below the subject that have no box
}

// Of chooses what a picture of a blast radius shows: the subject, the way to the
// first harm, then the top of the other consumers with their ways, in the order of
// the radius, as far as they fit into most boxes. The rest is counted where it would
// hang.
func Of(b lineage.BlastRadius, most int, now time.Time) Picture {
	p := drawing{radius: b, now: now, most: max(most, 3), shown: map[lineage.AssetID]bool{}, out: Picture{Boxes: []Box{}, Arrows: []Arrow{}}}
	p.out.Title = lineage.OneLine(b, now)
	p.box(b.Subject, RoleSubject)
	if b.First != nil {
		p.way(*b.First, true)
	}
	drawn := 0
	for _, c := range b.Consumers {
		if !p.shown[c.ID] && drawn < top && p.way(c, false) {
			drawn++
		}
	}
	p.more()
	return p.out
}

type drawing struct {
	radius lineage.BlastRadius
	now    time.Time
	most   int
	shown  map[lineage.AssetID]bool
	out    Picture
}

// way draws the way to one consumer, and reports whether it fits. That to the first
// harm is shortened to fit.
func (p *drawing) way(c lineage.Consumer, first bool) bool {
	path, cut, skips := c.Path, 0, 0
	room := p.most - len(p.out.Boxes)
	if !first {
		room-- // for what is left out
	}
	if first {
		path, cut, skips = shorten(path, p.most-1)
	} else if p.missing(path) > room {
		return false
	}
	for i, id := range path {
		if !p.shown[id] {
			p.box(id, p.roleOf(id, first))
		}
		if i > 0 {
			a := Arrow{From: string(path[i-1]), To: string(id), Main: first}
			if i == cut {
				a.Skips = skips
			}
			p.arrow(a)
		}
	}
	return true
}

func (p *drawing) roleOf(id lineage.AssetID, first bool) string {
	switch {
	case first && id == p.radius.First.ID:
		return RoleFirst
	case first:
		return RolePath
	}
	return RoleOther
}

// shorten keeps both ends of a way that is longer than most: before which of its
// assets something was cut out, and how many.
func shorten(path []lineage.AssetID, most int) (_ []lineage.AssetID, cut, skips int) {
	if len(path) <= most {
		return path, 0, 0
	}
	cut = most - most/2
	return append(slices.Clone(path[:cut]), path[len(path)-most/2:]...), cut, len(path) - most
}

func (p *drawing) missing(path []lineage.AssetID) int {
	n := 0
	for _, id := range path {
		if !p.shown[id] {
			n++
		}
	}
	return n
}

func (p *drawing) arrow(a Arrow) {
	same := func(o Arrow) bool { return o.From == a.From && o.To == a.To }
	if !slices.ContainsFunc(p.out.Arrows, same) {
		p.out.Arrows = append(p.out.Arrows, a)
	}
}

// lastShown is the last box on the way to something that has none.
func (p *drawing) lastShown(path []lineage.AssetID) lineage.AssetID {
	last := p.radius.Subject
	for _, id := range path {
		if p.shown[id] {
			last = id
		}
	}
	return last
}

// more adds one box for all that is left out, with an arrow from each box below
// which something is.
func (p *drawing) more() {
	left := map[lineage.AssetID]int{}
	for _, c := range p.radius.Consumers {
		if !p.shown[c.ID] {
			left[p.lastShown(c.Path)]++
			p.out.Left++
		}
	}
	if p.out.Left == 0 {
		return
	}
	const id = "more"
	for _, b := range p.out.Boxes {
		if left[lineage.AssetID(b.ID)] > 0 {
			p.out.Arrows = append(p.out.Arrows, Arrow{From: b.ID, To: id})
		}
	}
	p.out.Boxes = append(p.out.Boxes, Box{ID: id, Lines: []string{fmt.Sprintf("+%d more", p.out.Left)}, Role: RoleMore})
}

func (p *drawing) box(id lineage.AssetID, role string) {
	p.shown[id] = true
	b := Box{ID: string(id), Role: role, Lines: []string{clean(string(id))}}
	if id == p.radius.Subject {
		b.Lines = []string{clean(p.radius.Name)}
	}
	for _, c := range p.radius.Consumers {
		if c.ID == id {
			b.Lines = consumerLines(c, p.now)
		}
	}
	p.out.Boxes = append(p.out.Boxes, b)
}

// consumerLines are what the person on call asks of a box: what it is, when it is
// harmed, who owns it.
func consumerLines(c lineage.Consumer, now time.Time) []string {
	lines := []string{clean(c.Name), clean(string(c.Kind))}
	if c.Moves != "" {
		lines[1] += ", " + clean(c.Moves)
	}
	if at, ok := c.HarmAt(); ok {
		lines = append(lines, lineage.Moment(at, now, c.Zone))
	}
	if c.Owner != "" {
		lines = append(lines, "owner "+clean(c.Owner))
	}
	if c.Paused {
		lines = append(lines, "paused")
	}
	return lines
}

// longest is how many characters a line of a box has at most.
const longest = 40

// clean makes one short line of a name that anybody may have chosen.
func clean(name string) string {
	flat := lineage.PlainName(name)
	if runes := []rune(flat); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return flat
}
