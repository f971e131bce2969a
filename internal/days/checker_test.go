package days

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"dw/receipts"
	"dw/workflows"
)

// receipt is what the checker reads of one.
type receipt struct {
	Predicate struct {
		Kind     string `json:"kind"`
		Proposal string `json:"proposal"`
		Actor    struct {
			Team string `json:"team"`
			User string `json:"user"`
		} `json:"actor"`
		Body struct {
			Verdict   string `json:"verdict"`
			ActionTS  string `json:"action_ts"`
			ArrivedAt string `json:"arrived_at"`
		} `json:"body"`
	} `json:"predicate"`
}

// findings is what the checker counted, and what it found to be wrong.
type findings struct {
	decisions, refusals, intents, expiries, revoked, stops, jumps, clicks, itself int
	final                                                                         map[workflows.ProposalState]int
}

// check reads the history, the log, the rows and what really happened outside.
// Every line that it prints is a promise that was broken.
func (w *world) check(t *testing.T) findings {
	t.Helper()
	w.history.sweep(t, w, true)
	entries := w.verify(t)
	f := w.checkLog(t, entries)
	f.clicks, f.final = len(w.history.clicks), map[workflows.ProposalState]int{}
	for _, p := range w.history.seen {
		f.final[p.State]++
		w.checkProposal(t, p)
	}
	w.checkAnswers(t)
	w.checkOutside(t)
	return f
}

// log is what the checker has read so far.
type logged struct {
	approved map[string]map[string]bool // by proposal and person
	stopped  bool
	begun    map[string]bool // proposals of which a step has begun
	itself   map[string]bool // proposals that dw began by itself
	final    map[string]string
}

// checkLog goes through the receipts in their order: a step begins only after as
// many people as the quorum needs have approved, none begins while dw is stopped,
// every decision is one that somebody made, and a request ends once.
func (w *world) checkLog(t *testing.T, entries []receipts.Entry) findings {
	t.Helper()
	var f findings
	l := logged{approved: map[string]map[string]bool{}, begun: map[string]bool{}, itself: map[string]bool{}, final: map[string]string{}}
	for _, e := range entries {
		var r receipt
		if err := json.Unmarshal(e.Bytes, &r); err != nil {
			t.Fatalf("receipt %d: %v", e.Seq, err)
		}
		w.checkEntry(t, &l, &f, e.Seq, r)
	}
	return f
}

func (w *world) checkEntry(t *testing.T, l *logged, f *findings, seq int64, r receipt) {
	t.Helper()
	p, who := r.Predicate.Proposal, r.Predicate.Actor.Team+"/"+r.Predicate.Actor.User
	if l.approved[p] == nil {
		l.approved[p] = map[string]bool{}
	}
	switch r.Predicate.Kind {
	case receipts.KindDecisionRecorded:
		f.decisions++
		l.approved[p][who] = r.Predicate.Body.Verdict == string(workflows.Approve)
		if !w.history.made(r) {
			t.Errorf("receipt %d: nobody clicked so: %+v", seq, r.Predicate)
		}
	case receipts.KindDecisionRevoked:
		f.revoked++
		l.approved[p][who] = false
		if l.begun[p] {
			t.Errorf("receipt %d: an approval of %s was revoked after it had begun", seq, p)
		}
	case receipts.KindAutonomyActed:
		f.itself++
		w.checkActed(t, l, seq, p)
		l.itself[p] = true
	case receipts.KindStepIntent, receipts.KindStepOwnerDone:
		f.intents++
		l.begun[p] = true
		w.checkBegun(t, l, seq, r)
	case receipts.KindExpiry:
		f.expiries++
		if end, ended := l.final[p]; ended {
			t.Errorf("receipt %d: %s ended a second time, after %s", seq, p, end)
		}
		l.final[p] = r.Predicate.Kind
	case receipts.KindDecisionRefused:
		f.refusals++
	case receipts.KindStopPulled:
		f.stops++
		l.stopped = true
	case receipts.KindStopLifted:
		l.stopped = false
	case receipts.KindClockJump:
		f.jumps++
	}
}

func (w *world) checkBegun(t *testing.T, l *logged, seq int64, r receipt) {
	t.Helper()
	approvals := 0
	for _, yes := range l.approved[r.Predicate.Proposal] {
		if yes {
			approvals++
		}
	}
	if quorum := w.history.seen[r.Predicate.Proposal].Quorum; !l.itself[r.Predicate.Proposal] && (approvals < quorum || quorum == 0) {
		t.Errorf("receipt %d: a step of %s began with %d of %d approvals", seq, r.Predicate.Proposal, approvals, quorum)
	}
	if l.stopped && r.Predicate.Kind == receipts.KindStepIntent {
		t.Errorf("receipt %d: a step of %s began while dw was stopped", seq, r.Predicate.Proposal)
	}
	if end, ended := l.final[r.Predicate.Proposal]; ended {
		t.Errorf("receipt %d: a step of %s began after its %s", seq, r.Predicate.Proposal, end)
	}
}

