package workflows

import (
	"slices"

	"dw/diagnosis"
	"dw/receipts"

	"pgregory.net/rapid"
)

// itselfPlan is what dw may begin by itself where it is opened: a hold, and a
// rerun with its check; and a change, which it never may.
func itselfPlan() []diagnosis.PlannedProposal {
	var e estate
	rerunPlan(&e)
	return append(testPlan()[:2:2], e.plan...)
}

// level lowers the level in force, or raises it again.
func (m *machine) level(t *rapid.T, atL3 bool) {
	if !atL3 {
		t.Skip("the domain was never opened")
	}
	m.e.open(rapid.SampledFrom([]Level{L3Act, L3Act, L2Propose, L1Observe}).Draw(t, "level"))
}

// checkItself: what was begun without a decision was opened for it: by the level,
// the list, its undo, and the receipt that says so before the intent.
func (m *machine) checkItself(t *rapid.T, p Proposal) {
	listed := slices.Contains(m.e.policy.Playbooks, p.Playbook)
	if p.Itself.Level != L3Act || !listed || len(p.After) > 0 || p.approvals() > 0 || slices.Contains([]ProposalState{Waiting, Approved, Rejected, Expired}, p.State) {
		t.Fatalf("%s (%s) is %s and was begun by dw itself: %+v", p.ID, p.Playbook, p.State, p.Itself)
	}
	for n, s := range p.Plan {
		if s.By != diagnosis.ByDW || (s.Kind != diagnosis.Verify && !p.undoRecorded(n)) {
			t.Fatalf("%s: dw began step %d by itself: %+v", p.ID, n, s)
		}
	}
	at := func(kind string) int {
		return slices.IndexFunc(m.e.store.data.drafts, func(d receipts.Draft) bool { return d.Kind == kind && d.Proposal == p.ID })
	}
	created, acted, intent := at(receipts.KindProposalCreated), at(receipts.KindAutonomyActed), at(receipts.KindStepIntent)
	if created < 0 || acted < created || intent < acted {
		t.Fatalf("%s: receipts created %d, acted %d, intent %d", p.ID, created, acted, intent)
	}
}

// checkLowered: while the level is below L3 dw begins nothing by itself.
func (m *machine) checkLowered(t *rapid.T, ps []Proposal) {
	begun := 0
	for _, p := range ps {
		for _, s := range p.Steps {
			if p.ByItself() {
				begun += s.Attempt
			}
		}
	}
	level := m.e.policy.Level
	if level != L3Act && level == m.at && begun > m.itself {
		t.Fatalf("at %s dw began %d calls by itself, %d before", level, begun, m.itself)
	}
	m.itself, m.at = begun, level
}
