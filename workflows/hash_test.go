package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

func testProposal(t *testing.T, change ...func(*ProposalDraft)) Proposal {
	t.Helper()
	d := ProposalDraft{
		ID: "p1", Nonce: "n1", Planned: testPlan()[2], After: []string{"p0"}, Policy: testPolicy(), Proposer: itself(),
		Incident: Incident{ID: "i1", Domain: "sales", Signals: []Signal{{Check: "orders", Result: (&estate{now: epoch}).result("orders", "fail")}}},
	}
	for _, c := range change {
		c(&d)
	}
	p, _, err := NewProposal(d, epoch)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestHashCoversContent(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*Proposal){
		"id":             func(p *Proposal) { p.ID = "x" },
		"incident":       func(p *Proposal) { p.Incident = "x" },
		"domain":         func(p *Proposal) { p.Domain = "x" },
		"key":            func(p *Proposal) { p.Key = "x" },
		"title":          func(p *Proposal) { p.Title = "x" },
		"after":          func(p *Proposal) { p.After = nil },
		"order":          func(p *Proposal) { p.Plan[0], p.Plan[1] = p.Plan[1], p.Plan[0] },
		"kind":           func(p *Proposal) { p.Plan[0].Kind = diagnosis.Hold },
		"step title":     func(p *Proposal) { p.Plan[0].Title = "x" },
		"by":             func(p *Proposal) { p.Plan[0].By = diagnosis.ByDW },
		"action":         func(p *Proposal) { p.Plan[0].Action.Name = "x" },
		"system":         func(p *Proposal) { p.Plan[0].Action.System = "x" },
		"target":         func(p *Proposal) { p.Plan[0].Action.Target = "x" },
		"argument":       func(p *Proposal) { p.Plan[0].Action.Args = map[string]string{"force": "true"} },
		"file":           func(p *Proposal) { p.Plan[0].File = "x" },
		"root":           func(p *Proposal) { p.Plan[0].Root = "x" },
		"diff":           func(p *Proposal) { p.Plan[0].Diff = "x" },
		"undo":           func(p *Proposal) { p.Plan[0].Undo = "x" },
		"undo action":    func(p *Proposal) { p.Plan[0].UndoAction = &diagnosis.Action{Name: "x"} },
		"reversible":     func(p *Proposal) { p.Plan[0].Reversible = true },
		"reason":         func(p *Proposal) { p.Plan[0].Reason = "x" },
		"blast radius":   func(p *Proposal) { p.BlastHash = "x" },
		"pre-checks":     func(p *Proposal) { p.PreChecks[0].Value = "x" },
		"policy version": func(p *Proposal) { p.PolicyVersion = "x" },
		"proposer":       func(p *Proposal) { p.Proposer.User = "x" },
		"created":        func(p *Proposal) { p.CreatedAt = p.CreatedAt.Add(1) },
		"expires":        func(p *Proposal) { p.Clocks.ExpiresAt = p.Clocks.ExpiresAt.Add(1) },
		"execute within": func(p *Proposal) { p.ExecuteWithin++ },
		"approver":       func(p *Proposal) { p.Chain[0].User = "x" },
		"quorum":         func(p *Proposal) { p.Quorum++ },
		"solo":           func(p *Proposal) { p.Solo = true },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := testProposal(t)
			before := p.Hash
			change(&p)
			if after, err := ProposalHash(p); err != nil || after == before {
				t.Errorf("hash stays %s (%v)", after, err)
			}
		})
	}
}

func TestHashLeavesStateOut(t *testing.T) {
	t.Parallel()
	p := testProposal(t)
	q := p.clone()
	q.State, q.Nonce, q.Message, q.Rev = Executing, "x", MessageRef{Channel: "C"}, 7
	q.Chain[1].AskedAt, q.Clocks.RemindAt, q.Steps[0].State = epoch, time.Time{}, StepDone
	if hash, err := ProposalHash(q); err != nil || hash != p.Hash {
		t.Errorf("hash moved with the state: %v", err)
	}
}

// TestHashFromReceipt computes the hash as an outsider would, from the receipt.
func TestHashFromReceipt(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	d := e.last(receipts.KindProposalCreated)
	b, err := receipts.Canonical(d.Body["document"])
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(append([]byte("dw/proposal/v1\n"), b...))
	if got := hex.EncodeToString(sum[:]); got != d.Subject[0].Digest {
		t.Errorf("hash of the document is %s, the receipt names %s", got, d.Subject[0].Digest)
	}
}

