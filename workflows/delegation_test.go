package workflows

import (
	"context"
	"strings"
	"testing"
	"time"

	"dw/receipts"
)

// delegate asks for mort to stand in for ann for an hour from now, as changed.
func (e *estate) delegate(t fataler, change ...func(*DelegateRequest)) Answer {
	t.Helper()
	r := DelegateRequest{By: ann, To: mort, From: e.now, Until: e.now.Add(time.Hour), At: e.now}
	for _, c := range change {
		c(&r)
	}
	a, err := e.svc.Delegate(context.Background(), r)
	if err != nil {
		t.Fatalf("delegate: %v", err)
	}
	e.drain(t)
	return a
}

// TestStandInIsAskedAndCounts: while a delegation holds, whoever stands in is
// asked beside the person, approves in their place, and both names are in the
// receipt, the decision and the thread.
func TestStandInIsAskedAndCounts(t *testing.T) {
	t.Parallel()
	e := newEstate()
	if a := e.delegate(t); !a.OK || !strings.Contains(a.Text, "Mort stands in for you in every domain of theirs from 12:00 UTC until 13:00 UTC") {
		t.Fatalf("%+v", a)
	}
	if d := e.last(receipts.KindDelegationCreated); d.Actor.User != ann.User || d.Body["to"].(receipts.Object)["user"] != mort.User {
		t.Errorf("the delegation's receipt is %+v", d)
	}
	e.asked(t)
	p := e.key(t, "change")
	if got := chainText(p); got != "Ann owner; Mort owner, in for Ann; Ben deputy; Cleo escalation" {
		t.Fatalf("chain %q", got)
	}
	if got := strings.Join(shownNames(people(p.Asked())), " "); got != "Ann Mort" {
		t.Errorf("asked %s", got)
	}
	altered := p.clone()
	altered.Chain[1].For = ben
	if hash, err := ProposalHash(altered); err != nil || hash == p.Hash {
		t.Errorf("the hash does not cover for whom somebody stands in: %v", err)
	}
	if a := e.decide(t, e.click(p, mort, Approve)); !a.OK {
		t.Fatalf("the stand-in is refused: %s", a.Text)
	}
	p = e.key(t, "change")
	wantState(t, p, Executing)
	if d := p.Decisions[0]; !d.By.Same(mort) || !d.For.Same(ann) {
		t.Errorf("the decision is %+v", d)
	}
	if d := e.last(receipts.KindDecisionRecorded); d.Actor.User != mort.User || d.Body["for"].(receipts.Object)["user"] != ann.User || d.Body["delegation"] == "" {
		t.Errorf("the decision's receipt is %+v", d)
	}
	if !e.noted(t, "Mort (owner, in for Ann) approved") {
		t.Errorf("notes %+v", e.incident(t).Notes)
	}
}

// TestStandInHoldsOnePlace: a person and who stands in for them are one of the
// quorum, whoever clicks first; either may reject all the same.
func TestStandInHoldsOnePlace(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][2]Person{"the stand-in first": {mort, ann}, "the person first": {ann, mort}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(func(e *estate) { e.policy.Quorum = 2 })
			e.delegate(t)
			e.asked(t)
			if got := strings.Join(shownNames(people(e.key(t, "change").Asked())), " "); got != "Ann Mort Ben" {
				t.Errorf("asked %s, want two places", got)
			}
			e.decide(t, e.click(e.key(t, "change"), order[0], Approve))
			a := e.decide(t, e.click(e.key(t, "change"), order[1], Approve))
			if a.OK || !strings.Contains(a.Text, order[0].Name+" approved this at 12:01 UTC, and the two of you hold one place") {
				t.Errorf("the second: %+v", a)
			}
			wantState(t, e.key(t, "change"), Waiting)
			if a := e.decide(t, e.click(e.key(t, "change"), order[1], Reject)); !a.OK {
				t.Errorf("a reject: %+v", a)
			}
			wantState(t, e.key(t, "change"), Rejected)
		})
	}
}

