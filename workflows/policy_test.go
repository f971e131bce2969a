package workflows

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// governedEstate is a started estate whose file says edit of the test policy.
func governedEstate(t *testing.T, edit ...func(*Policy)) *estate {
	t.Helper()
	e := newEstate(func(e *estate) {
		e.policy.Named = []string{"owner U1", "deputy U2", "escalation[0] U3"}
		for _, change := range edit {
			change(&e.policy)
		}
	})
	e.reload(t, func(*Policy) {})
	return e
}

// reload restarts on an edited file.
func (e *estate) reload(t *testing.T, edit func(*Policy)) {
	t.Helper()
	edit(&e.policy)
	e.restart()
	if err := e.svc.LoadPolicies(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.drain(t)
}

func (e *estate) inForce(t *testing.T) Policy {
	t.Helper()
	all, err := e.svc.Governance(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%v %+v", err, all)
	}
	return all[0].Policy
}

// policyAsked returns the policy change that waits, and false where none does.
func (e *estate) policyAsked(t *testing.T) (Proposal, bool) {
	t.Helper()
	waiting, err := e.svc.Waiting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := slices.IndexFunc(waiting, func(p Proposal) bool { return p.Change != nil && p.Change.Kind == ChangePolicy })
	if n < 0 {
		return Proposal{}, false
	}
	return waiting[n], true
}

func (e *estate) mustAsk(t *testing.T) Proposal {
	t.Helper()
	p, found := e.policyAsked(t)
	if !found {
		t.Fatal("no policy change is asked")
	}
	return p
}

func (e *estate) level(t *testing.T, who Person, l Level) Answer {
	t.Helper()
	a, err := e.svc.SetLevel(t.Context(), PolicyRequest{By: who, Domain: "sales", Level: l, Reason: "the move", At: e.now})
	if err != nil {
		t.Fatal(err)
	}
	e.drain(t)
	return a
}

// TestEveryPolicyFieldIsGovernedOrFree: a new field of Policy is either a
// governed term, or is put on the list of those that the file alone decides, with
// a look at approvals.md rule 9.
func TestEveryPolicyFieldIsGovernedOrFree(t *testing.T) {
	t.Parallel()
	free := []string{
		"Domain", "Version", "Held", "Unresolved", // what it is about, and what was found
		"CC", "Channel", // who is told, and where
		"Settle", "ObserveEvery", "PollEvery", "RunTimeout", "Together", "RecoverRuns", // how dw looks, and what is one incident
		"PageService", "Page", "PageWait", "TicketProject", "TicketType", "Ticket", "TicketRequest", "TicketFields", "TicketMove",
	}
	mark := testPolicy()
	moved := map[string]bool{}
	fields := reflect.TypeFor[Policy]()
	for n := range fields.NumField() {
		other := Policy{Domain: "other", Level: 9, Owner: mort, Deputy: mort, Escalation: []Person{mort}, Rotas: []RotaLink{{}}, CC: []Person{mort}, Named: []string{"x"}}
		fill(reflect.ValueOf(&other).Elem().Field(n))
		got := mark.withTerms(other, termNames(allTerms()))
		if !reflect.DeepEqual(reflect.ValueOf(got).Field(n).Interface(), reflect.ValueOf(mark).Field(n).Interface()) {
			moved[fields.Field(n).Name] = true
		}
	}
	for field := range fields.Fields() {
		name := field.Name
		if moved[name] && slices.Contains(free, name) && name != "Unresolved" {
			t.Errorf("%s is governed and on the list of the free ones", name)
		}
		if !moved[name] && !slices.Contains(free, name) {
			t.Errorf("Policy.%s is neither governed nor free: add a term to governed(), or its name here and to docs/approvals.md", name)
		}
	}
}

func allTerms() []TermChange {
	var out []TermChange
	for _, g := range governed() {
		out = append(out, TermChange{Term: g.name})
	}
	return out
}

// fill gives a field a value that no test policy has.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("moved")
	case reflect.Int, reflect.Int64:
		v.SetInt(987654321)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 7, 7))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Struct:
		v.Field(0).SetString("moved")
	}
}

// TestFirstStart: what the file says is in force at the first start with a
// domain, L3 never without an approval.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	for _, l := range []Level{L0Manual, L1Observe, L2Propose} {
		e := governedEstate(t, func(p *Policy) { p.Level = l })
		if _, asked := e.policyAsked(t); asked || e.inForce(t).Level != l {
			t.Errorf("%s: in force %s, asked %v", l, e.inForce(t).Level, asked)
		}
	}
	e := governedEstate(t, func(p *Policy) { p.Level, p.Playbooks = L3Act, []string{"lost_rows/hold"} })
	if p := e.inForce(t); p.Level != L2Propose || !strings.Contains(TermsText(p.Held), "level L2 to L3") {
		t.Errorf("in force %s, held %v", p.Level, p.Held)
	}
	if _, asked := e.policyAsked(t); asked {
		t.Error("L3 is asked without a record")
	}
}

