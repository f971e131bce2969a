package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"dw/diagnosis"
)

// TermChange is one governed term of a policy, as it is in force and as somebody
// wants it. From and To are for people and receipts.
type TermChange struct {
	Term string `json:"term"`
	From string `json:"from"`
	To   string `json:"to"`
}

// term is a part of a policy that is in force only by a decision (approvals.md
// rule 9). loosens reports whether a change needs one; nil means that every
// change does.
type term struct {
	name    string
	show    func(Policy) string
	copy    func(to *Policy, from Policy)
	loosens func(before, after Policy) bool
	same    func(a, b Policy) bool // nil: shown alike
}

// termLevel is the name of the term whose rise is a promotion.
const termLevel = "level"

// governed lists every governed term. What is not here is in force as soon as
// the file says so; a test holds that each field of Policy is in one of the two.
func governed() []term {
	return append([]term{
		{
			name: termLevel, show: func(p Policy) string { return p.Level.String() },
			copy: func(to *Policy, from Policy) { to.Level = from.Level }, loosens: func(a, b Policy) bool { return b.Level > a.Level },
		},
		{name: "approvers", show: approversText, copy: copyApprovers, same: sameApprovers},
		{
			name: "quorum", show: quorumText,
			copy:    func(to *Policy, from Policy) { to.Quorum, to.QuorumBy = from.Quorum, from.QuorumBy },
			loosens: lowersQuorum,
		},
		{
			name: "policy_quorum", show: func(p Policy) string { return fmt.Sprint(p.policyQuorum()) },
			copy: func(to *Policy, from Policy) { to.PolicyQuorum = from.PolicyQuorum }, loosens: func(a, b Policy) bool { return b.policyQuorum() < a.policyQuorum() },
		},
		{
			name: "solo", show: func(p Policy) string { return fmt.Sprint(p.Solo) },
			copy: func(to *Policy, from Policy) { to.Solo = from.Solo }, loosens: func(_, b Policy) bool { return b.Solo },
		},
		{
			name: "playbooks", show: func(p Policy) string { return namesOr(p.Playbooks) },
			copy: func(to *Policy, from Policy) { to.Playbooks = from.Playbooks }, loosens: func(a, b Policy) bool { return !within(b.Playbooks, a.Playbooks) },
		},
		{
			name: "agent_operators", show: func(p Policy) string { return namesOr(p.OperatorNames) },
			copy:    func(to *Policy, from Policy) { to.OperatorNames, to.Operators = from.OperatorNames, from.Operators },
			loosens: func(a, b Policy) bool { return !within(a.OperatorNames, b.OperatorNames) },
		},
	}, clocks()...)
}

// clocks are governed whichever way they move: longer, an old approval lives on;
// shorter, people are passed by.
func clocks() []term {
	fields := []struct {
		name string
		of   func(*Policy) *time.Duration
	}{
		{"remind_after", func(p *Policy) *time.Duration { return &p.RemindAfter }},
		{"escalate_after", func(p *Policy) *time.Duration { return &p.EscalateAfter }},
		{"expire_after", func(p *Policy) *time.Duration { return &p.ExpireAfter }},
		{"execute_within", func(p *Policy) *time.Duration { return &p.ExecuteWithin }},
		{"verify_after", func(p *Policy) *time.Duration { return &p.VerifyAfter }},
		{"verify_every", func(p *Policy) *time.Duration { return &p.VerifyEvery }},
		{"verify_within", func(p *Policy) *time.Duration { return &p.VerifyWithin }},
	}
	out := make([]term, 0, len(fields))
	for _, f := range fields {
		out = append(out, term{
			name: f.name, show: func(p Policy) string { return f.of(&p).String() },
			copy: func(to *Policy, from Policy) { *f.of(to) = *f.of(&from) },
		})
	}
	return out
}

// actionKinds are the classes of action that a quorum may be set for.
func actionKinds() []diagnosis.StepKind {
	return []diagnosis.StepKind{diagnosis.Hold, diagnosis.Change, diagnosis.Recover, diagnosis.Rerun}
}

