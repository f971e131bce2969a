package workflows

import (
	"strings"
	"testing"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// TestQuorumOfThePlan: a plan needs what the highest of its classes of action
// needs; a class that is not named needs the domain's quorum, and verifying none.
func TestQuorumOfThePlan(t *testing.T) {
	t.Parallel()
	hold, change, rerun, verify := diagnosis.Hold, diagnosis.Change, diagnosis.Rerun, diagnosis.Verify
	for name, test := range map[string]struct {
		quorum int
		by     ByKind
		kinds  []diagnosis.StepKind
		want   int
	}{
		"nothing set":                {0, nil, []diagnosis.StepKind{hold}, 1},
		"the domain's":               {2, nil, []diagnosis.StepKind{hold}, 2},
		"a class below the domain's": {2, ByKind{hold: 1}, []diagnosis.StepKind{hold}, 1},
		"a class above the domain's": {1, ByKind{change: 3}, []diagnosis.StepKind{change}, 3},
		"the highest counts":         {1, ByKind{hold: 1, rerun: 2}, []diagnosis.StepKind{hold, rerun}, 2},
		"wherever it stands":         {1, ByKind{hold: 1, rerun: 2}, []diagnosis.StepKind{rerun, hold}, 2},
		"one that is not named":      {2, ByKind{hold: 1}, []diagnosis.StepKind{hold, change}, 2},
		"verifying needs none":       {2, ByKind{hold: 1}, []diagnosis.StepKind{hold, verify}, 1},
		"only verifying":             {2, ByKind{hold: 1}, []diagnosis.StepKind{verify}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var steps []diagnosis.PlannedStep
			for _, kind := range test.kinds {
				steps = append(steps, diagnosis.PlannedStep{Kind: kind})
			}
			if got := (Policy{Quorum: test.quorum, QuorumBy: test.by}).quorumOf(steps); got != test.want {
				t.Errorf("needs %d, want %d", got, test.want)
			}
		})
	}
}

// TestQuorumByClass: a hold is approved by one person while the rerun beside it
// waits for a second, different one.
func TestQuorumByClass(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.policy.QuorumBy = ByKind{diagnosis.Rerun: 2} })
	e.asked(t)
	e.approve(t, "hold")
	wantState(t, e.key(t, "hold"), Executing)
	e.approve(t, "recover")
	wantState(t, e.key(t, "recover"), Waiting)
	if a := e.decide(t, e.click(e.key(t, "recover"), ann, Approve)); !strings.Contains(a.Text, "already recorded") {
		t.Errorf("the same person again: %+v", a)
	}
	wantState(t, e.key(t, "recover"), Waiting)
	e.decide(t, e.click(e.key(t, "recover"), ben, Approve))
	wantState(t, e.key(t, "recover"), Approved)
}

// blamed is an estate whose cause rests on a change that who made.
func blamed(who string, change ...func(*estate)) *estate {
	return newEstate(append([]func(*estate){func(e *estate) {
		e.cause.Evidence = []diagnosis.Evidence{{System: "deploys", Change: "d-17", Who: who, Value: "relay moved"}}
		e.authors = map[string]Person{"ann@shop.example": ann, "U2": ben}
	}}, change...)...)
}

// TestAuthorDoesNotCount: who made the change that the evidence names is not
// asked and is refused, in private and recorded; the next of the chain is asked.
func TestAuthorDoesNotCount(t *testing.T) {
	t.Parallel()
	e := blamed("ann@shop.example")
	e.asked(t)
	p := e.key(t, "change")
	if got := chainText(p); got != "Ben deputy; Cleo escalation" {
		t.Errorf("chain %q", got)
	}
	a := e.decide(t, e.click(p, ann, Approve))
	if a.OK || !strings.Contains(a.Text, "You made a change that this answers (d-17), so somebody else decides it: Ben (deputy)") {
		t.Errorf("the author: %+v", a)
	}
	if code := e.last(receipts.KindDecisionRefused).Body["code"]; code != string(RefusedAuthor) {
		t.Errorf("the refusal's code is %v", code)
	}
	bare := p.clone()
	bare.Authors = nil
	if hash, err := ProposalHash(bare); err != nil || hash == p.Hash {
		t.Errorf("the hash does not cover who made the change: %v", err)
	}
	if a := e.decide(t, e.click(p, ben, Approve)); !a.OK {
		t.Errorf("the deputy: %+v", a)
	}
}