// TestStandInOutsideOfTheWindow: after the end, or once it is revoked, the
// stand-in is refused and recorded, for a decision and for a step; who is named
// as well decides as themselves.
func TestStandInOutsideOfTheWindow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		to     Person
		change func(*testing.T, *estate)
		says   string
	}{
		"within it":          {mort, func(*testing.T, *estate) {}, ""},
		"at its last moment": {mort, func(_ *testing.T, e *estate) { e.now = epoch.Add(time.Hour - 1) }, ""},
		"at its end":         {mort, func(_ *testing.T, e *estate) { e.now = epoch.Add(time.Hour) }, "You stood in for Ann here, and that ended at 13:00 UTC. Ann (owner) can decide"},
		"revoked":            {mort, func(t *testing.T, e *estate) { e.end(t, ann) }, "that was revoked at 12:01 UTC"},
		"given back":         {mort, func(t *testing.T, e *estate) { e.end(t, mort) }, "that was revoked at 12:01 UTC"},
		"named as well":      {ben, func(t *testing.T, e *estate) { e.end(t, ann) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(func(e *estate) { e.policy.EscalateAfter = 0 })
			e.delegate(t, func(r *DelegateRequest) { r.To = test.to })
			e.asked(t)
			test.change(t, e)
			a := e.decide(t, e.click(e.key(t, "change"), test.to, Approve))
			if a.OK != (test.says == "") || !strings.Contains(a.Text, test.says) {
				t.Fatalf("%+v, want %q", a, test.says)
			}
			if d := e.last(receipts.KindDecisionRefused); test.says != "" && (d.Body["code"] != string(RefusedDelegation) || d.Actor.User != test.to.User) {
				t.Errorf("the refusal's receipt is %+v", d)
			}
		})
	}
	t.Run("a step", func(t *testing.T) {
		t.Parallel()
		e := newEstate()
		e.delegate(t)
		e.asked(t)
		e.approve(t, "change")
		e.now = epoch.Add(time.Hour)
		if a := e.done(t, "change", 0, func(r *DoneRequest) { r.By = mort }); a.OK || !strings.Contains(a.Text, "that ended at 13:00 UTC") {
			t.Errorf("%+v", a)
		}
	})
}

// end revokes the one delegation there is.
func (e *estate) end(t *testing.T, by Person) {
	t.Helper()
	all, err := e.svc.Delegations(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("delegations %v, %v", all, err)
	}
	if a, err := e.svc.EndDelegation(t.Context(), EndRequest{By: by, ID: all[0].ID, At: e.now}); err != nil || !a.OK {
		t.Fatalf("end: %+v, %v", a, err)
	}
	if d := e.last(receipts.KindDelegationRevoked); d.Actor.User != by.User {
		t.Errorf("the receipt is %+v", d)
	}
	e.drain(t)
}

// TestDelegationIsRefused: each thing that no delegation may be, refused with the
// reason, recorded, and nothing kept.
func TestDelegationIsRefused(t *testing.T) {
	t.Parallel()
	at := func(from, until time.Duration) func(*DelegateRequest) {
		return func(r *DelegateRequest) { r.From, r.Until = epoch.Add(from), epoch.Add(until) }
	}
	for name, test := range map[string]struct {
		change func(*DelegateRequest)
		says   string
	}{
		"to oneself":          {func(r *DelegateRequest) { r.To = ann }, "You cannot stand in for yourself"},
		"to nobody":           {func(r *DelegateRequest) { r.To = Person{} }, "Name the person"},
		"to a guest":          {func(r *DelegateRequest) { r.ToNotAllowed = "the account is a guest" }, "Mort cannot stand in for you: the account is a guest"},
		"to a bot":            {func(r *DelegateRequest) { r.ToNotAllowed = "the account is a bot" }, "the account is a bot"},
		"to the deactivated":  {func(r *DelegateRequest) { r.ToNotAllowed = "the account is deactivated" }, "the account is deactivated"},
		"to who is told only": {func(r *DelegateRequest) { r.To = carl }, "Carl is kept informed (cc) about sales"},
		"by a guest":          {func(r *DelegateRequest) { r.NotAllowed = "the account is a guest" }, "You cannot name a stand-in"},
		"by nobody's place":   {func(r *DelegateRequest) { r.By, r.To = mort, ann }, "You stand in no chain there"},
		"by cc":               {func(r *DelegateRequest) { r.By = carl }, "You stand in no chain there"},
		"no such domain":      {func(r *DelegateRequest) { r.Domain = "finance" }, `There is no domain "finance"`},
		"without an end":      {func(r *DelegateRequest) { r.Until = time.Time{} }, "Say until when"},
		"backwards":           {at(2*time.Hour, time.Hour), "is not after the beginning"},
		"in the past":         {at(-2*time.Hour, -time.Hour), "has passed"},
		"for too long":        {at(0, maxDelegation+1), "lasts at most 30 days"},
		"too far ahead":       {at(aheadDelegation+time.Hour, aheadDelegation+2*time.Hour), "begins at most 90 days from now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate()
			if a := e.delegate(t, test.change); a.OK || !strings.Contains(a.Text, test.says) {
				t.Errorf("%+v, want %q", a, test.says)
			}
			if d := e.last(receipts.KindDecisionRefused); d.Body["action"] != "delegate" {
				t.Errorf("the refusal's receipt is %+v", d)
			}
			if len(e.store.data.delegated) != 0 {
				t.Error("it was kept all the same")
			}
		})
	}
}

