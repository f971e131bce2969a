package workflows

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"dw/receipts"
)

// How the policy of a domain came to be in force.
const (
	ByFile      = "file"      // the first start with this domain
	ByDecision  = "decided"   // a policy change that people approved
	ByLowering  = "lowered"   // one listed person
	ByTightened = "tightened" // the file asked for less than was in force
)

// Governed is what is in force in one domain, whatever its file says.
type Governed struct {
	Policy   Policy    `json:"policy"` // its governed terms are in force
	File     Policy    `json:"file"`   // as the file said when it was last read
	How      string    `json:"how"`
	LevelBy  Person    `json:"level_by"` // who set the level; nobody: the file at the first start
	LevelAt  time.Time `json:"level_at"`
	LevelHow string    `json:"level_how"`
	Proposal string    `json:"proposal,omitempty"` // the newest policy change in force
	Rev      int64     `json:"rev"`                // counts the changes of Policy
}

// InForce is what is in force in every domain. Its zero value is that of a dw
// that has never started.
type InForce struct {
	Domains map[string]Governed `json:"domains"`
	Rev     int64               `json:"rev"` // counts the writes
	// Damaged says that the stored one cannot be understood: then no domain is
	// above L1.
	Damaged bool `json:"-"`
}

// PolicyReads reads what is in force. Where its row cannot be understood the
// answer is Damaged; where it cannot be read, an error.
type PolicyReads interface {
	InForce(ctx context.Context) (InForce, error)
}

// PolicyWrites writes what is in force. The Rev of f must be the stored one plus
// one; otherwise the answer is ErrConflict.
type PolicyWrites interface {
	PutInForce(ctx context.Context, f InForce) (InForce, error)
}

// with returns f with another standing of one domain.
func (f InForce) with(domain string, st Governed) InForce {
	next := make(map[string]Governed, len(f.Domains)+1)
	maps.Copy(next, f.Domains)
	next[domain] = st
	f.Domains = next
	return f
}

// Policy returns the policy of the domain as it is in force: the file's, with
// every governed term as it was decided. A domain that dw has not started with
// yet is at L2 at most, and where nothing can be read at L1.
func (f InForce) Policy(file Policy) Policy {
	st, known := f.Domains[file.Domain]
	switch {
	case f.Damaged:
		st.Policy = file
		st.Policy.Level = min(file.Level, L1Observe)
	case !known:
		st.Policy = firstPolicy(file)
	}
	out := file
	for _, t := range governed() {
		if !t.equal(file, st.Policy) {
			t.copy(&out, st.Policy)
		}
	}
	out.Held = termsApart(out, file, true)
	if len(termsApart(out, file, false)) > 0 {
		out.Version = out.Digest()
	}
	return out
}

// firstPolicy is what is in force at the first start with a domain: what the
// file says, but no more than L2.
func firstPolicy(file Policy) Policy {
	file.Level = min(file.Level, L2Propose)
	return file
}

// Loaded is what reading the file again means for one domain.
type Loaded struct {
	Governed Governed
	Applied  []TermChange // the file asks for less: in force at once
	Held     []TermChange // the file asks for more: not in force
	Moved    bool         // the file asks for something held that it did not ask before
	First    bool
}

// load compares a domain's file with what is in force there.
func load(f InForce, file Policy, now time.Time) Loaded {
	st, known := f.Domains[file.Domain]
	if !known {
		first := firstPolicy(file)
		l := Loaded{First: true, Held: termsApart(first, file, true)}
		l.Moved = len(l.Held) > 0
		l.Governed = Governed{Policy: first, File: file, How: ByFile, LevelHow: ByFile, LevelAt: now.UTC(), Rev: 1}
		return l
	}
	l := Loaded{Held: termsApart(st.Policy, file, true), Moved: !known}
	held := termNames(l.Held)
	for _, t := range governed() {
		moved := !t.equal(st.File, file)
		switch {
		case t.equal(st.Policy, file):
		case slices.Contains(held, t.name):
			l.Moved = l.Moved || moved
		case t.name == "quorum" && slices.Contains(held, "approvers"):
			// More approvals by a chain that is not in force yet might never come.
			l.Held = append(l.Held, t.change(st.Policy, file))
			l.Moved = l.Moved || moved
		case moved:
			l.Applied = append(l.Applied, t.change(st.Policy, file))
		}
	}
	if len(l.Applied) > 0 {
		st.Policy = st.Policy.withTerms(file, termNames(l.Applied))
		st.How, st.Rev = ByTightened, st.Rev+1
		if slices.Contains(termNames(l.Applied), termLevel) {
			st.LevelBy, st.LevelAt, st.LevelHow = Person{}, now.UTC(), ByTightened
		}
	}
	st.File = file
	l.Governed = st
	return l
}

// FileChange is what an edited file means for one domain, for the receipt of the
// start.
type FileChange struct {
	Domain  string
	File    []TermChange // since the file was last read
	Applied []TermChange
	Held    []TermChange
	First   bool
	InForce Policy // from this start on
}

// FileChanges compares the files' policies with what was read before and with
// what is in force, in their order.
func FileChanges(f InForce, files []Policy, now time.Time) []FileChange {
	var out []FileChange
	for _, file := range files {
		l := load(f, file, now)
		c := FileChange{Domain: file.Domain, Applied: l.Applied, Held: l.Held, First: l.First, InForce: f.with(file.Domain, l.Governed).Policy(file)}
		if !l.First {
			c.File = termsApart(f.Domains[file.Domain].File, file, false)
		}
		out = append(out, c)
	}
	return out
}

// Document writes the change for a receipt.
func (c FileChange) Document() receipts.Object {
	return receipts.Object{
		"first": c.First, "changed": termsDocument(c.File), "in_force_at_once": termsDocument(c.Applied), "not_in_force": termsDocument(c.Held),
	}
}

func termsDocument(changes []TermChange) []receipts.Value {
	out := make([]receipts.Value, 0, len(changes))
	for _, c := range changes {
		out = append(out, receipts.Object{"term": c.Term, "from": clean(c.From), "to": clean(c.To)})
	}
	return out
}

// setBy says who set the level of a domain, how and when.
func (s Governed) setBy(now time.Time) string {
	switch s.LevelHow {
	case ByDecision:
		return fmt.Sprintf("approved by %s at %s (%s)", s.LevelBy.shown(), clockText(s.LevelAt, now), s.Proposal)
	case ByLowering:
		return fmt.Sprintf("lowered by %s at %s", s.LevelBy.shown(), clockText(s.LevelAt, now))
	case ByRestore:
		return fmt.Sprintf("lowered at %s, because a backup was put back", clockText(s.LevelAt, now))
	}
	return fmt.Sprintf("from the configuration since %s", clockText(s.LevelAt, now))
}