func quorumText(p Policy) string {
	parts := []string{fmt.Sprint(max(p.Quorum, 1))}
	for _, kind := range actionKinds() {
		if n, named := p.QuorumBy[kind]; named {
			parts = append(parts, fmt.Sprintf("%s %d", kind, n))
		}
	}
	return strings.Join(parts, ", ")
}

// lowersQuorum reports whether any class of action needs fewer people after.
func lowersQuorum(before, after Policy) bool {
	return max(after.Quorum, 1) < max(before.Quorum, 1) ||
		slices.ContainsFunc(actionKinds(), func(k diagnosis.StepKind) bool {
			step := []diagnosis.PlannedStep{{Kind: k}}
			return after.quorumOf(step) < before.quorumOf(step)
		})
}

func (t term) equal(a, b Policy) bool {
	if t.same != nil {
		return t.same(a, b)
	}
	return t.show(a) == t.show(b)
}

func (t term) needsDecision(before, after Policy) bool {
	return t.loosens == nil || t.loosens(before, after)
}

func (t term) change(before, after Policy) TermChange {
	return TermChange{Term: t.name, From: clean(t.show(before)), To: clean(t.show(after))}
}

// policyQuorum is how many humans besides the requester decide a policy change.
func (p Policy) policyQuorum() int { return max(p.PolicyQuorum, 1) }

func within(some, all []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

func namesOr(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(slices.Values(names)), ", ")
}

// approversText lists the chain as the file names it and the people it stands
// for today, by id.
func approversText(p Policy) string {
	var ids []string
	for _, link := range p.candidates() {
		if link.User != "" && link.OnCall == "" {
			ids = append(ids, link.shown()+" "+link.User)
		}
	}
	return strings.Join(append(slices.Clone(p.Named), "asked: "+namesOr(ids)), ", ")
}

// sameApprovers compares whom the file names, and the people behind the names
// where both know them: somebody whom Slack does not know any more is left out of
// the chain and is no change of the policy, an e-mail that leads to another
// person is one.
func sameApprovers(a, b Policy) bool {
	switch {
	case !slices.Equal(a.Named, b.Named):
		return false
	case len(a.Named) == 0: // nothing says who is only missing
		return approversText(a) == approversText(b)
	}
	differ := func(p, q Person) bool { return p.User != "" && q.User != "" && !p.Same(q) }
	if differ(a.Owner, b.Owner) || differ(a.Deputy, b.Deputy) {
		return false
	}
	few, many := a.Escalation, b.Escalation
	if len(few) > len(many) {
		few, many = many, few
	}
	return !slices.ContainsFunc(few, func(p Person) bool { return !slices.ContainsFunc(many, p.Same) })
}

func copyApprovers(to *Policy, from Policy) {
	to.Named, to.Owner, to.Deputy = from.Named, from.Owner, from.Deputy
	to.Escalation, to.Rotas, to.Unresolved = from.Escalation, from.Rotas, from.Unresolved
}

// termsApart lists the governed terms in which the two differ; loosening only
// those that need a decision to get from before to after.
func termsApart(before, after Policy, loosening bool) []TermChange {
	var out []TermChange
	for _, t := range governed() {
		if !t.equal(before, after) && (!loosening || t.needsDecision(before, after)) {
			out = append(out, t.change(before, after))
		}
	}
	return out
}

// withTerms returns p with the named terms of from.
func (p Policy) withTerms(from Policy, names []string) Policy {
	for _, t := range governed() {
		if slices.Contains(names, t.name) {
			t.copy(&p, from)
		}
	}
	return p
}

func termNames(changes []TermChange) []string {
	out := make([]string, 0, len(changes))
	for _, c := range changes {
		out = append(out, c.Term)
	}
	return out
}

// TermsText writes changes as a sentence: "level L2 to L3 and quorum 2 to 1".
func TermsText(changes []TermChange) string {
	parts := make([]string, 0, len(changes))
	for _, c := range changes {
		parts = append(parts, fmt.Sprintf("%s %s to %s", c.Term, c.From, c.To))
	}
	return joinAnd(parts)
}

// Digest returns the hex SHA-256 of what p says, its Version left out.
func (p Policy) Digest() string {
	p.Version = ""
	content, err := json.Marshal(p)
	if err != nil {
		return "unknown" // strings, numbers and maps of them always have an encoding
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
