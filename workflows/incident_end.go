package workflows

import (
	"fmt"
	"slices"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/receipts"
)

// mitigate says that an approved proposal is being carried out.
func mitigate(i Incident, now time.Time) Incident {
	if i.State == Open || i.State == Acknowledged {
		i.State, i.UpdatedAt = Mitigating, now.UTC()
	}
	return i
}

// returned gives the incident back to the people: open, or acknowledged where
// somebody looks after it.
func returned(i Incident, now time.Time) Incident {
	i.State, i.UpdatedAt = Open, now.UTC()
	if i.AckedBy.User != "" {
		i.State = Acknowledged
	}
	return i
}

// beginVerify starts checking the numbers again, if it has not begun.
func beginVerify(i Incident, t Terms, now time.Time) (Incident, Outcome) {
	var out Outcome
	if i.State == Resolved || i.State == Verifying {
		return i, out
	}
	i.State, i.VerifyFrom, i.UpdatedAt = Verifying, now.UTC(), now.UTC()
	out.set(Deadline{Kind: DeadlineVerify, Subject: i.ID, DueAt: now.Add(t.Policy.VerifyAfter)})
	return i, out
}

// verdict is what a re-check says: right, wrong, or that it could not be asked.
type verdict int

const (
	unasked verdict = iota
	wrong
	right
)

// judge reads a re-check. "Could not be asked" is neither good nor bad: no
// results, an error, or any check that did not answer is never good.
func judge(v Verification, err error) verdict {
	if err != nil {
		return unasked
	}
	failed := slices.ContainsFunc(v.Results, func(r checks.Result) bool { return r.Status == checks.Fail || r.Status == checks.Warn })
	mute := slices.ContainsFunc(v.Results, func(r checks.Result) bool { return r.Status != checks.Pass })
	switch {
	case failed:
		return wrong
	case len(v.Results) == 0 || mute:
		return unasked
	case v.OK:
		return right
	}
	return wrong
}

// stillWrong lists what a re-check found wrong.
func stillWrong(v Verification) string {
	var wrong []string
	for _, r := range v.Results {
		if r.Status != checks.Pass {
			wrong = append(wrong, r.Check+": "+r.Message)
		}
	}
	if len(wrong) == 0 {
		return v.Problem
	}
	return joinAnd(wrong)
}

// verifyAgain records a re-check that did not end verifying and sets the next.
func verifyAgain(i Incident, v Verification, t Terms, now time.Time) (Incident, Outcome) {
	var out Outcome
	i.Verification, i.UpdatedAt = &v, now.UTC()
	out.set(Deadline{Kind: DeadlineVerify, Subject: i.ID, DueAt: now.Add(t.Policy.VerifyEvery)})
	return i, out
}

// verifyFailed ends verifying: the numbers are still wrong after all attempts.
// The incident goes back to the people.
func verifyFailed(i Incident, v Verification, now time.Time) (Incident, Outcome) {
	i.Verification = &v
	i = returned(i, now)
	var out Outcome
	out.receipt(i.draft(receipts.KindVerification, itself(), now, verificationBody(v, nil)))
	out.note(i.ID, "The numbers are still wrong: "+stillWrong(v)+".")
	return i, out
}

func verificationBody(v Verification, proposals []string) receipts.Object {
	results := make([]receipts.Value, 0, len(v.Results))
	for _, r := range v.Results {
		results = append(results, resultBody(r))
	}
	return receipts.Object{"ok": v.OK, "results": results, "problem": clean(v.Problem), "proposals": proposals}
}

// failVerify fails a proposal whose effect was not what it promised: the one
// that reached its verify step, or all of whose steps are done.
func failVerify(p Proposal, why string, now time.Time) (Proposal, Outcome) {
	n, open := p.Current()
	switch {
	case p.State != Executing:
		return p, Outcome{}
	case open && p.Plan[n].Kind == diagnosis.Verify && p.Steps[n].State == StepRunning:
		return failStep(p, n, "the numbers are still wrong: "+why, now)
	case !open && !p.HoldsOnly():
		return failStep(p, len(p.Plan)-1, "the numbers are still wrong: "+why, now)
	}
	return p, Outcome{}
}

// verifyProposal ends a proposal whose steps are done and whose effect was
// seen. Its verify step is done by the re-check itself.
func verifyProposal(p Proposal, v Verification, now time.Time) (Proposal, Outcome) {
	if p.State != Executing {
		return p, Outcome{}
	}
	var out Outcome
	if n, open := p.Current(); open && p.Plan[n].Kind == diagnosis.Verify && p.Steps[n].State == StepRunning {
		p = p.withStep(n, StepStatus{State: StepDone, Since: now.UTC(), Observed: fmt.Sprintf("%d results pass", len(v.Results))})
		out.receipt(stepReceipt(p, n, receipts.KindStepOutcome, itself(), now, receipts.Object{"state": string(StepDone)}))
	}
	if p.StepsDone() {
		p.State = Verified
		out.merge(p.stopClocks())
	}
	return p, out
}

// resolve ends the incident after its numbers were verified.
func resolve(i Incident, v Verification, ended []Proposal, now time.Time) (Incident, Outcome) {
	var out Outcome
	i.Verification = &v
	ids := make([]string, 0, len(ended))
	for _, p := range ended {
		ids = append(ids, p.ID)
	}
	out.receipt(i.draft(receipts.KindVerification, itself(), now, verificationBody(v, ids)))
	i, end := closeIncident(i, undoList(ended), "verified", now)
	out.merge(end)
	out.note(i.ID, fmt.Sprintf("Verified at %s: %d results pass. Resolved.", clockText(v.At, now), len(v.Results)))
	return i, out
}

// recoverIncident ends an incident whose numbers are right again, in every span
// since its onset, without dw.
func recoverIncident(i Incident, v Verification, now time.Time) (Incident, Outcome) {
	i.Verification = &v
	verified := i.draft(receipts.KindVerification, itself(), now, verificationBody(v, nil))
	i, out := closeIncident(i, nil, "recovered by itself", now)
	out.Receipts = append([]receipts.Draft{verified}, out.Receipts...)
	out.note(i.ID, fmt.Sprintf("Every check passes again without a change by dw, %d results since the onset. Resolved.", len(v.Results)))
	return i, out
}

func closeIncident(i Incident, undo []string, why string, now time.Time) (Incident, Outcome) {
	var out Outcome
	i.State, i.ResolvedAt, i.UpdatedAt, i.Undo = Resolved, now.UTC(), now.UTC(), undo
	out.drop("", i.ID)
	out.receipt(i.draft(receipts.KindIncidentResolved, itself(), now, receipts.Object{
		"why": why, "undo": undo, "onset": timeOr(i.Onset), "cause": causeID(i.Diagnosis),
	}))
	return i, out
}

// noUndo is what a step's Undo says where there is none.
const noUndo = "none"

// undoList says for each step that was done how it can be taken back.
func undoList(ps []Proposal) []string {
	var undo []string
	for _, p := range ps {
		for n, s := range p.Plan {
			if p.Steps[n].State == StepDone && s.Undo != "" && s.Undo != noUndo && s.Kind != diagnosis.Verify {
				undo = append(undo, clean(fmt.Sprintf("%s, step %d: %s", p.ID, n+1, s.Undo)))
			}
		}
	}
	return undo
}
