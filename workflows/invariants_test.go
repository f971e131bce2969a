package workflows

import (
	"slices"

	"dw/receipts"

	"pgregory.net/rapid"
)

// reachable is docs/state_machine.md: which states may follow a state, in one
// or more edges.
func reachable(from, to ProposalState) bool {
	edges := map[ProposalState][]ProposalState{
		Waiting:   {Approved, Rejected, Expired, Superseded, Withdrawn},
		Approved:  {Executing, Revoked, Lapsed, NeedsReapproval},
		Executing: {Verified, Failed, Halted},
		Halted:    {RolledBack, Failed},
	}
	for seen, todo := map[ProposalState]bool{}, []ProposalState{from}; len(todo) > 0; todo = todo[1:] {
		if todo[0] == to {
			return true
		}
		if !seen[todo[0]] {
			seen[todo[0]] = true
			todo = append(todo, edges[todo[0]]...)
		}
	}
	return false
}

// check holds every invariant after each action.
func (m *machine) check(t *rapid.T) {
	ps := m.proposals()
	for _, p := range ps {
		m.checkGranted(t, p)
		m.checkSteps(t, p)
		if old, known := m.seen[p.ID]; known {
			checkKept(t, old, p)
		}
		m.seen[p.ID] = p
	}
	m.checkStopped(t, ps)
	m.checkLowered(t, ps)
	m.checkIncidents(t, ps)
	m.checkReceipts(t, ps)
	m.checkAnswers(t)
	if len(m.e.sched.blindly) > 0 {
		t.Fatalf("launched again without looking for the tag: %v", m.e.sched.blindly)
	}
}

// checkGranted: nothing is approved or beyond without the quorum's human
// decisions of chain members, on this very content, before its expiry.
func (m *machine) checkGranted(t *rapid.T, p Proposal) {
	if hash, err := ProposalHash(p); err != nil || hash != p.Hash {
		t.Fatalf("%s: hash does not match the content (%v)", p.ID, err)
	}
	granting, held := map[Person]bool{}, map[Person]bool{}
	for _, d := range p.Decisions {
		member := slices.ContainsFunc(p.Chain, func(l Link) bool { return l.Team == d.By.Team && l.User == d.By.User && !l.AskedAt.IsZero() })
		if !member || d.Hash != p.Hash || !d.At.Before(p.Clocks.ExpiresAt) {
			t.Fatalf("%s: decision %+v does not hold", p.ID, d)
		}
		if granting[d.By] {
			t.Fatalf("%s: %s decided twice", p.ID, d.By.Name)
		}
		granting[d.By] = d.Verdict == Approve && d.RevokedAt.IsZero()
		m.checkStandIn(t, p, d, held)
	}
	if p.ByItself() {
		m.checkItself(t, p)
		return
	}
	switch p.State {
	case Approved, Executing, Verified, Failed, Halted, RolledBack, Lapsed, NeedsReapproval:
		if p.approvals() < p.Quorum || slices.ContainsFunc(p.Decisions, func(d Decision) bool { return d.Verdict == Reject }) {
			t.Fatalf("%s is %s with %d of %d approvals: %+v", p.ID, p.State, len(granting), p.Quorum, p.Decisions)
		}
	case Waiting, Expired, Superseded, Withdrawn:
		if p.approvals() >= p.Quorum || p.Clocks.ExecuteBefore.Unix() > 0 {
			t.Fatalf("%s is %s with a granted quorum", p.ID, p.State)
		}
	}
}

// checkStandIn: who decided in somebody's place did so while a delegation held,
// and one place approved once at a time.
func (m *machine) checkStandIn(t *rapid.T, p Proposal, d Decision, held map[Person]bool) {
	l, _ := p.link(d.By)
	if l.For.User != "" && !l.Named {
		by, err := get[Delegation](m.e.store.data.delegated, l.Delegation)
		if err != nil || !by.By.Same(d.For) || !by.To.Same(d.By) || d.At.Before(by.From) || !d.At.Before(by.Until) {
			t.Fatalf("%s: decision %+v by delegation %+v (%v)", p.ID, d, by, err)
		}
	}
	if who := l.principal(); d.counts(p) {
		if held[who] {
			t.Fatalf("%s: the place of %s approved twice: %+v", p.ID, who.Name, p.Decisions)
		}
		held[who] = true
	}
}

// checkSteps: a step begins only where the ones before it are done, and nothing
// begins without an approval.
func (m *machine) checkSteps(t *rapid.T, p Proposal) {
	for n, s := range p.Steps {
		begun := s.State != StepPending
		if begun && !slices.Contains([]ProposalState{Executing, Verified, Failed, Halted, RolledBack}, p.State) {
			t.Fatalf("%s is %s and step %d is %s", p.ID, p.State, n, s.State)
		}
		if n > 0 && begun && p.Steps[n-1].State != StepDone && p.Steps[n-1].State != StepUndone {
			t.Fatalf("%s: step %d is %s after a step that is %s", p.ID, n, s.State, p.Steps[n-1].State)
		}
		if m.e.sched.launches[StepTag(p.ID, n)] > 0 && s.Attempt == 0 {
			t.Fatalf("%s: step %d was launched without an intent", p.ID, n)
		}
	}
	for n, s := range p.Steps {
		if s.undoAttempts() > 0 && (len(p.Choices) == 0 || slices.Contains([]ProposalState{Waiting, Approved, Executing, Verified}, p.State)) {
			t.Fatalf("%s is %s and dw took step %d back without a choice", p.ID, p.State, n)
		}
	}
	for n := range p.Snapshot {
		on, launched := m.e.sched.at[StepTag(p.ID, n)]
		schedule := valueOf(p.Snapshot[n].Facts, "schedule") != "" // it has no version
		if approved := valueOf(p.Snapshot[n].Facts, "version"); launched && !schedule && on != approved {
			t.Fatalf("%s: step %d was launched on %s, approved was %q", p.ID, n, on, approved)
		}
	}
	if p.State == Verified && !p.StepsDone() {
		t.Fatalf("%s is verified with open steps", p.ID)
	}
}