// TestRaisedInTheFile is rule 9: the file alone raises nothing, two humans do.
func TestRaisedInTheFile(t *testing.T) {
	t.Parallel()
	e := governedEstate(t, func(p *Policy) { p.Level = L1Observe })
	e.reload(t, func(p *Policy) { p.Level = L2Propose })
	if p := e.inForce(t); p.Level != L1Observe || len(p.Held) != 1 {
		t.Fatalf("the edited file is in force: %s, held %v", p.Level, p.Held)
	}
	if e.asked(t); len(e.incident(t).Proposals) > 0 {
		t.Fatal("dw asks at L1")
	}
	p := e.mustAsk(t)
	if a := e.decide(t, e.click(p, ann, Approve)); !a.OK || e.inForce(t).Level != L1Observe {
		t.Fatalf("one person raised the level alone: %+v, %s", a, e.inForce(t).Level)
	}
	if a := e.decide(t, e.click(p, ann, Approve)); a.OK && e.inForce(t).Level != L1Observe {
		t.Fatal("the same person counts twice")
	}
	e.decide(t, e.click(p, ben, Approve))
	wantState(t, e.proposal(t, p.ID), Verified)
	if got := e.inForce(t); got.Level != L2Propose || len(got.Held) > 0 {
		t.Fatalf("after two people: %s, held %v", got.Level, got.Held)
	}
	d := e.last(receipts.KindAutonomyLevelChanged)
	if d.Body["from"] != "L1" || d.Body["to"] != "L2" || d.Body["asked_by"] != ann.User || d.Actor.User != ben.User || d.Proposal != p.ID {
		t.Errorf("receipt %+v", d)
	}
	e.pass(t, e.policy.Settle)
	if len(e.incident(t).Proposals) == 0 {
		t.Error("the open incident is not asked about at L2")
	}
	e.reload(t, func(*Policy) {})
	if _, again := e.policyAsked(t); again || e.inForce(t).Level != L2Propose {
		t.Error("a start without an edit changed something")
	}
}

// TestLoosenedInTheFile: what rule 9 names is held, what tightens is not.
func TestLoosenedInTheFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		edit func(*Policy)
		held string // term; empty: in force at once
	}{
		{"an approver", func(p *Policy) { p.Deputy, p.Named = mort, []string{"owner U1", "deputy U9", "escalation[0] U3"} }, "approvers"},
		{"another person behind an e-mail", func(p *Policy) { p.Deputy = mort }, "approvers"},
		{"a person whom Slack does not know any more", func(p *Policy) { p.Deputy = Person{} }, ""},
		{"a lower quorum", func(p *Policy) { p.Quorum = 1 }, "quorum"},
		{"a higher quorum", func(p *Policy) { p.Quorum = 3 }, ""},
		{"a lower quorum of one class", func(p *Policy) { p.QuorumBy = ByKind{diagnosis.Hold: 1} }, "quorum"},
		{"a higher quorum of one class", func(p *Policy) { p.QuorumBy = ByKind{diagnosis.Change: 3} }, ""},
		{"a lower policy quorum", func(p *Policy) { p.PolicyQuorum = 0 }, "policy_quorum"},
		{"alone", func(p *Policy) { p.Solo = true }, "solo"},
		{"a playbook more", func(p *Policy) { p.Playbooks = []string{"a/b", "c/d"} }, "playbooks"},
		{"a playbook less", func(p *Policy) { p.Playbooks = nil }, ""},
		{"an operator less", func(p *Policy) { p.OperatorNames, p.Operators = nil, nil }, "agent_operators"},
		{"an operator more", func(p *Policy) { p.OperatorNames = append(p.OperatorNames, "U1") }, ""},
		{"a longer expiry", func(p *Policy) { p.ExpireAfter *= 2 }, "expire_after"},
		{"a shorter expiry", func(p *Policy) { p.ExpireAfter /= 2 }, "expire_after"},
		{"a later escalation", func(p *Policy) { p.EscalateAfter += time.Minute }, "escalate_after"},
		{"a reminder that never comes", func(p *Policy) { p.RemindAfter = 0 }, "remind_after"},
		{"a longer approval", func(p *Policy) { p.ExecuteWithin *= 2 }, "execute_within"},
		{"an earlier re-check", func(p *Policy) { p.VerifyAfter = 0 }, "verify_after"},
		{"a lower level", func(p *Policy) { p.Level = L0Manual }, ""},
		{"another channel", func(p *Policy) { p.Channel = "C2" }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := governedEstate(t, func(p *Policy) {
				p.Quorum, p.PolicyQuorum, p.Playbooks = 2, 2, []string{"a/b"}
				p.OperatorNames, p.Operators = []string{"U7"}, []Person{{Team: "T1", User: "U7"}}
			})
			before := e.inForce(t)
			e.reload(t, tt.edit)
			p, asked := e.policyAsked(t)
			after := e.inForce(t)
			if tt.held == "" {
				if asked || len(after.Held) > 0 || len(termsApart(after, e.policy, false)) > 0 {
					t.Errorf("held %v, differs %v", after.Held, termsApart(after, e.policy, false))
				}
				return
			}
			if !asked || termNames(p.Change.Terms)[0] != tt.held || termNames(after.Held)[0] != tt.held {
				t.Fatalf("asked %v, held %v", p.Change, after.Held)
			}
			if moved := termsApart(before, after, false); len(moved) > 0 {
				t.Errorf("in force without a decision: %v", moved)
			}
			if p.Quorum != 3 { // a policy quorum of two, and the one who takes the request over
				t.Errorf("%d people decide", p.Quorum)
			}
		})
	}
}

