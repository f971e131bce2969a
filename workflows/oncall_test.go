package workflows

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dw/receipts"
)

var nights = Rota{Name: "nights", Schedule: "PNIGHT"}

// rotas is a pager that answers by the name of the rota and counts.
type rotas struct {
	watches map[string]Watch
	err     error
	asked   int
}

func (r *rotas) OnCall(_ context.Context, rota Rota) (Watch, error) {
	r.asked++
	return r.watches[rota.Name], r.err
}

// onWatch is an estate whose chain is who the test says, with whoever is on call.
func onWatch(r *rotas, change func(*Policy)) *estate {
	return newEstate(func(e *estate) {
		e.oncall = r
		change(&e.policy)
	})
}

// chainText is a chain as people read it.
func chainText(p Proposal) string {
	var out []string
	for _, l := range p.Chain {
		out = append(out, l.Name+" "+l.As())
	}
	return strings.Join(out, "; ")
}

// Whoever is on call stands in the place of the chain that the rota holds, once,
// and where nobody does the chain says why and goes on.
func TestOnCallIsALinkOfTheChain(t *testing.T) {
	t.Parallel()
	owner := func(p *Policy) { p.Owner, p.Rotas = Person{}, []RotaLink{{Role: RoleOwner, Rota: nights}} }
	deputy := func(p *Policy) { p.Deputy, p.Rotas = Person{}, []RotaLink{{Role: RoleDeputy, Rota: nights}} }
	first := func(p *Policy) { p.Rotas = []RotaLink{{Role: RoleEscalation, Rota: nights}} }
	last := func(p *Policy) { p.Rotas = []RotaLink{{Role: RoleEscalation, Place: 1, Rota: nights}} }
	for name, test := range map[string]struct {
		change     func(*Policy)
		watch      Watch
		err        error
		chain      string
		unresolved string
	}{
		"as owner":         {owner, Watch{People: []Person{mort}}, nil, "Mort owner, on call of nights (schedule PNIGHT); Ben deputy; Cleo escalation", ""},
		"as deputy":        {deputy, Watch{People: []Person{mort}}, nil, "Ann owner; Mort deputy, on call of nights (schedule PNIGHT); Cleo escalation", ""},
		"first escalation": {first, Watch{People: []Person{mort}}, nil, "Ann owner; Ben deputy; Mort escalation, on call of nights (schedule PNIGHT); Cleo escalation", ""},
		"last escalation":  {last, Watch{People: []Person{mort}}, nil, "Ann owner; Ben deputy; Cleo escalation; Mort escalation, on call of nights (schedule PNIGHT)", ""},
		"who is owner too": {last, Watch{People: []Person{ann}}, nil, "Ann owner; Ben deputy; Cleo escalation", ""},
		"two at once": {
			last,
			Watch{People: []Person{mort, carl}},
			nil,
			"Ann owner; Ben deputy; Cleo escalation; Mort escalation, on call of nights (schedule PNIGHT); Carl escalation, on call of nights (schedule PNIGHT)", "",
		},
		"nobody":           {owner, Watch{}, nil, "Ben deputy; Cleo escalation", "owner, on call of nights (schedule PNIGHT): nobody is; the rest of the chain is asked instead"},
		"a stranger":       {owner, Watch{Unasked: []string{"Slack does not know Nia"}}, nil, "Ben deputy; Cleo escalation", "Slack does not know Nia; the rest of the chain"},
		"one of two":       {owner, Watch{People: []Person{mort}, Unasked: []string{"Slack does not know Nia"}}, nil, "Mort owner, on call of nights (schedule PNIGHT); Ben deputy; Cleo escalation", "Slack does not know Nia"},
		"the pager is off": {owner, Watch{}, errors.New("no answer"), "Ben deputy; Cleo escalation", "who it is cannot be read: no answer; the rest of the chain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := onWatch(&rotas{watches: map[string]Watch{"nights": test.watch}, err: test.err}, test.change)
			e.asked(t)
			p := e.key(t, "hold")
			if got := chainText(p); got != test.chain {
				t.Errorf("chain %q, want %q", got, test.chain)
			}
			said := strings.Join(p.Unresolved, "; ")
			if !strings.Contains(said, test.unresolved) || test.unresolved == "" && said != "" || (test.unresolved != "" && !e.noted(t, test.unresolved)) {
				t.Errorf("unresolved %q, want %q there and in the thread", said, test.unresolved)
			}
		})
	}
}

