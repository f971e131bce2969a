package workflows

import (
	"fmt"
	"slices"
	"time"

	"dw/checks"
	"dw/receipts"
)

func (i Incident) clone() Incident {
	i.Signals = slices.Clone(i.Signals)
	i.Notes = slices.Clone(i.Notes)
	i.Proposals = slices.Clone(i.Proposals)
	i.Errands = slices.Clone(i.Errands)
	return i
}

func (i Incident) draft(kind string, actor receipts.Actor, now time.Time, body receipts.Object) receipts.Draft {
	return receipts.Draft{Kind: kind, Incident: i.ID, Actor: actor, At: now.UTC(), Body: body}
}

// investigate asks for a diagnosis of i as it is after this change.
func (i Incident) investigate(out *Outcome) {
	out.effect(EffectInvestigate, fmt.Sprintf("%s/%d", i.ID, i.Rev+1), IncidentRef{Incident: i.ID, Rev: i.Rev + 1})
}

// openIncident opens an incident on the asset of a failed result.
func openIncident(id string, p Policy, r checks.Result, now time.Time) (Incident, Outcome) {
	now = now.UTC()
	i := Incident{
		ID: id, Domain: r.Domain, Subject: r.Asset, State: Open, Channel: p.Channel, Level: p.Level,
		OpenedAt: now, UpdatedAt: now, Onset: r.Since,
		Signals: []Signal{{Check: r.Check, First: r.At, Last: r.At, Count: 1, Result: r}},
	}
	var out Outcome
	out.receipt(i.draft(receipts.KindIncidentOpened, itself(), now, resultBody(r)))
	i.investigate(&out)
	i, question := asked(i, r, now)
	out.merge(question)
	return i, out
}

func resultBody(r checks.Result) receipts.Object {
	body := receipts.Object{
		"check": clean(r.Check), "kind": clean(r.Kind), "asset": clean(string(r.Asset)), "domain": clean(r.Domain),
		"status": string(r.Status), "at": timeOr(r.At), "since": timeOr(r.Since), "message": clean(r.Message),
	}
	if r.Problem != "" {
		body["problem"] = clean(r.Problem)
	}
	if r.Tool != "" {
		body["tool"] = clean(r.Tool)
	}
	return body
}

// addSignal adds a failed result to an open incident. A check that failed
// before only counts up; dw investigates again for a new check, one that had
// passed in between, and as long as no cause is named.
func addSignal(i Incident, r checks.Result, now time.Time) (Incident, Outcome) {
	i = i.clone()
	i.UpdatedAt, i.RightRuns = now.UTC(), 0
	// A diagnosis knows the onset to the minute, a check only its bucket.
	diagnosed := i.Diagnosis != nil && !i.Diagnosis.Onset.IsZero()
	if !diagnosed && !r.Since.IsZero() && (i.Onset.IsZero() || r.Since.Before(i.Onset)) {
		i.Onset = r.Since
	}
	var out Outcome
	at := slices.IndexFunc(i.Signals, func(s Signal) bool { return s.Check == r.Check })
	news := at < 0
	if news {
		i.Signals = append(i.Signals, Signal{Check: r.Check, First: r.At, Last: r.At, Count: 1, Result: r})
	} else {
		s := &i.Signals[at]
		news = !s.Passed.IsZero()
		s.Count, s.Passed = s.Count+1, time.Time{}
		if r.At.Before(s.First) {
			s.First = r.At
		}
		if !r.At.Before(s.Last) {
			s.Last, s.Result = r.At, r
		}
	}
	if news {
		out.note(i.ID, saysText(r, now))
		out.receipt(i.draft(receipts.KindIncidentUpdated, itself(), now, resultBody(r)))
	}
	if news || i.Diagnosis == nil || len(i.Diagnosis.Causes) == 0 {
		i.investigate(&out)
	}
	i, question := asked(i, r, now)
	out.merge(question)
	return i, out
}

// addPass notes that a check of the incident passes again.
func addPass(i Incident, r checks.Result, now time.Time) (Incident, Outcome) {
	i = i.clone()
	var out Outcome
	for n := range i.Signals {
		s := &i.Signals[n]
		if s.Check == r.Check && s.Passed.IsZero() && !r.At.Before(s.Last) {
			s.Passed, i.UpdatedAt = r.At, now.UTC()
			out.note(i.ID, fmt.Sprintf("%s passes again: %s", sourceText(r), r.Message))
		} else if s.Check == r.Check && r.Landed != "" {
			// The newest bucket was right before: what heals is the one that was lost.
			i.UpdatedAt = now.UTC()
			out.note(i.ID, fmt.Sprintf("%s: %s", sourceText(r), r.Landed))
		}
	}
	return i, out
}

// addLate notes data that is late, which is neither a failure nor a recovery.
func addLate(i Incident, r checks.Result, now time.Time) (Incident, Outcome) {
	var out Outcome
	i.UpdatedAt = now.UTC()
	out.note(i.ID, fmt.Sprintf("%s is late: %s", r.Check, r.Message))
	return i, out
}

// recovered reports whether every signal passes again.
func (i Incident) recovered() bool {
	return len(i.Signals) > 0 && !slices.ContainsFunc(i.Signals, func(s Signal) bool { return s.Passed.IsZero() })
}

// acknowledge records that by looks after the incident.
func acknowledge(i Incident, by Person, at, now time.Time) (Incident, Outcome, Answer) {
	switch {
	case i.State == Resolved:
		return i, Outcome{}, Answer{Text: "This incident was resolved at " + clockText(i.ResolvedAt, now) + "."}
	case i.AckedBy.Same(by):
		return i, Outcome{}, Answer{OK: true, Text: "You acknowledged this already."}
	case i.AckedBy.User != "":
		return i, Outcome{}, Answer{Text: i.AckedBy.shown() + " acknowledged this already."}
	}
	i.AckedBy, i.UpdatedAt = by, now.UTC()
	if i.State == Open {
		i.State = Acknowledged
	}
	var out Outcome
	out.note(i.ID, by.shown()+" acknowledged the incident.")
	out.receipt(i.draft(receipts.KindIncidentUpdated, human(by), now, receipts.Object{
		"what": "acknowledged", "state": string(i.State), "arrived_at": timeOr(at),
	}))
	return i, out, Answer{OK: true, Text: "Acknowledged at " + clockText(at, now) + "."}
}
