package workflows

import (
	"context"
	"strings"
	"testing"
	"time"

	"dw/receipts"
)

func TestDecideRefusals(t *testing.T) {
	t.Parallel()
	other := strings.Repeat("0", hashPrefixLen)
	tests := []struct {
		name   string
		before func(t *testing.T, e *estate) // what happened to the proposal
		change func(e *estate, r *DecideRequest)
		code   RefusalCode
		says   string
	}{
		{"outsider", nil, func(_ *estate, r *DecideRequest) { r.By = mort }, RefusedNotInChain, "Ann (owner) can decide"},
		{"same name, other user", nil, func(_ *estate, r *DecideRequest) { r.By = Person{Team: "T1", User: "U8", Name: "Ann"} }, RefusedNotInChain, "Ann (owner)"},
		{"same user of another workspace", nil, func(_ *estate, r *DecideRequest) { r.By.Team = "T2" }, RefusedNotInChain, "Ann (owner)"},
		{"nobody", nil, func(_ *estate, r *DecideRequest) { r.By = Person{} }, RefusedNotInChain, "Ann (owner)"},
		{"cc", nil, func(_ *estate, r *DecideRequest) { r.By = carl }, RefusedCC, "Ann (owner) can decide"},
		{"guest", nil, func(_ *estate, r *DecideRequest) { r.NotAllowed = "you are a guest" }, RefusedNotAllowed, "you are a guest"},
		{"deputy before being asked", nil, func(_ *estate, r *DecideRequest) { r.By = ben }, RefusedNotAsked, "Ben (deputy) is asked at 12:31 UTC"},
		{"proposer", proposedBy(ann), nil, RefusedProposer, "somebody else"},
		{"hash of another version", nil, func(_ *estate, r *DecideRequest) { r.HashPrefix = other }, RefusedHash, "This version was replaced"},
		{"shortened hash", nil, func(_ *estate, r *DecideRequest) { r.HashPrefix = r.HashPrefix[:8] }, RefusedHash, "This version was replaced"},
		{"empty hash", nil, func(_ *estate, r *DecideRequest) { r.HashPrefix = "" }, RefusedHash, "This version was replaced"},
		{"superseded", setState(Superseded), nil, RefusedHash, "replaced by a new one (prop999)"},
		{"nonce of another message", nil, func(_ *estate, r *DecideRequest) { r.Nonce = other }, RefusedNonce, "newest card"},
		{"empty nonce", nil, func(_ *estate, r *DecideRequest) { r.Nonce = "" }, RefusedNonce, "newest card"},
		{"other message", nil, func(_ *estate, r *DecideRequest) { r.Message.TS = "2.0" }, RefusedMessage, "copy or an old card"},
		{"other channel", nil, func(_ *estate, r *DecideRequest) { r.Message.Channel = "C2" }, RefusedMessage, "copy or an old card"},
		{"card not placed", func(t *testing.T, e *estate) {
			e.alter(t, "change", func(p *Proposal) { p.Message = MessageRef{} })
		}, nil, RefusedMessage, "Try again"},
		{"at the instant of expiry, no timer ran", nil, func(_ *estate, r *DecideRequest) { r.At = epoch.Add(2*time.Hour + time.Minute) }, RefusedExpired, "expired at 14:01 UTC and was never auto-granted"},
		{"a day late", nil, func(e *estate, r *DecideRequest) { e.now = epoch.Add(26 * time.Hour); r.At = e.now }, RefusedExpired, "14:01 UTC on 2 March 2026"},
		{"expired by the timer, delivered late", func(t *testing.T, e *estate) { e.pass(t, 3*time.Hour) }, func(_ *estate, r *DecideRequest) { r.At = epoch.Add(time.Hour) }, RefusedExpired, "never auto-granted"},
		{"rejected", decidedBy(ann, Reject), func(_ *estate, r *DecideRequest) { r.By = ben }, RefusedState, "Ann decided (reject) at 12:01 UTC"},
		{"executing", decidedBy(ann, Approve), func(_ *estate, r *DecideRequest) { r.By = ben }, RefusedState, "Ann decided (approve) at 12:01 UTC"},
		{"withdrawn", setState(Withdrawn), nil, RefusedState, "withdrawn"},
		{"lapsed", setState(Lapsed), nil, RefusedState, "the request is lapsed"},
		{"verdict that is none", nil, func(_ *estate, r *DecideRequest) { r.Verdict = "yes" }, RefusedVerdict, "not one of dw's"},
		{"other verdict after the first", decidedBy(ann, Approve), func(_ *estate, r *DecideRequest) { r.Verdict = Reject }, RefusedAlready, "already recorded at 12:01 UTC and cannot be changed"},
		{"unknown proposal", nil, func(_ *estate, r *DecideRequest) { r.Proposal = "prop\xff" }, RefusedUnknown, "no such request"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEstate()
			e.asked(t)
			r := e.click(e.key(t, "change"), ann, Approve)
			if tt.before != nil {
				tt.before(t, e)
				p := e.key(t, "change")
				r.HashPrefix, r.Message = p.HashPrefix(), p.Message
			}
			if tt.change != nil {
				tt.change(e, &r)
			}
			before, decided := e.key(t, "change"), e.kinds()[receipts.KindDecisionRecorded]
			a := e.decide(t, r)
			if a.OK || !strings.Contains(a.Text, tt.says) {
				t.Errorf("answer %+v, want a refusal that says %q", a, tt.says)
			}
			if d := e.last(receipts.KindDecisionRefused); d.Body["code"] != string(tt.code) || d.Actor.User != r.By.User {
				t.Errorf("receipt %+v, want code %s", d, tt.code)
			}
			after := e.key(t, "change")
			if len(after.Decisions) != len(before.Decisions) || e.kinds()[receipts.KindDecisionRecorded] != decided {
				t.Error("a refused click was recorded as a decision")
			}
			if after.State != before.State && after.State != Expired {
				t.Errorf("state moved from %s to %s", before.State, after.State)
			}
		})
	}
}

