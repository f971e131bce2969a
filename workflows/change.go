package workflows

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"dw/receipts"
)

// ChangeKind names what a policy change does.
type ChangeKind string

// The kinds of policy change.
const (
	ChangeResume ChangeKind = "resume" // lifts the stop
	ChangePolicy ChangeKind = "policy" // puts governed terms of a domain's policy in force
)

// Change is what a proposal about dw's own policy asks for (approvals.md rule
// 9). Such a proposal has no incident and no steps: approved, it is in force.
type Change struct {
	Kind    ChangeKind `json:"kind"`
	Reason  string     `json:"reason,omitempty"`
	StopRev int64      `json:"stop_rev,omitempty"` // the stop that ChangeResume lifts

	// Of ChangePolicy: the terms, the policy that they are taken from, what was in
	// force when it was asked, and for a promotion the record it is asked on.
	Terms    []TermChange `json:"terms,omitempty"`
	Target   *Policy      `json:"target,omitempty"`
	Rev      int64        `json:"rev,omitempty"`
	Record   *Record      `json:"record,omitempty"`
	FromFile bool         `json:"from_file,omitempty"` // an edit of the file asks for it, in nobody's name
}

// Promotes reports whether c raises a level.
func (c Change) Promotes() bool {
	return slices.ContainsFunc(c.Terms, func(t TermChange) bool { return t.Term == termLevel })
}

func (c Change) document() receipts.Object {
	o := receipts.Object{"kind": string(c.Kind), "reason": clean(c.Reason), "stop_rev": int(c.StopRev)}
	if c.Kind != ChangePolicy {
		return o
	}
	o["terms"], o["rev"], o["from_file"] = termsDocument(c.Terms), c.Rev, c.FromFile
	if c.Target != nil {
		o["target"] = c.Target.Digest()
	}
	if c.Record != nil {
		o["record"] = c.Record.document()
	}
	return o
}

// ErrAlone says that nobody else is there to decide a policy change.
var ErrAlone = errors.New("nobody other than the person who asks can decide it")

// changeDraft is what a policy change is made from.
type changeDraft struct {
	ID, Nonce string
	Title     string
	Change    Change
	Policy    Policy   // of the domain in whose channel it is asked: its clocks hold
	By        Person   // nobody: dw asks, for an edited file
	Deciders  []Person // everybody who may decide, the one who asks among them
	Quorum    int
	Solo      bool
}

// newChange makes a waiting policy change. Everybody but the requester is asked
// at once; one of them decides, and the requester never counts.
func newChange(d changeDraft, now time.Time) (Proposal, Outcome, error) {
	now = now.UTC().Round(0)
	p := Proposal{
		ID: d.ID, Domain: d.Policy.Domain, Key: string(d.Change.Kind), Title: d.Title, Change: &d.Change,
		PolicyVersion: d.Policy.Version, Proposer: actorOf(d.By), CreatedAt: now,
		ExecuteWithin: d.Policy.ExecuteWithin, Nonce: d.Nonce, State: Waiting, Quorum: max(d.Quorum, 1), Solo: d.Solo, Steps: []StepStatus{},
	}
	for _, who := range d.Deciders {
		if !who.Same(d.By) {
			p.Chain = append(p.Chain, Link{Person: who, Role: RolePolicy, AskedAt: now})
		}
	}
	switch {
	case len(p.Chain) < p.Quorum:
		return Proposal{}, Outcome{}, ErrAlone
	case d.Policy.ExpireAfter <= 0:
		return Proposal{}, Outcome{}, fmt.Errorf("the policy of %s gives no time to decide", d.Policy.Domain)
	}
	p.Clocks = firstClocks(p, d.Policy, now)
	hash, err := ProposalHash(p)
	if err != nil {
		return Proposal{}, Outcome{}, err
	}
	p.Hash = hash
	return p, created(p, now), nil
}

// inForce ends an approved policy change: from here on it holds.
func inForce(p Proposal) Proposal {
	p.State = Verified
	return p
}

// notInForce ends an approved policy change that came too late to hold.
func notInForce(p Proposal, why string, now time.Time) (Proposal, Outcome) {
	p.State = Lapsed
	out := p.stopClocks()
	out.note(p.Incident, fmt.Sprintf("%q was approved and is not in force: %s", p.Title, why), people(p.Asked())...)
	out.receipt(p.draft(receipts.KindExpiry, itself(), now, receipts.Object{"what": "approval", "why": clean(why)}))
	return p, out
}
