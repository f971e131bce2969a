package workflows

import (
	"fmt"
	"strings"
	"time"

	"dw/receipts"
)

// lookVerdict is what a reading before a step says.
type lookVerdict int

const (
	asApproved lookVerdict = iota
	isStale
	isUnread
)

// judged is a reading held against what was approved.
type judged struct {
	verdict lookVerdict
	why     string          // for people, where it is not as approved
	read    receipts.Object // what was read, for receipts; nil where nothing is to be read
}

// judgeFacts compares what was read before step n with the approved snapshot and
// the effects of the steps carried out since. It is called in the transaction that
// begins the step, on the rows as they are there.
func judgeFacts(p Proposal, all []Proposal, n int, seen lookout, now time.Time) judged {
	want := expected(p, all, n)
	if len(want) == 0 {
		return judged{}
	}
	if seen.err != nil {
		return judged{verdict: isUnread, why: seen.err.Error()}
	}
	got := make([]expectation, len(want))
	for k, e := range want {
		facts, read := seen.facts[e.step]
		if !read {
			return judged{verdict: isUnread, why: p.Snapshot[e.step].name() + " was not read"}
		}
		got[k] = expectation{step: e.step, facts: onlyNamed(facts, e.facts)}
	}
	j := judged{read: readDocument(p, got, seen.at, preconditionHash(want))}
	if diffs := differences(p, want, got); len(diffs) > 0 || preconditionHash(want) != preconditionHash(got) {
		j.verdict = isStale
		j.why = fmt.Sprintf("the facts are not those that were approved (read at %s): %s", clockText(seen.at, now), strings.Join(diffs, "; "))
	}
	return j
}

// onlyNamed keeps the facts that the approved ones name.
func onlyNamed(facts, named []Fact) []Fact {
	out := make([]Fact, 0, len(named))
	for _, f := range named {
		out = append(out, Fact{Name: f.Name, Value: valueOf(facts, f.Name)})
	}
	return out
}

func readDocument(p Proposal, got []expectation, at time.Time, precondition string) receipts.Object {
	targets := make([]receipts.Value, 0, len(got))
	for _, e := range got {
		r := p.Snapshot[e.step]
		targets = append(targets, receipts.Object{
			"step": e.step, "system": r.System, "target": r.Target, "file": r.File, "facts": factsDocument(e.facts),
		})
	}
	return receipts.Object{"at": at, "targets": targets, "precondition": precondition, "read_hash": preconditionHash(got)}
}

// stale ends what stands on facts that are no longer so: before the first step a
// new decision is needed, in mid-run the run is halted.
func stale(p Proposal, n int, j judged, now time.Time) (Proposal, Outcome) {
	if p.State == Approved {
		return reapprove(p.withProblem(n, j.why), j.why, j.read, now)
	}
	s := p.Steps[n]
	s.State = StepPending // an earlier intent had no effect, or dw would not look
	p, out := halt(p.withStep(n, s), n, j.why, now)
	out.Receipts[len(out.Receipts)-1].Body["read"] = j.read
	out.drop(DeadlinePoll, stepSubject(p.ID, n))
	return p, out
}

// unread keeps a step from running whose target cannot be read, says so once, and
// has it looked at again until its time is over.
func unread(p Proposal, n int, why string, t Terms, now time.Time) (Proposal, Outcome) {
	var out Outcome
	out.set(Deadline{Kind: DeadlineFacts, Subject: stepSubject(p.ID, n), DueAt: now.Add(t.Policy.retryEvery())})
	if p.Steps[n].Problem != "" {
		return p, out
	}
	p = p.withProblem(n, "not started: "+why)
	out.note(p.Incident, fmt.Sprintf("%q, step %d (%s) is not started: %s. dw looks again until %s.",
		p.Title, n+1, p.Plan[n].Title, why, clockText(p.Clocks.ExecuteBefore, now)), people(p.Asked())...)
	return p, out
}

func (p Proposal) withProblem(n int, why string) Proposal {
	s := p.Steps[n]
	s.Problem = why
	return p.withStep(n, s)
}

// retryEvery is how often dw tries again what it could not read.
func (p Policy) retryEvery() time.Duration {
	if p.PollEvery > 0 {
		return p.PollEvery
	}
	return time.Minute
}