// TestDelegationIsOneHop: nobody has two stand-ins at a time, names one who is
// away, or hands on what they stand in for; a revoked one is in nobody's way.
func TestDelegationIsOneHop(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.delegate(t)
	for name, test := range map[string]struct {
		by, to Person
		says   string
	}{
		"two at a time":     {ann, cleo, "Mort stands in for you already from 12:00 UTC until 13:00 UTC"},
		"to who is away":    {ben, ann, "Ann is away from 12:00 UTC until 13:00 UTC and has named Mort; a delegation goes one step only"},
		"what is delegated": {mort, ben, "You stand in no chain there"},
	} {
		if a := e.delegate(t, func(r *DelegateRequest) { r.By, r.To = test.by, test.to }); a.OK || !strings.Contains(a.Text, test.says) {
			t.Errorf("%s: %+v, want %q", name, a, test.says)
		}
	}
	e.end(t, ann)
	if a := e.delegate(t, func(r *DelegateRequest) { r.To = ben }); !a.OK {
		t.Errorf("after the revocation: %+v", a)
	}
	if a := e.delegate(t, func(r *DelegateRequest) { r.By, r.To = ben, cleo }); a.OK || !strings.Contains(a.Text, "You stand in for Ann") {
		t.Errorf("who stands in names another: %+v", a)
	}
	if a := e.delegate(t, func(r *DelegateRequest) {
		r.By, r.To, r.From, r.Until = ben, cleo, epoch.Add(time.Hour), epoch.Add(2*time.Hour)
	}); !a.OK {
		t.Errorf("right after: %+v", a)
	}
}

// TestDelegationNotToTheRequester: who asked for something, or made the change
// that it answers, does not stand in for those who decide it, which is said.
func TestDelegationNotToTheRequester(t *testing.T) {
	t.Parallel()
	delegations := []Delegation{{ID: "DEL-1", By: ann, To: mort, From: epoch, Until: epoch.Add(time.Hour)}}
	for name, change := range map[string]func(*ProposalDraft){
		"the requester": func(d *ProposalDraft) { d.Proposer = human(mort) },
		"the author":    func(d *ProposalDraft) { d.Authors = []Author{{Change: "d-17", Person: mort}} },
		"cc":            func(d *ProposalDraft) { d.Policy.CC = []Person{mort} },
	} {
		d := ProposalDraft{ID: "p1", Nonce: "n", Planned: testPlan()[1], Policy: testPolicy(), Proposer: itself(), Delegations: delegations}
		change(&d)
		p, _, err := NewProposal(d, epoch)
		if err != nil || p.named(mort) || !strings.Contains(strings.Join(p.Unresolved, ";"), "Mort, who stands in for Ann, ") {
			t.Errorf("%s: chain %s, said %v, %v", name, chainText(p), p.Unresolved, err)
		}
	}
}

// TestDelegationOfADomain: one for another domain, or that begins later, adds
// nobody.
func TestDelegationOfADomain(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Delegation){
		"of another domain": func(d *Delegation) { d.Domain = "finance" },
		"that begins later": func(d *Delegation) { d.From = epoch.Add(30 * time.Minute) },
		"that was revoked":  func(d *Delegation) { d.RevokedAt = epoch },
	} {
		e := newEstate()
		d := Delegation{ID: "DEL-1", By: ann, To: mort, From: epoch, Until: epoch.Add(time.Hour)}
		change(&d)
		if err := e.store.Update(t.Context(), func(tx Tx) error {
			_, err := tx.PutDelegation(t.Context(), d)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		e.asked(t)
		if p := e.key(t, "change"); p.named(mort) {
			t.Errorf("%s: chain %s", name, chainText(p))
		}
	}
}

// TestWhoEndsADelegation: one of its two people, once.
func TestWhoEndsADelegation(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.delegate(t)
	id := ""
	for id = range e.store.data.delegated {
		break
	}
	for name, test := range map[string]struct {
		r    EndRequest
		says string
	}{
		"an outsider": {EndRequest{By: ben, ID: id}, "Only Ann or Mort can end it"},
		"a guest now": {EndRequest{By: ann, ID: id, NotAllowed: "the account is a guest"}, "the account is a guest"},
		"no such one": {EndRequest{By: ann, ID: "DEL-0"}, `There is no delegation "DEL-0"`},
	} {
		if a, err := e.svc.EndDelegation(t.Context(), test.r); err != nil || a.OK || !strings.Contains(a.Text, test.says) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	e.end(t, ann)
	if a, err := e.svc.EndDelegation(t.Context(), EndRequest{By: ann, ID: id}); err != nil || !a.OK || !strings.Contains(a.Text, "was revoked") {
		t.Errorf("again: %+v, %v", a, err)
	}
}
