package workflows

import (
	"fmt"
	"slices"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// ProposalDraft is what a new proposal is made from. ID and Nonce (128 bits,
// hex) come from the caller; After holds ids of proposals, not keys.
type ProposalDraft struct {
	ID       string
	Nonce    string
	Incident Incident
	Planned  diagnosis.PlannedProposal
	After    []string
	Snapshot []Reading // what was read of the targets, one per step
	Policy   Policy
	Proposer receipts.Actor
	// Delegations that hold now, for the domain.
	Delegations []Delegation
	Authors     []Author // of the changes that it answers: they do not decide
}

// NewProposal makes a waiting proposal with its hash, asks the first of its
// chain (as many as the quorum needs) and starts the clocks at now. It fails
// with ErrNobody, for a policy without a term for expiry or execution, and for
// text that has no canonical form.
func NewProposal(d ProposalDraft, now time.Time) (Proposal, Outcome, error) {
	if err := d.validate(); err != nil {
		return Proposal{}, Outcome{}, err
	}
	now = now.UTC().Round(0)
	p := d.proposal(now)
	if err := p.shortage(d.Policy); err != nil {
		return Proposal{}, Outcome{}, fmt.Errorf("propose %q: %w", d.Planned.Key, err)
	}
	p.ask(p.Quorum, now)
	p.Clocks = firstClocks(p, d.Policy, now)
	hash, err := ProposalHash(p)
	if err != nil {
		return Proposal{}, Outcome{}, err
	}
	p.Hash = hash
	return p, created(p, now), nil
}

func (d ProposalDraft) validate() error {
	switch {
	case d.ID == "" || d.Nonce == "":
		return fmt.Errorf("propose %q: id and nonce are needed", d.Planned.Key)
	case d.Policy.ExpireAfter <= 0 || d.Policy.ExecuteWithin <= 0:
		return fmt.Errorf("propose %q: the policy of %s gives no time to decide or to execute", d.Planned.Key, d.Policy.Domain)
	case len(d.Planned.Steps) == 0:
		return fmt.Errorf("propose %q: a plan without steps", d.Planned.Key)
	}
	return nil
}

func (d ProposalDraft) proposal(now time.Time) Proposal {
	p := Proposal{
		ID: d.ID, Incident: d.Incident.ID, Domain: d.Incident.Domain,
		Key: d.Planned.Key, Title: d.Planned.Title, Playbook: playbookOf(causeID(d.Incident.Diagnosis), d.Planned.Key),
		Plan: slices.Clone(d.Planned.Steps), After: slices.Clone(d.After),
		BlastHash: blastHash(d.Incident.Blast), PreChecks: preChecks(d.Incident.Signals), Snapshot: slices.Clone(d.Snapshot),
		PolicyVersion: d.Policy.Version, Proposer: d.Proposer, CreatedAt: now,
		ExecuteWithin: d.Policy.ExecuteWithin,
		Nonce:         d.Nonce, State: Waiting,
		CC:     slices.Clone(d.Policy.CC),
		Quorum: d.Policy.quorumOf(d.Planned.Steps), Solo: d.Policy.Solo, Authors: slices.Clone(d.Authors),
		Unresolved: slices.Clone(d.Policy.Unresolved),
		Steps:      make([]StepStatus, len(d.Planned.Steps)),
	}
	p.Chain = p.chainOf(d.Policy)
	p.withStandIns(d.Policy, d.Delegations)
	for n := range p.Steps {
		p.Steps[n] = StepStatus{State: StepPending, Since: now}
	}
	return p
}

// chainOf orders the people who can decide. A person without a Slack id was not
// resolved and is left out (Policy.Unresolved says so), nobody stands in it
// twice, and neither the proposer nor the author of the change does.
func (p Proposal) chainOf(policy Policy) []Link {
	var chain []Link
	for _, c := range policy.candidates() {
		if c.User == "" || p.notCounted(c.Person) != "" {
			continue
		}
		at := slices.IndexFunc(chain, func(l Link) bool { return l.Same(c.Person) })
		switch {
		case at < 0:
			chain = append(chain, c)
		case c.Group == "" && c.OnCall == "":
			chain[at].Named = chain[at].Group != ""
		}
	}
	return chain
}

// isProposer compares ids; an agent's proposal carries its operator's.
func isProposer(proposer receipts.Actor, who Person) bool {
	return who.Same(Person{Team: proposer.Team, User: proposer.User})
}

func firstClocks(p Proposal, policy Policy, now time.Time) Clocks {
	c := Clocks{ExpiresAt: now.Add(policy.ExpireAfter)}
	if policy.RemindAfter > 0 {
		c.RemindAt = now.Add(policy.RemindAfter)
	}
	if len(p.Next()) > 0 && policy.EscalateAfter > 0 {
		c.EscalateAt = now.Add(policy.EscalateAfter)
	}
	return c
}

func created(p Proposal, now time.Time) Outcome {
	var out Outcome
	out.set(Deadline{Kind: DeadlineExpire, Subject: p.ID, DueAt: p.Clocks.ExpiresAt})
	out.clock(DeadlineRemind, p.ID, p.Clocks.RemindAt)
	out.clock(DeadlineEscalate, p.ID, p.Clocks.EscalateAt)
	out.receipt(p.draft(receipts.KindProposalCreated, p.Proposer, now, receipts.Object{
		"document": proposalDocument(p), "asked": namesOf(p.Asked()), "unresolved": p.Unresolved,
	}))
	return out
}

// clock sets a deadline where its time is set.
func (o *Outcome) clock(kind, subject string, due time.Time) {
	if !due.IsZero() {
		o.set(Deadline{Kind: kind, Subject: subject, DueAt: due})
	}
}

// draft starts a receipt about p; every one of them names the hash.
func (p Proposal) draft(kind string, actor receipts.Actor, now time.Time, body receipts.Object) receipts.Draft {
	body["fingerprint"] = p.Fingerprint()
	body["solo"] = p.Solo
	return receipts.Draft{
		Kind: kind, Incident: p.Incident, Proposal: p.ID, Actor: actor, At: now.UTC(),
		Subject: []receipts.Subject{{Name: "proposal/" + p.ID, Digest: p.Hash}}, Body: body,
	}
}

func namesOf(links []Link) []receipts.Value {
	out := make([]receipts.Value, 0, len(links))
	for _, l := range links {
		o := receipts.Object{"team": l.Team, "user": l.User, "role": string(l.Role)}
		if l.OnCall != "" {
			o["on_call"] = clean(l.OnCall)
		}
		if l.Group != "" {
			o["group"] = clean(l.Group)
		}
		if l.For.User != "" {
			o["for"] = userOf(l.For)
		}
		out = append(out, o)
	}
	return out
}
