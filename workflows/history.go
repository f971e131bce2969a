package workflows

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dw/diagnosis"
	"dw/lineage"
)

// manyPast bounds how many of the newest incidents a history is looked for in.
const manyPast = 1000

// What a past incident may have in common.
const (
	sameCause   = "cause"
	sameAsset   = "asset"
	sameSegment = "segment"
	nearAsset   = "a neighbour in lineage"
)

// Likeness is what past incidents are compared with: those of an asset, or those
// like an incident.
type Likeness struct {
	Asset   lineage.AssetID
	Cause   string            // identifier of a cause; empty compares none
	Segment map[string]string // empty compares none
	Except  string            // the incident itself
	Before  time.Time         // only incidents that were opened before; zero: all
}

// LikenessOf is what incidents like i have in common with it.
func LikenessOf(i Incident) Likeness {
	l := Likeness{Asset: i.Subject, Except: i.ID, Before: i.OpenedAt}
	if cause, ok := topCause(i); ok {
		l.Cause, l.Segment = cause.ID, cause.Segment
	}
	return l
}

// Past is an incident that was before, with what it has in common and what ended
// it. Times are UTC.
type Past struct {
	ID       string            `json:"incident"`
	Subject  lineage.AssetID   `json:"subject"`
	OpenedAt time.Time         `json:"opened_at"`
	Onset    time.Time         `json:"onset,omitzero"`
	State    IncidentState     `json:"state"`
	Took     time.Duration     `json:"took_ns,omitempty"` // from the onset, or else from when it was opened, until it was resolved
	Cause    string            `json:"cause,omitempty"`
	Title    string            `json:"title,omitempty"` // of the cause
	Segment  map[string]string `json:"segment,omitempty"`
	Same     []string          `json:"same"`     // "cause", "asset", "segment", "a neighbour in lineage"
	FixedBy  []string          `json:"fixed_by"` // titles of the requests that were carried out and verified
}

// History is the past of an asset or of an incident: the most alike first, of
// equals the newest.
type History struct {
	Of    string `json:"of"`
	Past  []Past `json:"past"`
	Again int    `json:"same_cause"` // how many of all have the same cause on the same asset
	All   int    `json:"all"`        // how many are alike, listed or not
}

func topCause(i Incident) (diagnosis.Cause, bool) {
	if i.Diagnosis == nil {
		return diagnosis.Cause{}, false
	}
	return i.Diagnosis.Top()
}

// Alike ranks incidents by what they have in common with l; related says whether
// lineage ties two assets. Incidents that joined another are left out.
func Alike(all []Incident, l Likeness, related func(a, b lineage.AssetID) bool) []Past {
	type ranked struct {
		Past
		rank int
	}
	var found []ranked
	for _, i := range all {
		if i.ID == l.Except || i.MergedInto != "" || !l.Before.IsZero() && !i.OpenedAt.Before(l.Before) {
			continue
		}
		p, rank := pastOf(i, l, related)
		if rank > 0 {
			found = append(found, ranked{p, rank})
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), b.OpenedAt.Compare(a.OpenedAt), strings.Compare(a.ID, b.ID))
	})
	out := make([]Past, len(found))
	for n, f := range found {
		out[n] = f.Past
	}
	return out
}

// pastOf says what an incident has in common, and ranks it: the same cause on the
// same asset before either alone. A segment counts only beside one of them, since
// the same value in tables that have nothing in common says nothing.
func pastOf(i Incident, l Likeness, related func(a, b lineage.AssetID) bool) (Past, int) {
	p := Past{ID: i.ID, Subject: i.Subject, OpenedAt: i.OpenedAt.UTC(), Onset: i.Onset.UTC(), State: i.State}
	if i.Onset.IsZero() {
		p.Onset = time.Time{}
	}
	if i.State == Resolved {
		p.Took = i.ResolvedAt.Sub(orAt(i.Onset, i.OpenedAt))
	}
	cause, named := topCause(i)
	if named {
		p.Cause, p.Title, p.Segment = cause.ID, cause.Title, cause.Segment
	}
	rank := 0
	add := func(what string, weight int) { p.Same, rank = append(p.Same, what), rank+weight }
	if l.Cause != "" && p.Cause == l.Cause {
		add(sameCause, 4)
	}
	switch {
	case onAsset(i, l.Asset):
		add(sameAsset, 4)
	case related != nil && l.Asset != "" && related(l.Asset, i.Subject):
		add(nearAsset, 1)
	}
	if rank > 0 && len(l.Segment) > 0 && maps.Equal(p.Segment, l.Segment) {
		add(sameSegment, 2)
	}
	return p, rank
}

func orAt(t, otherwise time.Time) time.Time {
	if t.IsZero() {
		return otherwise
	}
	return t
}

// onAsset reports whether an incident is about an asset, or one of its checks is.
func onAsset(i Incident, id lineage.AssetID) bool {
	return id != "" && (i.Subject == id || slices.ContainsFunc(i.Signals, func(s Signal) bool { return s.Result.Asset == id }))
}

// PastViewer reads the store.
type PastViewer interface {
	View(ctx context.Context, do func(ReadTx) error) error
}

// HistoryOf looks for past incidents like l and says of the first limit what ended
// them.
func HistoryOf(ctx context.Context, v PastViewer, of string, l Likeness, related func(a, b lineage.AssetID) bool, limit int) (History, error) {
	h := History{Of: of}
	err := v.View(ctx, func(tx ReadTx) error {
		all, err := tx.Incidents(ctx, false, manyPast)
		if err != nil {
			return err
		}
		past := Alike(all, l, related)
		h.All, h.Past = len(past), past[:min(limit, len(past))]
		for _, p := range past {
			if slices.Contains(p.Same, sameCause) && slices.Contains(p.Same, sameAsset) {
				h.Again++
			}
		}
		for n := range h.Past {
			if err := h.Past[n].readEnd(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return History{}, fmt.Errorf("read the history of %s: %w", of, err)
	}
	return h, nil
}

// readEnd adds what ended an incident.
func (p *Past) readEnd(ctx context.Context, tx ReadTx) error {
	proposals, err := tx.ProposalsOf(ctx, p.ID)
	if err != nil {
		return fmt.Errorf("read what ended %s: %w", p.ID, err)
	}
	p.FixedBy = []string{}
	for _, proposal := range proposals {
		if proposal.State == Verified {
			p.FixedBy = append(p.FixedBy, proposal.Title)
		}
	}
	return nil
}

// Before is one line about the past of an incident, empty where its cause was not
// seen on its asset before.
func (h History) Before(zone *time.Location) string {
	if h.Again == 0 || len(h.Past) == 0 {
		return ""
	}
	last := h.Past[0]
	text := fmt.Sprintf("seen %d times before", h.Again)
	if h.Again == 1 {
		text = "seen once before"
	}
	return text + ", last " + last.OpenedAt.In(zone).Format(time.DateOnly) + " (" + last.ID + "): " + last.Ended()
}

// Ended says what ended a past incident, in words.
func (p Past) Ended() string {
	switch {
	case len(p.FixedBy) > 0:
		return "fixed by " + strings.Join(p.FixedBy, "; ")
	case p.State == Resolved:
		return "right again without a change that dw asked for"
	}
	return "still " + string(p.State)
}