// Who was on call when the request was made is part of what is decided on: the
// person, the rota and when it was read are in the receipt, a later change of the
// rota asks nobody else, and taking the rota out of it changes the hash.
func TestOnCallIsBoundAndRecorded(t *testing.T) {
	t.Parallel()
	r := &rotas{watches: map[string]Watch{"nights": {People: []Person{mort}}}}
	e := onWatch(r, func(p *Policy) { p.Owner, p.Rotas = Person{}, []RotaLink{{Role: RoleOwner, Rota: nights}} })
	e.asked(t)
	p, read := e.key(t, "hold"), e.now
	if r.asked != 1 || !p.Chain[0].Same(mort) {
		t.Fatalf("the rota was read %d times, the chain is %s", r.asked, chainText(p))
	}
	for _, d := range e.store.data.drafts {
		if d.Kind != receipts.KindProposalCreated || d.Proposal != p.ID {
			continue
		}
		document, _ := d.Body["document"].(receipts.Object)
		approvers, _ := document["approvers"].([]receipts.Value)
		if said := fmt.Sprint(approvers[0]); !strings.Contains(said, mort.User) || !strings.Contains(said, "nights (schedule PNIGHT)") || !strings.Contains(said, read.Format("2006-01-02 15")) {
			t.Errorf("the receipt names %s", said)
		}
	}
	r.watches["nights"] = Watch{People: []Person{carl}}
	if a := e.decide(t, e.click(p, carl, Approve)); a.OK {
		t.Errorf("who is on call later decided: %q", a.Text)
	}
	bare := p.clone()
	bare.Chain[0].OnCall = ""
	if hash, err := ProposalHash(bare); err != nil || hash == p.Hash {
		t.Errorf("the hash does not cover the rota: %v", err)
	}
	if a := e.decide(t, e.click(p, mort, Approve)); !a.OK || e.key(t, "hold").State == Waiting {
		t.Errorf("who was on call is refused: %q", a.Text)
	}
}

// Facts of Slack that forbid a person to decide forbid it to whoever is on call.
func TestOnCallIsRefusedAsOthersAre(t *testing.T) {
	t.Parallel()
	e := onWatch(&rotas{watches: map[string]Watch{"nights": {People: []Person{mort}}}},
		func(p *Policy) { p.Owner, p.Rotas = Person{}, []RotaLink{{Role: RoleOwner, Rota: nights}} })
	e.asked(t)
	click := e.click(e.key(t, "hold"), mort, Approve)
	click.NotAllowed = "guests cannot decide"
	if a := e.decide(t, click); a.OK || !strings.Contains(a.Text, "guests cannot decide") {
		t.Errorf("a guest on call: %+v", a)
	}
	proposer := receipts.Actor{Kind: receipts.ActorAgent, Team: mort.Team, User: mort.User}
	policy := e.svc.onCall(t.Context(), e.policy)
	for _, l := range (Proposal{Proposer: proposer}).chainOf(policy) {
		if l.Same(mort) {
			t.Error("the proposer stands in the chain because he is on call")
		}
	}
}

// Where nobody at all can be asked it is said once, and somebody who comes on
// call is asked then.
func TestNobodyOnCallIsAskedLater(t *testing.T) {
	t.Parallel()
	r := &rotas{err: errors.New("try again at 12:00")}
	e := onWatch(r, func(p *Policy) {
		p.Owner, p.Deputy, p.Escalation, p.Rotas = Person{}, Person{}, nil, []RotaLink{{Role: RoleOwner, Rota: nights}}
	})
	e.fail(t, "orders")
	e.pass(t, 5*time.Minute)
	r.err = errors.New("try again at 12:05")
	e.pass(t, 5*time.Minute)
	told := 0
	for _, n := range e.incident(t).Notes {
		if strings.Contains(n.Text, "nobody to ask") {
			told++
		}
	}
	if told != 1 || len(e.incident(t).Proposals) != 0 || r.asked < 3 {
		t.Errorf("told %d times, %d looks, proposals %v", told, r.asked, e.incident(t).Proposals)
	}
	r.err, r.watches = nil, map[string]Watch{"nights": {People: []Person{mort}}}
	e.pass(t, 2*time.Minute)
	if got := chainText(e.key(t, "hold")); !strings.HasPrefix(got, "Mort owner") {
		t.Errorf("chain %q", got)
	}
}
