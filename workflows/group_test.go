package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/receipts"
)

var leads = Group{Name: "leads", ID: "S1"}

// userGroup is a group of the workspace that people leave and join.
type userGroup struct {
	watch Watch
	err   error
}

func (g *userGroup) Members(context.Context, Group) (Watch, error) { return g.watch, g.err }

func (g *userGroup) Has(_ context.Context, group, user string) (bool, error) {
	in := slices.ContainsFunc(g.watch.People, func(p Person) bool { return p.User == user })
	return in && group == leads.ID, g.err
}

// ofLeads is an estate whose owner is a group, with Ben as deputy and Cleo after
// him; change may alter the policy.
func ofLeads(g *userGroup, change ...func(*Policy)) *estate {
	return newEstate(func(e *estate) {
		e.groups = g
		e.policy.Owner, e.policy.Rotas = Person{}, []RotaLink{{Role: RoleOwner, Group: leads}}
		for _, c := range change {
			c(&e.policy)
		}
	})
}

// TestGroupIsExpanded: the members of a group stand in the chain by name, each
// once and with the group; who cannot be asked, or that nobody can, is said.
func TestGroupIsExpanded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		watch Watch
		err   error
		chain string
		says  string
	}{
		"two members": {Watch{People: []Person{ann, mort}}, nil, "Ann owner, of group leads (S1); Mort owner, of group leads (S1); Ben deputy; Cleo escalation", ""},
		"one who is named too": {
			Watch{People: []Person{ann, ben}},
			nil,
			"Ann owner, of group leads (S1); Ben owner, of group leads (S1); Cleo escalation", "",
		},
		"a guest in it": {
			Watch{People: []Person{ann}, Unasked: []string{"Gus is a guest"}},
			nil,
			"Ann owner, of group leads (S1); Ben deputy; Cleo escalation", "owner, of group leads (S1): Gus is a guest",
		},
		"empty":            {Watch{}, nil, "Ben deputy; Cleo escalation", "owner, of group leads (S1): it is empty; the rest of the chain is asked instead"},
		"guests only":      {Watch{Unasked: []string{"Gus is a guest"}}, nil, "Ben deputy; Cleo escalation", "Gus is a guest; the rest of the chain is asked instead"},
		"cannot be read":   {Watch{}, errors.New("no answer"), "Ben deputy; Cleo escalation", "who is in it cannot be read: no answer; the rest of the chain"},
		"nobody reads any": {Watch{}, errNoGroups, "Ben deputy; Cleo escalation", "dw reads no user groups; the rest of the chain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := ofLeads(&userGroup{watch: test.watch, err: test.err})
			if errors.Is(test.err, errNoGroups) {
				e.groups = nil
				e.restart()
			}
			e.asked(t)
			p := e.key(t, "hold")
			if got := chainText(p); got != test.chain {
				t.Errorf("chain %q, want %q", got, test.chain)
			}
			said := strings.Join(p.Unresolved, "; ")
			if !strings.Contains(said, test.says) || (test.says == "") != (said == "") || test.says != "" && !e.noted(t, test.says) {
				t.Errorf("said %q, want %q there and in the thread", said, test.says)
			}
		})
	}
}

// TestGroupIsBoundAndRecorded: who was in the group when dw asked is part of what
// is decided on and stands in the receipt with the group and the time; who joins
// later is not asked.
func TestGroupIsBoundAndRecorded(t *testing.T) {
	t.Parallel()
	g := &userGroup{watch: Watch{People: []Person{ann, mort}}}
	e := ofLeads(g)
	e.asked(t)
	p, read := e.key(t, "hold"), e.now
	document, _ := e.last(receipts.KindProposalCreated).Body["document"].(receipts.Object)
	approvers, _ := document["approvers"].([]receipts.Value)
	if len(approvers) == 0 {
		t.Fatal("the receipt names no approver")
	}
	said := fmt.Sprint(approvers[1])
	for _, word := range []string{mort.User, "leads (S1)", read.Format("2006-01-02 15")} {
		if !strings.Contains(said, word) {
			t.Errorf("the receipt says %s, not %s", said, word)
		}
	}
	for name, change := range map[string]func(*Link){
		"group": func(l *Link) { l.Group = "" }, "id": func(l *Link) { l.GroupID = "S2" }, "name": func(l *Link) { l.Named = true },
	} {
		altered := p.clone()
		change(&altered.Chain[0])
		if hash, err := ProposalHash(altered); err != nil || hash == p.Hash {
			t.Errorf("the hash does not cover the %s: %v", name, err)
		}
	}
	g.watch.People = append(g.watch.People, carl)
	if a := e.decide(t, e.click(p, carl, Approve)); a.OK {
		t.Errorf("who joined later decided: %q", a.Text)
	}
	if a := e.decide(t, e.click(p, mort, Approve)); !a.OK {
		t.Errorf("a member is refused: %q", a.Text)
	}
	if d := e.last(receipts.KindDecisionRecorded); d.Body["group"] != "leads (S1)" {
		t.Errorf("the decision's receipt is %v", d.Body)
	}
}