// TestQuorumWaitsForItsChain: more approvals by a chain that is not in force yet
// might never come.
func TestQuorumWaitsForItsChain(t *testing.T) {
	t.Parallel()
	e := governedEstate(t)
	e.reload(t, func(p *Policy) {
		p.Quorum, p.Escalation, p.Named = 4, []Person{cleo, mort}, append(p.Named, "escalation[1] U9")
	})
	if p := e.inForce(t); p.Quorum != 1 || len(p.Escalation) != 1 {
		t.Fatalf("quorum %d of %+v", p.Quorum, p.Escalation)
	}
	p := e.mustAsk(t)
	e.decide(t, e.click(p, ann, Approve))
	e.decide(t, e.click(p, cleo, Approve))
	if p := e.inForce(t); p.Quorum != 4 || len(p.Escalation) != 2 || len(p.Held) > 0 {
		t.Errorf("quorum %d of %+v, held %v", p.Quorum, p.Escalation, p.Held)
	}
}

// TestLevelByCommand: lowering takes one listed person, raising two, one level at
// a time.
func TestLevelByCommand(t *testing.T) {
	t.Parallel()
	e := governedEstate(t)
	if a := e.level(t, mort, L1Observe); a.OK || e.inForce(t).Level != L2Propose {
		t.Fatalf("a stranger lowered the level: %s", a.Text)
	}
	if a := e.level(t, carl, L0Manual); !a.OK || e.inForce(t).Level != L0Manual {
		t.Fatalf("somebody under cc is listed and may lower: %s", a.Text)
	}
	d := e.last(receipts.KindAutonomyLevelChanged)
	if d.Body["how"] != ByLowering || d.Body["to"] != "L0" || d.Actor.User != carl.User {
		t.Errorf("receipt %+v", d)
	}
	if d := e.last(receipts.KindPolicyChanged); d.Body["how"] != ByLowering || d.Body["terms"] == nil || d.Actor.User != carl.User {
		t.Errorf("receipt %+v", d)
	}
	if a := e.level(t, ann, L2Propose); a.OK || !strings.Contains(a.Text, "one at a time") {
		t.Errorf("two levels at once: %+v", a)
	}
	e.reload(t, func(*Policy) {})
	if l := e.inForce(t).Level; l != L0Manual {
		t.Fatalf("a restart brought %s back", l)
	}
	if a := e.level(t, ann, L1Observe); !a.OK {
		t.Fatal(a.Text)
	}
	p := e.mustAsk(t)
	if a := e.decide(t, e.click(p, ann, Approve)); a.OK {
		t.Error("the one who asked approved it")
	}
	if a := e.decide(t, e.click(p, carl, Approve)); a.OK {
		t.Error("cc approved it")
	}
	e.decide(t, e.click(p, ben, Approve))
	if l := e.inForce(t).Level; l != L1Observe {
		t.Errorf("in force %s", l)
	}
}

