package workflows

import (
	"cmp"
	"slices"
	"time"

	"dw/receipts"
)

// Tally is a number of the record with its source: the receipts that were
// counted, one each, and when the newest of them was written.
type Tally struct {
	Count  int       `json:"count"`
	First  int64     `json:"first_seq,omitempty"` // of the receipts counted
	Last   int64     `json:"last_seq,omitempty"`
	Newest time.Time `json:"newest,omitzero"`
}

// Spread is how long something took, over all receipts counted.
type Spread struct {
	Tally

	Median time.Duration `json:"median_ns,omitempty"`
	Worst  time.Duration `json:"worst_ns,omitempty"`
}

// ClassRecord is the record of one playbook (CAUSE/KEY) in a domain.
type ClassRecord struct {
	Class      string `json:"class"`
	Proposed   Tally  `json:"proposed"`
	Approved   Tally  `json:"approved_unchanged"` // a decision names the hash it saw, so every approval is of the proposal as it was made
	Rejected   Tally  `json:"rejected"`
	Expired    Tally  `json:"expired"`
	Verified   Tally  `json:"verified"`
	Failed     Tally  `json:"failed"`
	RolledBack Tally  `json:"rolled_back"` // undone without having been verified
	ByItself   Tally  `json:"by_itself"`   // begun by dw without a person, at L3; never among the approved
	ToFix      Spread `json:"to_approved_fix"`

	// What dw would have proposed at L1, and what came of those incidents.
	WouldPropose  Tally  `json:"would_have_proposed"`
	WouldResolved Tally  `json:"of_those_resolved"`
	ToResolved    Spread `json:"to_resolved"`
}

// Record is what dw has done and would have done in one domain, counted from its
// own receipts.
type Record struct {
	Domain  string        `json:"domain"`
	At      time.Time     `json:"at"`
	Head    int64         `json:"head_seq"` // the newest receipt of the log that was read
	Classes []ClassRecord `json:"classes"`
}

// Class returns the record of one playbook; its zero value where there is none.
func (r Record) Class(name string) ClassRecord {
	for _, c := range r.Classes {
		if c.Class == name {
			return c
		}
	}
	return ClassRecord{Class: name}
}

// mark is one receipt.
type mark struct {
	seq int64
	at  time.Time
}

func (t *Tally) add(m mark) {
	if m.seq == 0 {
		return
	}
	if t.Count == 0 || m.seq < t.First {
		t.First = m.seq
	}
	t.Count, t.Last = t.Count+1, max(t.Last, m.seq)
	if m.at.After(t.Newest) {
		t.Newest = m.at
	}
}

// spread counts how long it took from each first to each second mark.
func spread(from, to []mark) Spread {
	var s Spread
	var took []time.Duration
	for n := range from {
		if from[n].seq == 0 || to[n].seq == 0 {
			continue
		}
		s.add(to[n])
		took = append(took, to[n].at.Sub(from[n].at))
	}
	if len(took) == 0 {
		return s
	}
	slices.Sort(took)
	s.Median, s.Worst = took[len(took)/2], took[len(took)-1]
	if len(took)%2 == 0 {
		s.Median = (took[len(took)/2-1] + took[len(took)/2]) / 2
	}
	return s
}

// proposalFacts are the receipts about one proposal.
type proposalFacts struct {
	class, incident                                                  string
	made, approved, rejected, expired, verified, failed, undo, acted mark
}

// incidentFacts are the receipts about one incident.
type incidentFacts struct {
	opened, resolved mark
	would            map[string]mark // by class
}

// recorder folds receipts, in their order, into the record of a domain.
type recorder struct {
	domain    string
	proposals map[string]*proposalFacts
	incidents map[string]*incidentFacts
}

func newRecorder(domain string) *recorder {
	return &recorder{domain: domain, proposals: map[string]*proposalFacts{}, incidents: map[string]*incidentFacts{}}
}

// record adds up what was folded.
func (r *recorder) record(head int64, now time.Time) Record {
	classes := map[string]*ClassRecord{}
	class := func(name string) *ClassRecord {
		if classes[name] == nil {
			classes[name] = &ClassRecord{Class: name}
		}
		return classes[name]
	}
	fixes := map[string][2][]mark{}
	for _, p := range r.proposals {
		c := class(p.class)
		c.count(p)
		if i := r.incidents[p.incident]; i != nil {
			f := fixes[p.class]
			fixes[p.class] = [2][]mark{append(f[0], i.opened), append(f[1], p.approved)}
		}
	}
	ends := map[string][2][]mark{}
	for _, i := range r.incidents {
		for name, would := range i.would {
			c := class(name)
			c.WouldPropose.add(would)
			c.WouldResolved.add(i.resolved)
			e := ends[name]
			ends[name] = [2][]mark{append(e[0], i.opened), append(e[1], i.resolved)}
		}
	}
	out := Record{Domain: r.domain, At: now.UTC().Round(0), Head: head, Classes: []ClassRecord{}}
	for name, c := range classes {
		c.ToFix, c.ToResolved = spread(fixes[name][0], fixes[name][1]), spread(ends[name][0], ends[name][1])
		out.Classes = append(out.Classes, *c)
	}
	slices.SortFunc(out.Classes, func(a, b ClassRecord) int { return cmp.Compare(a.Class, b.Class) })
	return out
}

func (c *ClassRecord) count(p *proposalFacts) {
	c.Proposed.add(p.made)
	c.Approved.add(p.approved)
	c.Rejected.add(p.rejected)
	c.ByItself.add(p.acted)
	c.Expired.add(p.expired)
	c.Verified.add(p.verified)
	c.Failed.add(p.failed)
	if p.verified.seq == 0 {
		c.RolledBack.add(p.undo)
	}
}

// document writes the record for the hash of a promotion.
func (r Record) document() receipts.Object {
	classes := make([]receipts.Value, 0, len(r.Classes))
	for _, c := range r.Classes {
		o := receipts.Object{
			"class": clean(c.Class), "proposed": c.Proposed.document(), "approved_unchanged": c.Approved.document(),
			"rejected": c.Rejected.document(), "expired": c.Expired.document(),
			"verified": c.Verified.document(), "failed": c.Failed.document(), "rolled_back": c.RolledBack.document(),
			"would_have_proposed": c.WouldPropose.document(), "of_those_resolved": c.WouldResolved.document(),
			"to_approved_fix": c.ToFix.document(), "to_resolved": c.ToResolved.document(),
		}
		if c.ByItself.Count > 0 { // promotions that were asked before dw acted by itself keep their hash
			o["by_itself"] = c.ByItself.document()
		}
		classes = append(classes, o)
	}
	return receipts.Object{"domain": r.Domain, "at": timeOr(r.At), "head": r.Head, "classes": classes}
}

func (t Tally) document() receipts.Object {
	return receipts.Object{"count": t.Count, "first": t.First, "last": t.Last, "newest": timeOr(t.Newest)}
}

func (s Spread) document() receipts.Object {
	o := s.Tally.document()
	o["median"], o["worst"] = s.Median.String(), s.Worst.String()
	return o
}