// TestAuthorIsNotGuessed: a name is not matched, an event without one names
// nobody, and both are said; in solo mode the author counts.
func TestAuthorIsNotGuessed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		who   string
		solo  bool
		chain string
		says  string
	}{
		"by e-mail":      {"ann@shop.example", false, "Ben deputy; Cleo escalation", ""},
		"by Slack id":    {"U2", false, "Ann owner; Cleo escalation", ""},
		"by name":        {"Ann", false, "Ann owner; Ben deputy; Cleo escalation", `change d-17 is by "Ann", whom dw's configuration ties to nobody`},
		"nobody named":   {"", false, "Ann owner; Ben deputy; Cleo escalation", "change d-17 names nobody"},
		"a team of one":  {"ann@shop.example", true, "Ann owner; Ben deputy; Cleo escalation", ""},
		"a hostile name": {"\xff<!channel>", false, "Ann owner; Ben deputy; Cleo escalation", "<!channel>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := blamed(test.who, func(e *estate) { e.policy.Solo = test.solo })
			e.asked(t)
			p := e.key(t, "change")
			if len(p.Authors) != 1 || chainText(p) != test.chain || !strings.Contains(p.Authors[0].Unchecked(), test.says) || (test.says == "") != (p.Authors[0].Unchecked() == "") {
				t.Errorf("authors %+v, chain %s", p.Authors, chainText(p))
			}
		})
	}
}

// TestQuorumLeftCannotBeMet: where those who are left are too few it is said at
// once, with who does not count, and only the parts that need more are left out.
func TestQuorumLeftCannotBeMet(t *testing.T) {
	t.Parallel()
	e := blamed("ann@shop.example", func(e *estate) {
		e.policy.Escalation, e.policy.QuorumBy = nil, ByKind{diagnosis.Rerun: 2}
	})
	e.fail(t, "orders")
	e.pass(t, e.policy.Settle)
	if !e.noted(t, `nobody to ask in the domain sales for "Bring the rows back": too few named people can decide: 2 needed, 1 left (Ann made change d-17 and does not count)`) {
		t.Errorf("notes %+v", e.incident(t).Notes)
	}
	if asked := e.incident(t).Proposals; len(asked) != 2 {
		t.Errorf("asked %v, want hold and change", asked)
	}
}

// TestRevokedQuorumEnds: a request whose quorum can no longer be met, because an
// approver took the approval back, ends at once instead of waiting.
func TestRevokedQuorumEnds(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.policy.Quorum, e.policy.Escalation = 2, nil })
	e.asked(t)
	e.approve(t, "change")
	if a := e.decide(t, e.click(e.key(t, "change"), ann, Revoke)); !a.OK {
		t.Fatalf("revoke: %+v", a)
	}
	wantState(t, e.key(t, "change"), Withdrawn)
	if !e.noted(t, "its quorum of 2 can no longer be met by those who were named") {
		t.Errorf("notes %+v", e.incident(t).Notes)
	}
	wider := newEstate(func(e *estate) { e.policy.Quorum = 2 })
	wider.asked(t)
	wider.approve(t, "change")
	wider.decide(t, wider.click(wider.key(t, "change"), ann, Revoke))
	wantState(t, wider.key(t, "change"), Waiting)
	wider.decide(t, wider.click(wider.key(t, "change"), ben, Approve))
	wider.pass(t, 31*time.Minute)
	wider.decide(t, wider.click(wider.key(t, "change"), cleo, Approve))
	wantState(t, wider.key(t, "change"), Executing)
}
