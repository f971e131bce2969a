package workflows

import (
	"fmt"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// maxLooks is how often dw looks for the tag of a launch whose outcome is
// unclear before it asks a person.
const maxLooks = 5

// launchPlan says what a delivered step effect is to do outside.
type launchPlan int

const (
	launchNothing launchPlan = iota // the step has moved on
	launchFirst                     // nothing was called before
	launchSearch                    // an intent stands without an outcome: look for its tag first
)

// callsItself reports whether step n is a call that dw makes.
func (p Proposal) callsItself(n int) bool {
	return n < len(p.Plan) && p.Plan[n].By == diagnosis.ByDW && p.Plan[n].Kind != diagnosis.Verify
}

// planLaunch decides what a delivered step effect does for step n of p.
func planLaunch(p Proposal, n int) launchPlan {
	if n < 0 || n >= len(p.Plan) || !p.callsItself(n) || !p.begins(n) {
		return launchNothing
	}
	current, open := p.Current()
	if !open || current != n {
		return launchNothing
	}
	switch s := p.Steps[n]; {
	case s.State == StepPending:
		return launchFirst
	case s.State == StepRunning && s.RunID == "" && !s.Unclear:
		return launchSearch
	}
	return launchNothing
}

// begins reports whether step n may begin where p stands: a first one also takes
// p into execution.
func (p Proposal) begins(n int) bool {
	return p.State == Executing || (n == 0 && (p.State == Approved || p.Offered()))
}

// intend records, before the call, that dw is about to launch step n. found
// says what is known of an earlier attempt, of which no run exists. A launch that
// would come too late halts the run instead. read is what was read of the targets
// just before, nil where nothing can be.
func intend(p Proposal, n int, found string, read receipts.Object, t Terms, now time.Time) (Proposal, Outcome) {
	s := p.Steps[n]
	if !now.Before(p.Clocks.ExecuteBefore) {
		s.State = StepPending
		p, out := lapse(p.withStep(n, s), now)
		out.drop(DeadlinePoll, stepSubject(p.ID, n))
		return p, out
	}
	switch ruling := t.carry(p, n); {
	case ruling.Code == RefusedStopped:
		return p, Outcome{} // not launched; the step is queued again when the stop is lifted
	case ruling.Permission != Allow:
		s.State = StepPending
		p, out := halt(p.withStep(n, s), n, ruling.Why, now)
		out.drop(DeadlinePoll, stepSubject(p.ID, n))
		return p, out
	}
	s.State, s.Attempt, s.Problem = StepRunning, s.Attempt+1, ""
	if s.Attempt == 1 {
		s.Since = now.UTC()
	}
	p = p.withStep(n, s)
	var out Outcome
	body := receipts.Object{"attempt": s.Attempt, "tag": StepTag(p.ID, n), "before": found, "hash": p.Hash}
	if read != nil {
		body["read"] = read
	}
	out.receipt(stepReceipt(p, n, receipts.KindStepIntent, itself(), now, body))
	out.drop(DeadlineFacts, stepSubject(p.ID, n))
	out.set(Deadline{Kind: DeadlinePoll, Subject: stepSubject(p.ID, n), DueAt: now.Add(t.Policy.PollEvery)})
	return p, out
}

// launched records the run that the system's answer named; how says whether it
// was launched now or found by its tag.
func launched(p Proposal, n int, r Run, how string, t Terms, now time.Time) (Proposal, Outcome) {
	s := p.Steps[n]
	if s.State != StepRunning || s.RunID != "" {
		return p, Outcome{}
	}
	s.RunID, s.RunURL, s.Problem, s.Unclear = r.ID, r.URL, "", false
	p = p.withStep(n, s)
	var out Outcome
	out.receipt(stepReceipt(p, n, receipts.KindStepOutcome, itself(), now, receipts.Object{
		"state": "queued", "how": how, "run_id": clean(r.ID), "run_url": clean(r.URL), "vendor_state": clean(r.State),
		"attempt": s.Attempt, "tag": StepTag(p.ID, n),
	}))
	out.set(Deadline{Kind: DeadlinePoll, Subject: stepSubject(p.ID, n), DueAt: now.Add(t.Policy.PollEvery)})
	out.note(p.Incident, fmt.Sprintf("%q, step %d: dw started run %s (%s).", p.Title, n+1, r.ID, how))
	return p, out
}

// unclear records that the call may or may not have had its effect. From here
// on dw only looks for the tag and never launches again.
func unclear(p Proposal, n int, why string, t Terms, now time.Time) (Proposal, Outcome) {
	s := p.Steps[n]
	s.Unclear, s.Looked = true, 0
	p = p.withStep(n, s)
	var out Outcome
	out.receipt(stepReceipt(p, n, receipts.KindStepOutcome, itself(), now, receipts.Object{
		"state": "unclear", "why": clean(why), "attempt": s.Attempt, "tag": StepTag(p.ID, n),
	}))
	out.set(Deadline{Kind: DeadlinePoll, Subject: stepSubject(p.ID, n), DueAt: now.Add(t.Policy.PollEvery)})
	out.note(p.Incident, fmt.Sprintf("%q, step %d: it is unclear whether the run was started (%s); dw looks for it and does not start it again.",
		p.Title, n+1, why))
	return p, out
}

// notFound counts a look for the tag that found nothing (or could not be made),
// and asks a person after the last one.
func notFound(p Proposal, n int, why string, t Terms, now time.Time) (Proposal, Outcome) {
	s := p.Steps[n]
	s.Looked++
	var out Outcome
	if s.Looked < maxLooks {
		out.set(Deadline{Kind: DeadlinePoll, Subject: stepSubject(p.ID, n), DueAt: now.Add(t.Policy.PollEvery)})
		return p.withStep(n, s), out
	}
	s.Problem = fmt.Sprintf("dw looked %d times for the run with tag %s: %s", s.Looked, StepTag(p.ID, n), why)
	p = p.withStep(n, s)
	out.note(p.Incident, fmt.Sprintf("%q, step %d: %s. Please look in %s, and mark the step done when the run has succeeded; dw does not start it again.",
		p.Title, n+1, s.Problem, p.Plan[n].Action.System), people(p.Asked())...)
	return p, out
}

// polled records the state of the run that dw started.
func polled(p Proposal, n int, r Run, t Terms, now time.Time) (Proposal, Outcome) {
	s := p.Steps[n]
	switch {
	case r.Done && r.OK:
		return ran(p, n, r, now)
	case r.Done:
		return failStep(p, n, fmt.Sprintf("run %s ended as %s", s.RunID, r.State), now)
	}
	return pollAgain(p, n, "the run is "+r.State, t, now)
}

// pollAgain sets the next look at the run, or fails the step where the run has
// taken longer than the policy allows.
func pollAgain(p Proposal, n int, why string, t Terms, now time.Time) (Proposal, Outcome) {
	if t.Policy.RunTimeout > 0 && now.Sub(p.Steps[n].Since) > t.Policy.RunTimeout {
		return failStep(p, n, fmt.Sprintf("%s is not done after %s (%s); it may still be running",
			runText(p.Steps[n]), t.Policy.RunTimeout, why), now)
	}
	var out Outcome
	out.set(Deadline{Kind: DeadlinePoll, Subject: stepSubject(p.ID, n), DueAt: now.Add(t.Policy.PollEvery)})
	return p, out
}

func runText(s StepStatus) string {
	if s.RunID == "" {
		return "a run whose id is not known"
	}
	return "run " + s.RunID
}

func ran(p Proposal, n int, r Run, now time.Time) (Proposal, Outcome) {
	s := p.Steps[n]
	s.State, s.Since, s.Observed, s.Problem = StepDone, now.UTC(), r.State, ""
	p = p.withStep(n, s)
	var out Outcome
	out.receipt(stepReceipt(p, n, receipts.KindStepOutcome, itself(), now, receipts.Object{
		"state": string(StepDone), "run_id": clean(s.RunID), "vendor_state": clean(r.State), "attempt": s.Attempt,
	}))
	out.note(p.Incident, fmt.Sprintf("%q, step %d done: run %s is %s.", p.Title, n+1, s.RunID, r.State))
	return p, out
}

// failStep fails a step that dw carries out, and its proposal with it.
func failStep(p Proposal, n int, why string, now time.Time) (Proposal, Outcome) {
	s := p.Steps[n]
	s.State, s.Since, s.Problem = StepFailed, now.UTC(), why
	p = p.withStep(n, s)
	p.State = Failed
	out := p.stopClocks()
	out.drop(DeadlinePoll, stepSubject(p.ID, n))
	out.receipt(stepReceipt(p, n, receipts.KindStepOutcome, itself(), now, receipts.Object{
		"state": string(StepFailed), "run_id": clean(s.RunID), "why": clean(why), "attempt": s.Attempt,
	}))
	out.note(p.Incident, fmt.Sprintf("%q failed at step %d (%s): %s. Nothing after it was started.", p.Title, n+1, p.Plan[n].Title, why),
		people(p.Asked())...)
	return p, out
}