// alter changes a stored proposal behind the Service's back.
func (e *estate) alter(t fataler, key string, change func(*Proposal)) {
	t.Helper()
	p := e.key(t, key)
	change(&p)
	err := e.store.Update(context.Background(), func(tx Tx) error {
		_, err := tx.PutProposal(context.Background(), p)
		return err
	})
	if err != nil {
		t.Fatalf("alter: %v", err)
	}
}

func setState(s ProposalState) func(*testing.T, *estate) {
	return func(t *testing.T, e *estate) {
		e.alter(t, "change", func(p *Proposal) { p.State, p.ReplacedBy = s, "prop999" })
	}
}

func proposedBy(who Person) func(*testing.T, *estate) {
	return func(t *testing.T, e *estate) {
		e.alter(t, "change", func(p *Proposal) { p.Proposer = human(who) })
	}
}

func decidedBy(who Person, v Verdict) func(*testing.T, *estate) {
	return func(t *testing.T, e *estate) {
		t.Helper()
		if a := e.decide(t, e.click(e.key(t, "change"), who, v)); !a.OK {
			t.Fatalf("decide: %s", a.Text)
		}
	}
}

func TestDecideEdges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before func(*estate)
		by     Person
		at     time.Duration // from epoch
		want   ProposalState
	}{
		{"owner at once", nil, ann, time.Minute, Executing},
		{"the last instant", nil, ann, 2*time.Hour + time.Minute - 1, Executing},
		{"deputy at escalation", func(e *estate) { e.pass(panics{}, 30*time.Minute) }, ben, 31 * time.Minute, Executing},
		{"owner after escalation", func(e *estate) { e.pass(panics{}, 30*time.Minute) }, ann, 31 * time.Minute, Executing},
		{"third after two escalations", func(e *estate) { e.pass(panics{}, time.Hour) }, cleo, 61 * time.Minute, Executing},
		{"arrived in time, committed late", func(e *estate) { e.now = epoch.Add(5 * time.Hour) }, ann, time.Hour, Executing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEstate()
			e.asked(t)
			if tt.before != nil {
				tt.before(e)
			}
			r := e.click(e.key(t, "change"), tt.by, Approve)
			r.At = epoch.Add(tt.at)
			if a := e.decide(t, r); !a.OK {
				t.Fatalf("refused: %s", a.Text)
			}
			p := e.key(t, "change")
			wantState(t, p, tt.want)
			if d := p.Decisions[0]; !d.By.Same(tt.by) || d.Hash != p.Hash || !d.At.Equal(r.At) || d.EnvelopeID != r.EnvelopeID {
				t.Errorf("decision %+v", d)
			}
			if d := e.last(receipts.KindDecisionRecorded); d.Body["hash"] != p.Hash || d.Body["action_ts"] != r.ActionTS || d.Subject[0].Digest != p.Hash {
				t.Errorf("receipt %+v", d)
			}
		})
	}
}

