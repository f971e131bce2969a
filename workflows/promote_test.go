package workflows

import (
	"strings"
	"testing"

	"dw/receipts"
)

// goodRecord is a record on which a domain may be raised to L3.
func goodRecord(change ...func(*ClassRecord)) *Record {
	c := ClassRecord{Class: "lost_rows/hold", Proposed: Tally{Count: 4}, Approved: Tally{Count: 3}, Verified: Tally{Count: 3}}
	for _, edit := range change {
		edit(&c)
	}
	return &Record{Domain: "sales", Head: 99, Classes: []ClassRecord{{Class: "lost_rows/change"}, c}}
}

// TestPromotionGuardOnWhatIsAsked: who may ask, for which level, on what record.
func TestPromotionGuardOnWhatIsAsked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		from   Level
		to     Level
		by     Person
		edit   func(*Policy)
		record *Record
		says   string // empty: may be asked
	}{
		{"to L2 without any record", L1Observe, L2Propose, ann, nil, &Record{}, ""},
		{"to L3 on a record", L2Propose, L3Act, ann, nil, goodRecord(), ""},
		{"two levels", L1Observe, L3Act, ann, nil, goodRecord(), "one at a time"},
		{"to L4", L3Act, L3Act + 1, ann, nil, goodRecord(), "is not offered"},
		{"by the holder of an agent's credentials", L1Observe, L2Propose, cleo, nil, goodRecord(), "credentials"},
		{"a team of one to L3", L2Propose, L3Act, ann, func(p *Policy) { p.Solo = true }, goodRecord(), "cannot exceed L2"},
		{"without a playbook", L2Propose, L3Act, ann, func(p *Policy) { p.Playbooks = nil }, goodRecord(), "lists none"},
		{"on no record", L2Propose, L3Act, ann, nil, nil, "could not be read"},
		{"on a short record", L2Propose, L3Act, ann, nil, goodRecord(func(c *ClassRecord) { c.Approved.Count = 2 }), "2 of 3"},
		{"on a record that was not verified", L2Propose, L3Act, ann, nil, goodRecord(func(c *ClassRecord) { c.Verified.Count = 0 }), "0 of 3"},
		{"on a record of another playbook", L2Propose, L3Act, ann, func(p *Policy) { p.Playbooks = []string{"lost_rows/change"} }, goodRecord(), "0 of 3"},
		{"on a record with a rollback", L2Propose, L3Act, ann, nil, goodRecord(func(c *ClassRecord) { c.RolledBack.Count = 1 }), "rolled back 1 times"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := testPolicy()
			before.Level, before.Playbooks, before.Operators = tt.from, []string{"lost_rows/hold"}, []Person{cleo}
			if tt.edit != nil {
				tt.edit(&before)
			}
			target := before
			target.Level = tt.to
			got := refusePolicy(before, target, termsApart(before, target, false), tt.by, tt.record)
			switch {
			case tt.says == "" && got != nil:
				t.Errorf("refused: %v", got)
			case tt.says != "" && (got == nil || got.Code != RefusedPromotion || !strings.Contains(got.Text, tt.says)):
				t.Errorf("%v, want %q", got, tt.says)
			}
		})
	}
}

// TestPromotionGuardInForce: an approved change comes into force only by enough
// different humans, none of whom asked or holds an agent's credentials.
func TestPromotionGuardInForce(t *testing.T) {
	t.Parallel()
	yes := func(who ...Person) (out []Decision) {
		for _, p := range who {
			out = append(out, Decision{By: p, Verdict: Approve})
		}
		return out
	}
	agent := receipts.Actor{Kind: receipts.ActorAgent, Team: ann.Team, User: ann.User}
	tests := []struct {
		name      string
		proposer  receipts.Actor
		file      bool
		solo      bool
		decisions []Decision
		quorum    int
		holds     bool
	}{
		{"another human", human(ann), false, false, yes(ben), 1, true},
		{"the one who asked", human(ann), false, false, yes(ann), 1, false},
		{"one person twice", human(ann), false, false, yes(ben, ben), 2, false},
		{"the holder of credentials", human(ann), false, false, yes(cleo), 1, false},
		{"the holder of credentials as well", human(ann), false, false, yes(ben, cleo), 1, false},
		{"asked by an agent", agent, false, false, yes(ben), 1, false},
		{"asked by dw", itself(), false, false, yes(ben), 1, false},
		{"an edited file, one person", itself(), true, false, yes(ben), 1, false},
		{"an edited file, two people", itself(), true, false, yes(ben, ann), 1, true},
		{"an edited file, one person twice", itself(), true, false, yes(ben, ben), 1, false},
		{"an edited file of a team of one", itself(), true, true, yes(ann), 1, true},
		{"a revoked approval", human(ann), false, false, []Decision{{By: ben, Verdict: Approve, RevokedAt: epoch}}, 1, false},
		{"a rejection", human(ann), false, false, []Decision{{By: ben, Verdict: Reject}}, 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := testPolicy()
			before.PolicyQuorum, before.Operators = tt.quorum, []Person{cleo}
			p := Proposal{Proposer: tt.proposer, Decisions: tt.decisions, Solo: tt.solo, Change: &Change{Kind: ChangePolicy, FromFile: tt.file}}
			if got := refuseInForce(p, before); (got == nil) != tt.holds {
				t.Errorf("%v", got)
			}
		})
	}
}

// TestOperatorsAreNotAsked: a holder of credentials is not among those who decide,
// whatever chain names them.
func TestOperatorsAreNotAsked(t *testing.T) {
	t.Parallel()
	e := governedEstate(t, func(p *Policy) { p.Level, p.OperatorNames, p.Operators = L1Observe, []string{"U2"}, []Person{ben} })
	if a := e.level(t, ben, L2Propose); a.OK {
		t.Errorf("the holder of credentials asked for a higher level: %s", a.Text)
	}
	e.level(t, ann, L2Propose)
	p := e.mustAsk(t)
	if _, named := p.link(ben); named || len(p.Chain) != 1 {
		t.Fatalf("asked are %+v", p.Chain)
	}
	if a := e.decide(t, e.click(p, ben, Approve)); a.OK || e.inForce(t).Level != L1Observe {
		t.Errorf("%+v", a)
	}
}

// TestPromotionIsAskedOnItsRecord: the record stands in the proposal, inside the
// hash.
func TestPromotionIsAskedOnItsRecord(t *testing.T) {
	t.Parallel()
	e := governedEstate(t)
	e.level(t, ann, L1Observe)
	e.level(t, ann, L2Propose)
	p := e.mustAsk(t)
	if p.Change.Record == nil || p.Change.Record.Head == 0 {
		t.Fatalf("asked without a record: %+v", p.Change)
	}
	for name, edit := range map[string]func(*Change){
		"record": func(c *Change) {
			c.Record = &Record{Domain: "sales", Head: c.Record.Head, At: c.Record.At, Classes: goodRecord().Classes}
		},
		"term":   func(c *Change) { c.Terms = []TermChange{{Term: termLevel, From: "L1", To: "L3"}} },
		"target": func(c *Change) { target := *c.Target; target.Level = L3Act; c.Target = &target },
		"state":  func(c *Change) { c.Rev++ },
		"origin": func(c *Change) { c.FromFile = true },
	} {
		q, change := p, *p.Change
		edit(&change)
		q.Change = &change
		if hash, err := ProposalHash(q); err != nil || hash == p.Hash {
			t.Errorf("%s is not inside the hash (%v)", name, err)
		}
	}
}