// made reports whether somebody clicked what a decision's receipt says, with every
// fact right.
func (h *history) made(r receipt) bool {
	return slices.ContainsFunc(h.clicks, func(c click) bool {
		q := c.request
		return c.wrong == "" && q.Proposal == r.Predicate.Proposal && q.By.User == r.Predicate.Actor.User && q.By.Team == r.Predicate.Actor.Team &&
			string(q.Verdict) == r.Predicate.Body.Verdict && q.ActionTS == r.Predicate.Body.ActionTS
	})
}

// rightly reports whether the same person has clicked the same with every fact
// right, once.
func (h *history) rightly(r workflows.DecideRequest) bool {
	return slices.ContainsFunc(h.clicks, func(c click) bool {
		return c.wrong == "" && c.request.Proposal == r.Proposal && c.request.By.Same(r.By) && c.request.Verdict == r.Verdict
	})
}

// checkProposal: what the row says was done was granted, by people who were asked,
// each once, on this very content, before it expired; and nothing waits for ever.
func (w *world) checkProposal(t *testing.T, p workflows.Proposal) {
	t.Helper()
	approvals, by := 0, map[string]bool{}
	for _, d := range p.Decisions {
		asked := slices.ContainsFunc(p.Asked(), func(l workflows.Link) bool { return l.Same(d.By) })
		if !asked || d.Hash != p.Hash || !d.At.Before(p.Clocks.ExpiresAt) || by[d.By.User] {
			t.Errorf("%s: the decision %+v does not hold", p.ID, d)
		}
		by[d.By.User] = true
		if d.Verdict == workflows.Approve && d.RevokedAt.IsZero() {
			approvals++
		}
	}
	switch p.State {
	case workflows.Executing, workflows.Verified, workflows.Failed, workflows.Halted, workflows.RolledBack, workflows.Lapsed, workflows.Approved:
		if approvals < p.Quorum && !p.ByItself() {
			t.Errorf("%s is %s with %d of %d approvals", p.ID, p.State, approvals, p.Quorum)
		}
	case workflows.Waiting:
		if w.now().After(p.Clocks.ExpiresAt.Add(2 * tickEvery)) {
			t.Errorf("%s waits since it expired at %s; it is %s", p.ID, p.Clocks.ExpiresAt, w.now())
		}
	case workflows.Expired:
		if approvals >= p.Quorum {
			t.Errorf("%s expired with %d of %d approvals", p.ID, approvals, p.Quorum)
		}
	}
}

// checkAnswers: whatever somebody was told is recorded stands in the row.
func (w *world) checkAnswers(t *testing.T) {
	t.Helper()
	for _, c := range w.history.clicks {
		if c.acknowledged && c.answer.Text == "" {
			t.Errorf("the click %+v had no answer", c.request)
		}
		if c.wrong != "" && c.answer.OK && !w.history.rightly(c.request) { // else: "is already recorded"
			t.Errorf("a click with a wrong %s was taken: %+v", c.wrong, c.request)
		}
		if !c.acknowledged || !c.answer.OK {
			continue
		}
		p := w.history.seen[c.request.Proposal]
		n := slices.IndexFunc(p.Decisions, func(d workflows.Decision) bool { return d.By.Same(c.request.By) })
		kept := n >= 0 && p.Decisions[n].Verdict == c.request.Verdict
		switch c.request.Verdict {
		case workflows.Revoke:
			kept = n >= 0 && !p.Decisions[n].RevokedAt.IsZero()
		case workflows.Withdraw:
			kept = p.State == workflows.Withdrawn
		}
		if !kept {
			t.Errorf("%s was told that %s of %s stands, and it does not: %s %+v", c.request.By.User, c.request.Verdict, p.ID, p.State, p.Decisions)
		}
	}
}

// checkOutside: what happened outside happened once, and only what was granted.
func (w *world) checkOutside(t *testing.T) {
	t.Helper()
	w.outside.mu.Lock()
	defer w.outside.mu.Unlock()
	granted := map[string]bool{}
	for _, p := range w.history.seen {
		for n := range p.Steps {
			for k := range p.Choices { // each may take the step back, under a tag of its own
				granted[fmt.Sprintf("%s/undo/%d", workflows.StepTag(p.ID, n), k+1)] = true
			}
			granted[workflows.StepTag(p.ID, n)] = slices.Contains([]workflows.ProposalState{
				workflows.Executing, workflows.Verified, workflows.Failed, workflows.Halted, workflows.RolledBack,
			}, p.State)
		}
	}
	for tag, runs := range w.outside.runs {
		if len(runs) != 1 {
			t.Errorf("%s was run %d times", tag, len(runs))
		}
		if !granted[tag] {
			t.Errorf("%s was run and is not granted", tag)
		}
	}
	for key, n := range w.outside.count {
		if n != 1 {
			t.Errorf("%s happened %d times", key, n)
		}
	}
}
