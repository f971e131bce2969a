package workflows

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dw/checks"
	"dw/lineage"
	"dw/receipts"
)

// DefaultTogether is how far apart in time failures may lie and still have one
// cause: a nightly load that fails in the evening is read in the morning.
const DefaultTogether = 12 * time.Hour

// Feeder tells whether an asset feeds another, over any assets between. An
// Investigator that is one lets the subject of an incident move upstream.
type Feeder interface {
	Feeds(from, to lineage.AssetID) bool
}

// together is the window of a policy.
func (p Policy) together() time.Duration {
	if p.Together <= 0 {
		return DefaultTogether
	}
	return p.Together
}

// span is from when to when a signal is known to have failed.
func (s Signal) span() (from, to time.Time) { return began(s.Result, s.First), s.Last }

// began is since when a result failed: its onset, where it knows one.
func began(r checks.Result, at time.Time) time.Time {
	if !r.Since.IsZero() && r.Since.Before(at) {
		return r.Since
	}
	return at
}

// near reports whether something that failed from one time to another lies
// within the window of a failure of the incident.
func (i Incident) near(from, to time.Time, window time.Duration) bool {
	return slices.ContainsFunc(i.Signals, func(s Signal) bool {
		first, last := s.span()
		return !from.After(last.Add(window)) && !first.After(to.Add(window))
	})
}

// failing is from when to when a check is known to fail, with a new result.
func failing(open []Incident, r checks.Result) (from, to time.Time) {
	from, to = began(r, r.At), r.At
	for _, i := range open {
		for _, s := range i.Signals {
			if first, last := s.span(); s.Check == r.Check {
				if first.Before(from) {
					from = first
				}
				if last.After(to) {
					to = last
				}
			}
		}
	}
	return from, to
}

// belonging lists the open incidents that a failed result belongs to: those that
// have a signal of the same check, and those with a failure on a related asset
// within the window. The one that goes on is the first.
func (s *Service) belonging(ctx context.Context, w *work, r checks.Result) ([]Incident, error) {
	open, err := w.tx.Incidents(ctx, true, manyIncidents)
	if err != nil {
		return nil, fmt.Errorf("list open incidents: %w", err)
	}
	window := s.policy(r.Domain).together()
	from, to := failing(open, r)
	var out []Incident
	for _, i := range open {
		if i.has(r.Check) || s.tied(i, r) && i.near(from, to, window) {
			held, err := w.incident(ctx, i.ID)
			if err != nil {
				return nil, err
			}
			out = append(out, held)
		}
	}
	slices.SortFunc(out, goesOn)
	return out, nil
}

// tied reports whether lineage ties a result to any failure of an incident.
func (s *Service) tied(i Incident, r checks.Result) bool {
	if s.related(i, r) {
		return true
	}
	return i.Domain == r.Domain && slices.ContainsFunc(i.Signals, func(one Signal) bool {
		return one.Result.Asset != "" && s.investigator.Related(one.Result.Asset, r.Asset)
	})
}

// goesOn orders incidents of one cause: the one with requests, then the one that
// somebody looks after, then the oldest.
func goesOn(a, b Incident) int {
	asked := func(i Incident) int { return -min(1, len(i.Proposals)) }
	looked := func(i Incident) int {
		if i.AckedBy.User != "" {
			return -1
		}
		return 0
	}
	return cmp.Or(asked(a)-asked(b), looked(a)-looked(b), a.OpenedAt.Compare(b.OpenedAt), strings.Compare(a.ID, b.ID))
}

// signal opens an incident for a failed result, or feeds the one it belongs to.
// Where it ties several together, they become one: a cause has one incident.
func (s *Service) signal(ctx context.Context, w *work, policy Policy, r checks.Result) error {
	all, err := s.belonging(ctx, w, r)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		w.setIncident(openIncident(s.newID("inc"), policy, r, w.now))
		return nil
	}
	next, out := addSignal(all[0], r, w.now)
	w.counted = len(out.Notes) == 0 && len(out.Receipts) == 0 && len(all) == 1
	w.setIncident(next, out)
	for _, other := range all[1:] {
		if len(other.Proposals) > 0 {
			w.tellOnce(other, "%s seems to have the same cause.", next.ID)
			w.tellOnce(next, "%s seems to have the same cause; both have requests, so both go on.", other.ID)
			continue
		}
		joined, out := joinIncident(other, next, w.now)
		w.setIncident(joined, out)
		next, out = takeOver(next, other, w.now)
		w.setIncident(next, out)
	}
	moved, out := s.upstream(next, w.now)
	w.counted = w.counted && moved.Subject == next.Subject
	w.setIncident(moved, out)
	return nil
}