// TestGroupIsAskedTogether: all members are asked at once, any of them answers,
// and the next of the chain is asked when none has.
func TestGroupIsAskedTogether(t *testing.T) {
	t.Parallel()
	e := ofLeads(&userGroup{watch: Watch{People: []Person{ann, mort}}})
	e.asked(t)
	asked := func() string { return strings.Join(shownNames(people(e.key(t, "change").Asked())), " ") }
	if got := asked(); got != "Ann Mort" {
		t.Errorf("asked %s", got)
	}
	e.pass(t, 31*time.Minute)
	if got := asked(); got != "Ann Mort Ben" {
		t.Errorf("asked after the first escalation: %s", got)
	}
	if a := e.decide(t, e.click(e.key(t, "change"), mort, Approve)); !a.OK {
		t.Errorf("the second member: %q", a.Text)
	}
	late := ofLeads(&userGroup{watch: Watch{People: []Person{ann, mort}}}, func(p *Policy) {
		p.Owner, p.Rotas = ben, []RotaLink{{Role: RoleDeputy, Group: leads}}
		p.Deputy = Person{}
	})
	late.asked(t)
	late.pass(t, 31*time.Minute)
	if got := strings.Join(shownNames(people(late.key(t, "change").Asked())), " "); got != "Ben Ann Mort" {
		t.Errorf("after the owner: %s", got)
	}
}

// TestGroupIsReadAtTheClick: who has left the group since is refused in private,
// with a receipt, for a decision and for a step; a group that cannot be read lets
// nobody decide by it; who is named as well is asked by name.
func TestGroupIsReadAtTheClick(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*userGroup)
		who    Person
		verb   Verdict
		says   string
	}{
		"still in it":      {func(*userGroup) {}, ann, Approve, ""},
		"left it":          {func(g *userGroup) { g.watch.People = []Person{mort, ben} }, ann, Approve, "have left it since. Ben (owner, of group leads (S1)) or Mort (owner, of group leads (S1)) can decide"},
		"left it, rejects": {func(g *userGroup) { g.watch.People = nil }, ann, Reject, "have left it since"},
		"named as well":    {func(g *userGroup) { g.watch.People = []Person{mort} }, ben, Approve, ""},
		"cannot be read":   {func(g *userGroup) { g.err = errors.New("no answer") }, ann, Approve, "cannot be read now (no answer). Nothing is recorded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &userGroup{watch: Watch{People: []Person{ann, ben, mort}}}
			e := ofLeads(g)
			e.asked(t)
			test.change(g)
			before := e.key(t, "change")
			a := e.decide(t, e.click(before, test.who, test.verb))
			if a.OK != (test.says == "") || !strings.Contains(a.Text, test.says) {
				t.Fatalf("answer %+v, want %q", a, test.says)
			}
			if refused := e.last(receipts.KindDecisionRefused); test.says != "" && refused.Body["code"] != string(RefusedLeftGroup) {
				t.Errorf("the refusal's receipt is %v", refused.Body)
			}
			if after := e.key(t, "change"); test.says != "" && (after.State != Waiting || len(after.Decisions) != 0) {
				t.Errorf("a refused click counted: %s, %v", after.State, after.Decisions)
			}
		})
	}
}

// TestGroupIsReadAtTheStep: marking a step done is a click like another.
func TestGroupIsReadAtTheStep(t *testing.T) {
	t.Parallel()
	g := &userGroup{watch: Watch{People: []Person{ann, mort}}}
	e := ofLeads(g)
	e.asked(t)
	e.approve(t, "change")
	g.watch.People = []Person{mort}
	if a := e.done(t, "change", 0); a.OK || !strings.Contains(a.Text, "have left it since") {
		t.Errorf("who left marks a step done: %+v", a)
	}
	if a := e.done(t, "change", 0, func(r *DoneRequest) { r.By = mort }); !a.OK {
		t.Errorf("who stayed: %+v", a)
	}
}
