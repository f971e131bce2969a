package workflows

import (
	"fmt"
	"slices"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// diagnosed records what an investigation found. Findings older than the ones
// that stand are dropped.
func diagnosed(i Incident, f Findings, level Level, now time.Time) (Incident, Outcome) {
	if i.State == Resolved || (i.Diagnosis != nil && f.Diagnosis.At.Before(i.Diagnosis.At)) {
		return i, Outcome{}
	}
	before := causeID(i.Diagnosis)
	i = i.clone()
	d, blast := f.Diagnosis, f.Blast
	i.Diagnosis, i.Blast, i.Level, i.UpdatedAt = &d, &blast, level, now.UTC()
	if f.Harm != nil {
		i.Harm = f.Harm
	}
	if !d.Onset.IsZero() {
		i.Onset = d.Onset
	}
	var out Outcome
	if after := causeID(&d); after != before {
		out.note(i.ID, diagnosisText(d))
	}
	out.receipt(i.draft(receipts.KindIncidentUpdated, itself(), now, diagnosisBody(i, d)))
	return i, out
}

func causeID(d *diagnosis.Diagnosis) string {
	if d == nil {
		return ""
	}
	c, _ := d.Top()
	return c.ID
}

func diagnosisText(d diagnosis.Diagnosis) string {
	c, found := d.Top()
	if !found {
		return "Nothing in the catalogue matches any more. " + d.Verdict
	}
	return "Cause named: " + c.Title + ". " + c.Why
}

func diagnosisBody(i Incident, d diagnosis.Diagnosis) receipts.Object {
	segment := receipts.Object{}
	for k, v := range d.Segment {
		segment[clean(k)] = clean(v)
	}
	evidence := make([]receipts.Value, 0, len(d.Evidence))
	top, _ := d.Top()
	for _, e := range append(slices.Clone(d.Evidence), top.Evidence...) {
		evidence = append(evidence, receipts.Object{
			"system": clean(e.System), "what": clean(e.What), "value": clean(e.Value), "at": timeOr(e.At), "source": clean(e.Source),
		})
	}
	return receipts.Object{
		"what": "diagnosis", "cause": top.ID, "verdict": clean(d.Verdict), "onset": timeOr(d.Onset), "late": d.Late,
		"segment": segment, "evidence": evidence, "blast_hash": blastHash(i.Blast), "level": int(i.Level),
	}
}

// plannedDocument is p for a receipt; steps whose text has no canonical form
// (a file that is not UTF-8) are named by their number alone.
func plannedDocument(p diagnosis.PlannedProposal) receipts.Object {
	steps := stepsDocument(p.Steps)
	if _, err := receipts.Canonical(steps); err != nil {
		steps = []receipts.Value{fmt.Sprintf("%d steps that cannot be written here", len(p.Steps))}
	}
	return receipts.Object{"key": clean(p.Key), "title": clean(p.Title), "steps": steps, "after": p.After}
}

// wouldPropose records at level L1 what dw would have asked for.
func wouldPropose(i Incident, plan []diagnosis.PlannedProposal, now time.Time) (Incident, Outcome) {
	var titles []string
	var plans []receipts.Value
	for _, p := range plan {
		titles = append(titles, p.Title)
		plans = append(plans, plannedDocument(p))
	}
	if i.State == Resolved || len(plan) == 0 || slices.Equal(titles, i.WouldPropose) {
		return i, Outcome{}
	}
	i.WouldPropose, i.UpdatedAt = titles, now.UTC()
	var out Outcome
	out.receipt(i.draft(receipts.KindAutonomyWouldPropose, itself(), now, receipts.Object{
		"level": int(i.Level), "cause": causeID(i.Diagnosis), "proposals": plans,
	}))
	out.note(i.ID, fmt.Sprintf("At level L%d dw only observes; it would have asked for: %s.", i.Level, joinAnd(titles)))
	return i, out
}