func TestNewProposalChain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*ProposalDraft)
		roles  []Role // nil: refused
		asked  int
	}{
		{"all named", func(*ProposalDraft) {}, []Role{RoleOwner, RoleDeputy, RoleEscalation}, 1},
		{"owner not resolved", func(d *ProposalDraft) { d.Policy.Owner.User = "" }, []Role{RoleDeputy, RoleEscalation}, 1},
		{"twice the same", func(d *ProposalDraft) { d.Policy.Deputy = ann }, []Role{RoleOwner, RoleEscalation}, 1},
		{"proposer stands in it", func(d *ProposalDraft) { d.Proposer = human(ben) }, []Role{RoleOwner, RoleEscalation}, 1},
		{"quorum asks the first two", func(d *ProposalDraft) { d.Policy.Quorum = 2 }, []Role{RoleOwner, RoleDeputy, RoleEscalation}, 2},
		{"quorum cannot be met", func(d *ProposalDraft) { d.Policy.Quorum = 4 }, nil, 0},
		{"nobody", func(d *ProposalDraft) {
			d.Policy.Owner, d.Policy.Deputy, d.Policy.Escalation = Person{}, Person{}, nil
		}, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := ProposalDraft{ID: "p1", Nonce: "n", Planned: testPlan()[1], Policy: testPolicy(), Proposer: itself()}
			tt.change(&d)
			p, _, err := NewProposal(d, epoch)
			if (err != nil) != (tt.roles == nil) || (err != nil && !errors.Is(err, ErrNobody)) {
				t.Fatalf("error %v", err)
			}
			for n, l := range p.Chain {
				if l.Role != tt.roles[n] || l.AskedAt.IsZero() == (n < tt.asked) {
					t.Errorf("link %d: %+v", n, l)
				}
			}
		})
	}
}

func TestNobodyToAskIsSaid(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) {
		e.policy.Owner, e.policy.Deputy, e.policy.Escalation = Person{}, Person{}, nil
		e.policy.Unresolved = []string{"owner ann@example.com: no such user"}
	})
	e.fail(t, "orders")
	e.pass(t, 2*time.Minute)
	if len(e.store.data.proposals) != 0 || !e.noted(t, "owner ann@example.com: no such user") {
		t.Errorf("notes %+v", e.incident(t).Notes)
	}
}

func TestUnresolvedOwnerIsSaid(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) {
		e.policy.Owner = Person{}
		e.policy.Unresolved = []string{"owner ann@example.com: no such user; asked the deputy instead"}
	})
	e.asked(t)
	if !e.noted(t, "Ben (deputy) is asked") || !e.noted(t, "asked the deputy instead") {
		t.Errorf("notes %+v", e.incident(t).Notes)
	}
}

// TestPlanThatHasNoCanonicalForm: a diff that is not UTF-8 is not asked for, and
// said; the rest of the plan is; the deadline is not fired for ever.
func TestPlanThatHasNoCanonicalForm(t *testing.T) {
	t.Parallel()
	for name, level := range map[string]Level{"L1": L1Observe, "L2": L2Propose} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(func(e *estate) { e.policy.Level, e.plan[0].Steps[0].Diff = level, "\xff" })
			e.fail(t, "orders")
			e.pass(t, 5*time.Minute)
			for _, p := range e.store.data.proposals {
				if strings.Contains(string(p), `"key":"hold"`) {
					t.Errorf("asked for all the same: %s", p)
				}
			}
			for key := range e.store.data.deadlines {
				if key[0] == DeadlinePropose {
					t.Errorf("tried again for ever: %v", key)
				}
			}
			if rest := len(e.store.data.proposals); rest != 0 && len(e.incident(t).Proposals) != rest {
				t.Errorf("%d proposals, the incident knows of %v", rest, e.incident(t).Proposals)
			}
			if said := e.noted(t, "dw has a plan but cannot ask for it"); said != (level == L2Propose) {
				t.Errorf("said %v: %+v", said, e.incident(t).Notes)
			}
		})
	}
}

func TestOptionsCheck(t *testing.T) {
	t.Parallel()
	err := Options{Store: newMemStore(), Checks: newEstate()}.Check()
	if !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), "Investigator is needed") || strings.Contains(err.Error(), "Store") {
		t.Errorf("%v", err)
	}
}