// panics lets table entries use the estate's steps before a test exists.
type panics struct{}

func (panics) Helper()                        {}
func (panics) Fatalf(format string, a ...any) { panic(format) }

func TestReplayDecidesOnce(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.policy.Quorum = 2 })
	e.asked(t)
	r := e.click(e.key(t, "change"), ann, Approve)
	if a := e.decide(t, r); !a.OK || !strings.Contains(a.Text, "1 of 2") {
		t.Fatalf("first: %+v", a)
	}
	wantState(t, e.key(t, "change"), Waiting)
	e.now = e.now.Add(time.Minute)
	again := e.click(e.key(t, "change"), ann, Approve) // a second click of hers
	moved := r
	moved.EnvelopeID = "env-of-a-redelivery"
	for name, r := range map[string]DecideRequest{"same delivery": r, "same click, other delivery": moved, "second click": again} {
		if a := e.decide(t, r); !a.OK || !strings.Contains(a.Text, "already recorded at 12:01 UTC") {
			t.Errorf("%s: %+v", name, a)
		}
	}
	p := e.key(t, "change")
	if len(p.Decisions) != 1 || p.State != Waiting {
		t.Fatalf("one person filled the quorum: %d decisions, %s", len(p.Decisions), p.State)
	}
	if k := e.kinds(); k[receipts.KindDecisionRecorded] != 1 || k[receipts.KindDecisionRefused] != 1 {
		t.Errorf("receipts %v", k)
	}
	if a := e.decide(t, e.click(p, ben, Approve)); !a.OK {
		t.Fatalf("second human: %s", a.Text)
	}
	wantState(t, e.key(t, "change"), Executing)
}

func TestOneRejectEnds(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.policy.Quorum = 2 })
	e.asked(t)
	e.decide(t, e.click(e.key(t, "change"), ann, Approve))
	r := e.click(e.key(t, "change"), ben, Reject)
	r.Reason = "the diff is wrong"
	e.decide(t, r)
	p := e.key(t, "change")
	wantState(t, p, Rejected)
	if got := e.last(receipts.KindDecisionRecorded).Body["reason"]; got != receipts.FreeText(r.Reason) {
		t.Errorf("the reason is %#v, want a text that can be shredded", got)
	}
	if !e.noted(t, "the diff is wrong") || e.incident(t).State != Open {
		t.Error("the thread or the incident does not show the rejection")
	}
}

func TestDecideSurvivesLostRaces(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	e.store.conflicts = writeAttempts - 1
	e.approve(t, "change")
	if n := e.kinds()[receipts.KindDecisionRecorded]; n != 1 {
		t.Fatalf("%d decisions recorded", n)
	}
	e.store.conflicts = writeAttempts
	if _, err := e.svc.Decide(context.Background(), e.click(e.key(t, "hold"), ann, Approve)); err == nil {
		t.Fatal("a decision that was never committed was answered")
	}
	wantState(t, e.key(t, "hold"), Waiting)
}

// TestLateClickExpires: the click that comes too late ends the request itself,
// with both receipts, though no timer ran.
func TestLateClickExpires(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	e.now = e.key(t, "change").Clocks.ExpiresAt
	if a := e.decide(t, e.click(e.key(t, "change"), ann, Approve)); a.OK {
		t.Fatalf("granted: %+v", a)
	}
	wantState(t, e.key(t, "change"), Expired)
	if k := e.kinds(); k[receipts.KindExpiry] != 1 || k[receipts.KindDecisionRefused] != 1 {
		t.Errorf("receipts %v", k)
	}
}

func TestAcknowledge(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.fail(t, "orders")
	ack := func(by Person, id string) Answer {
		a, err := e.svc.Acknowledge(context.Background(), id, by, e.now)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	id := e.incident(t).ID
	if a := ack(ann, id); !a.OK || e.incident(t).State != Acknowledged {
		t.Fatalf("%+v, %s", a, e.incident(t).State)
	}
	rev := e.incident(t).Rev
	if a := ack(ann, id); !a.OK || e.incident(t).Rev != rev {
		t.Errorf("second click: %+v", a)
	}
	if a := ack(ben, id); a.OK || !strings.Contains(a.Text, "Ann acknowledged") {
		t.Errorf("other person: %+v", a)
	}
	if a := ack(ben, "inc404"); a.OK {
		t.Errorf("unknown incident: %+v", a)
	}
}