// checkKept: what never changes, and what never shrinks.
func checkKept(t *rapid.T, old, p Proposal) {
	switch {
	case !reachable(old.State, p.State):
		t.Fatalf("%s went from %s to %s", p.ID, old.State, p.State)
	case old.State.Final() && old.State != p.State:
		t.Fatalf("%s left the final state %s", p.ID, old.State)
	case p.Quorum != old.Quorum || p.Hash != old.Hash || len(p.Chain) != len(old.Chain):
		t.Fatalf("%s: quorum, hash or chain moved", p.ID)
	case len(p.Choices) < len(old.Choices):
		t.Fatalf("%s: a choice was forgotten", p.ID)
	case len(p.Asked()) < len(old.Asked()) || len(p.Decisions) < len(old.Decisions):
		t.Fatalf("%s: somebody who was asked or decided was forgotten", p.ID)
	}
}

// checkStopped: while one and the same stop is on, no step begins.
func (m *machine) checkStopped(t *rapid.T, ps []Proposal) {
	begun := 0
	for _, p := range ps {
		for _, s := range p.Steps {
			if s.State != StepPending {
				begun++
			}
			begun += s.undoAttempts()
		}
	}
	stop := m.e.store.data.stop
	if stop.On && m.stopped == stop.Rev && begun > m.begun {
		t.Fatalf("%d steps have begun, %d had when dw was stopped", begun, m.begun)
	}
	m.begun, m.stopped = begun, stop.Rev
}

func (m *machine) checkIncidents(t *rapid.T, ps []Proposal) {
	is, err := all[Incident](m.e.store.data.incidents)
	if err != nil {
		t.Fatalf("incidents: %v", err)
	}
	for _, i := range is {
		if m.incidents[i.ID] == Resolved && i.State != Resolved {
			t.Fatalf("%s left resolved", i.ID)
		}
		m.incidents[i.ID] = i.State
		for _, p := range ps {
			if p.Incident == i.ID && i.State == Resolved && (p.State == Executing || p.State == Waiting) {
				t.Fatalf("%s is resolved and %s is %s", i.ID, p.ID, p.State)
			}
		}
	}
}

// checkReceipts: every row that says something has its receipt, and no receipt
// stands without its row.
func (m *machine) checkReceipts(t *rapid.T, ps []Proposal) {
	want := map[string]int{}
	for _, p := range ps {
		want[receipts.KindProposalCreated]++
		want[receipts.KindDecisionRecorded] += len(p.Decisions)
		want[receipts.KindHaltedChoice] += len(p.Choices)
		if p.Change == nil { // of a policy change everybody is asked at once
			want[receipts.KindEscalation] += rounds(p) - 1
		}
		revoked := slices.DeleteFunc(slices.Clone(p.Decisions), func(d Decision) bool { return d.RevokedAt.IsZero() })
		want[receipts.KindDecisionRevoked] += len(revoked)
		if p.State == Expired || p.State == Lapsed {
			want[receipts.KindExpiry]++
		}
		if p.ByItself() {
			want[receipts.KindAutonomyActed]++
		}
		for _, s := range p.Steps {
			want[receipts.KindStepIntent] += s.Attempt + s.undoAttempts()
		}
	}
	for _, s := range m.incidents {
		want[receipts.KindIncidentOpened]++
		if s == Resolved {
			want[receipts.KindIncidentResolved]++
		}
	}
	got := m.e.kinds()
	for _, kind := range []string{
		receipts.KindProposalCreated, receipts.KindDecisionRecorded, receipts.KindEscalation, receipts.KindExpiry,
		receipts.KindStepIntent, receipts.KindAutonomyActed, receipts.KindHaltedChoice, receipts.KindDecisionRevoked, receipts.KindIncidentOpened, receipts.KindIncidentResolved,
	} {
		if got[kind] != want[kind] {
			t.Fatalf("%d receipts %s, the rows say %d", got[kind], kind, want[kind])
		}
	}
}

// checkAnswers: a click that was answered with OK is kept, for ever.
func (m *machine) checkAnswers(t *rapid.T) {
	for _, r := range m.answered {
		p := m.seen[r.Proposal]
		d, found := p.decisionOf(r.By)
		switch r.Verdict {
		case RollBack, GiveUp, Renew:
			if _, kept := p.sameChoice(r); !kept {
				t.Fatalf("the answered choice %s of %s on %s is lost", r.Verdict, r.By.Name, p.ID)
			}
			continue
		case Revoke:
			if !found || d.RevokedAt.IsZero() {
				t.Fatalf("the answered revocation of %s on %s is lost", r.By.Name, p.ID)
			}
			continue
		case Withdraw:
			if p.State != Withdrawn {
				t.Fatalf("the answered withdrawal of %s is lost: it is %s", p.ID, p.State)
			}
			continue
		}
		if !found || d.Verdict != r.Verdict {
			t.Fatalf("the answered %s of %s on %s is lost", r.Verdict, r.By.Name, p.ID)
		}
	}
}

func (s StepStatus) undoAttempts() int {
	if s.Undo == nil {
		return 0
	}
	return s.Undo.Attempt
}

// rounds counts the times at which people were asked.
func rounds(p Proposal) int {
	times := map[int64]bool{}
	for _, l := range p.Asked() {
		times[l.AskedAt.UnixNano()] = true
	}
	return len(times)
}