// joinIncident ends an incident that turned out to have the cause of another.
func joinIncident(i, into Incident, now time.Time) (Incident, Outcome) {
	i = i.clone()
	i.State, i.ResolvedAt, i.UpdatedAt, i.MergedInto = Resolved, now.UTC(), now.UTC(), into.ID
	var out Outcome
	out.drop("", i.ID)
	out.receipt(i.draft(receipts.KindIncidentResolved, itself(), now, receipts.Object{
		"why": "joined another incident", "into": into.ID, "onset": timeOr(i.Onset), "cause": causeID(i.Diagnosis),
	}))
	out.note(i.ID, "Joined "+into.ID+": lineage ties its failures to those of this incident. It goes on there.")
	return i, out
}

// with is one signal of what two incidents knew of a check.
func (s Signal) with(other Signal) Signal {
	s.Count += other.Count
	if other.First.Before(s.First) {
		s.First = other.First
	}
	if other.Last.After(s.Last) {
		s.Last, s.Result, s.Passed = other.Last, other.Result, other.Passed
	}
	return s
}

// takeOver adds the signals of an incident that joined.
func takeOver(i, from Incident, now time.Time) (Incident, Outcome) {
	i = i.clone()
	for _, s := range from.Signals {
		at := slices.IndexFunc(i.Signals, func(mine Signal) bool { return mine.Check == s.Check })
		if at < 0 {
			i.Signals = append(i.Signals, s)
		} else {
			i.Signals[at] = i.Signals[at].with(s)
		}
	}
	if i.Diagnosis == nil && !from.Onset.IsZero() && (i.Onset.IsZero() || from.Onset.Before(i.Onset)) {
		i.Onset = from.Onset
	}
	i.UpdatedAt = now.UTC()
	var out Outcome
	out.note(i.ID, from.ID+" joined this incident: lineage ties them together.")
	out.receipt(i.draft(receipts.KindIncidentUpdated, itself(), now, receipts.Object{"what": "joined", "incident": from.ID}))
	i.investigate(&out)
	return i, out
}

// upstream moves the subject to the failing asset that is most upstream. With
// requests about the subject it stays: they were made about it.
func (s *Service) upstream(i Incident, now time.Time) (Incident, Outcome) {
	feeder, ok := s.investigator.(Feeder)
	if !ok {
		return i, Outcome{}
	}
	subject := mostUpstream(i.Signals, i.Subject, feeder)
	switch {
	case subject == i.Subject:
		return i, Outcome{}
	case len(i.Proposals) > 0:
		return i, Outcome{}
	}
	i = i.clone()
	old := i.Subject
	i.Subject, i.UpdatedAt = subject, now.UTC()
	var out Outcome
	out.note(i.ID, fmt.Sprintf("The incident is about %s now: of what fails it is the most upstream, before it was %s.", subject, old))
	out.receipt(i.draft(receipts.KindIncidentUpdated, itself(), now, receipts.Object{"what": "subject", "from": clean(string(old)), "to": clean(string(subject))}))
	i.investigate(&out)
	return i, out
}

// mostUpstream is, of the assets that fail and that no other failing asset
// feeds, the one that feeds the most of them; of several the one that failed
// first. What passes again is left out. The order of the signals has no part in
// it.
func mostUpstream(signals []Signal, subject lineage.AssetID, feeder Feeder) lineage.AssetID {
	first := map[lineage.AssetID]time.Time{}
	for _, s := range signals {
		from, _ := s.span()
		asset := s.Result.Asset
		if known, seen := first[asset]; asset != "" && s.Passed.IsZero() && (!seen || from.Before(known)) {
			first[asset] = from
		}
	}
	fed, feeds := map[lineage.AssetID]bool{}, map[lineage.AssetID]int{}
	for from := range first {
		for to := range first {
			if from != to && feeder.Feeds(from, to) {
				fed[to], feeds[from] = true, feeds[from]+1
			}
		}
	}
	var best lineage.AssetID
	for asset := range first {
		if fed[asset] {
			continue
		}
		if best == "" || cmp.Or(feeds[best]-feeds[asset], first[asset].Compare(first[best]), strings.Compare(string(asset), string(best))) < 0 {
			best = asset
		}
	}
	return cmp.Or(best, subject) // all pass, or a circle
}