// TestAskedOfAnotherState: what was asked before the level was lowered is not in
// force afterwards, whoever approves it.
func TestAskedOfAnotherState(t *testing.T) {
	t.Parallel()
	e := governedEstate(t, func(p *Policy) { p.Level = L1Observe })
	e.level(t, ann, L2Propose)
	p := e.mustAsk(t)
	e.level(t, cleo, L0Manual)
	e.decide(t, e.click(p, ben, Approve))
	wantState(t, e.proposal(t, p.ID), Withdrawn)
	if l := e.inForce(t).Level; l != L0Manual {
		t.Errorf("in force %s", l)
	}
}

// TestNobodyDecidesInTime: silence raises nothing, and the file may be asked for
// again by a person.
func TestNobodyDecidesInTime(t *testing.T) {
	t.Parallel()
	e := governedEstate(t)
	e.reload(t, func(p *Policy) { p.ExecuteWithin *= 2 })
	p := e.mustAsk(t)
	e.pass(t, e.policy.ExpireAfter+time.Minute)
	wantState(t, e.proposal(t, p.ID), Expired)
	e.reload(t, func(*Policy) {})
	if _, again := e.policyAsked(t); again {
		t.Error("the same file is asked for at every start")
	}
	a, err := e.svc.AskPolicy(t.Context(), PolicyRequest{By: cleo, Domain: "sales", At: e.now})
	if err != nil || !a.OK {
		t.Fatalf("%+v %v", a, err)
	}
	e.drain(t)
	p = e.mustAsk(t)
	e.decide(t, e.click(p, ann, Approve))
	if got := e.inForce(t).ExecuteWithin; got != e.policy.ExecuteWithin {
		t.Errorf("in force %s", got)
	}
}

// TestSoloPolicy is rule 12b: a team of one changes its own policy up to L2, and
// solo cannot be added alone.
func TestSoloPolicy(t *testing.T) {
	t.Parallel()
	alone := func(p *Policy) {
		p.Deputy, p.Escalation, p.CC, p.Named, p.Solo, p.Level = Person{}, nil, nil, []string{"owner U1"}, true, L1Observe
	}
	e := governedEstate(t, alone)
	if a := e.level(t, ann, L2Propose); !a.OK || e.inForce(t).Level != L2Propose {
		t.Fatalf("%+v, in force %s", a, e.inForce(t).Level)
	}
	if d := e.last(receipts.KindAutonomyLevelChanged); d.Body["solo"] != true {
		t.Errorf("receipt %+v", d)
	}
	if a := e.level(t, ann, L3Act); a.OK || e.inForce(t).Level != L2Propose {
		t.Errorf("alone at L3: %+v", a)
	}
	e = governedEstate(t, alone, func(p *Policy) { p.Solo = false })
	e.reload(t, func(p *Policy) { p.Solo, p.Level = true, L2Propose })
	if a := e.level(t, ann, L2Propose); a.OK || e.inForce(t).Level != L1Observe || e.inForce(t).Solo {
		t.Errorf("solo was added alone: %+v, %+v", a, e.inForce(t))
	}
}

// TestDamagedPolicy: what cannot be read allows no more than observing.
func TestDamagedPolicy(t *testing.T) {
	t.Parallel()
	e := governedEstate(t)
	e.store.data.inForce = InForce{Damaged: true}
	e.reload(t, func(*Policy) {})
	if p := e.inForce(t); p.Level != L1Observe {
		t.Errorf("in force %s", p.Level)
	}
	if a := e.level(t, ann, L2Propose); a.OK {
		t.Errorf("%+v", a)
	}
	if e.asked(t); len(e.incident(t).Proposals) > 0 {
		t.Error("dw asks")
	}
}

// TestLostPolicyIsForgotten: what others wrote in a shared transaction that was
// lost is not taken for what is in force, whether the update succeeds alone or not.
func TestLostPolicyIsForgotten(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]error{"it succeeds alone": nil, "it fails alone": errors.New("the disk is full")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := opened(func(e *estate) { e.open(L2Propose) })
			if err := e.svc.LoadPolicies(t.Context()); err != nil {
				t.Fatal(err)
			}
			e.store.shared = func(d *memData) {
				st := d.inForce.Domains["sales"]
				st.Policy.Level = L3Act
				d.inForce = d.inForce.with("sales", st)
				d.inForce.Rev++
			}
			e.store.down = down
			if err := e.svc.ClockJumped(t.Context(), e.now, e.now.Add(time.Hour)); !errors.Is(err, down) {
				t.Fatal(err)
			}
			if p, _ := e.svc.Policy("sales"); p.Level != L2Propose {
				t.Errorf("dw takes the domain for %s, and it is at L2", p.Level)
			}
		})
	}
}
