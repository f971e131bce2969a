package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// RunOfStep is the value of a declared fact that becomes the id of the run which
// the step starts.
const RunOfStep = "{run}"

// Fact is one thing that is so of a step's target, in its connector's words:
// "schedule" is "RUNNING".
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Reading is the state of one step's target as dw read it, with what the step
// and its undo are declared to make of it. It is inside the proposal's hash.
type Reading struct {
	System     string    `json:"system"`
	Target     string    `json:"target"`
	File       string    `json:"file,omitempty"`
	At         time.Time `json:"at,omitzero"` // zero where nothing was read
	Facts      []Fact    `json:"facts,omitempty"`
	Effect     []Fact    `json:"effect,omitempty"`
	UndoEffect []Fact    `json:"undo_effect,omitempty"`
	Unread     string    `json:"unread,omitempty"` // why nothing was read
	Mute       bool      `json:"mute,omitempty"`   // no connector reads such a target
}

// same reports whether both are of one target.
func (r Reading) same(q Reading) bool {
	return r.System == q.System && r.Target == q.Target && r.File == q.File
}

// with returns the facts with those of effect in their place. What was not read
// is not added.
func with(facts, effect []Fact, run string) []Fact {
	facts = slices.Clone(facts)
	for n, f := range facts {
		for _, e := range effect {
			if e.Name == f.Name {
				facts[n].Value = strings.ReplaceAll(e.Value, RunOfStep, run)
			}
		}
	}
	return facts
}

// expectation is what a target must be like before a step.
type expectation struct {
	step  int
	facts []Fact
}

// expected is the precondition of step n: the approved snapshot with the declared
// effects of every step applied that was carried out since, of p and of the other
// proposals of its incident (approvals.md rule 8). Of the steps before n it holds
// what dw can read; a step that a person marked done against what dw reads is
// taken at their word.
func expected(p Proposal, all []Proposal, n int) []expectation {
	var out []expectation
	for k := range min(n+1, len(p.Snapshot)) {
		r := p.Snapshot[k]
		doubted := p.Steps[k].Doubted.User != "" && p.Steps[k].State == StepDone
		if r.Mute || doubted || (k < n && r.Unread != "") {
			continue
		}
		out = append(out, expectation{step: k, facts: applied(r, effectsSince(all, r))})
	}
	return out
}

func applied(r Reading, effects []effectOf) []Fact {
	facts := r.Facts
	for _, e := range effects {
		facts = with(facts, e.facts, e.run)
	}
	return facts
}

// effectOf is the declared effect of a step that was carried out.
type effectOf struct {
	at    time.Time
	facts []Fact
	run   string
}

// effectsSince lists what was carried out on r's target since it was read, in
// the order in which it was.
func effectsSince(all []Proposal, r Reading) []effectOf {
	var out []effectOf
	for _, p := range all {
		for n, s := range p.Steps {
			if n >= len(p.Snapshot) || !p.Snapshot[n].same(r) || s.Since.Before(r.At) {
				continue
			}
			switch s.State {
			case StepDone:
				out = append(out, effectOf{at: s.Since, facts: p.Snapshot[n].Effect, run: s.RunID})
				if run := s.undoRun(); run != "" { // of a roll back that did not come to its end
					out = append(out, effectOf{at: s.Undo.Since, facts: ofRuns(p.Snapshot[n].UndoEffect), run: run})
				}
			case StepUndone:
				out = append(out, effectOf{at: s.Since, facts: p.Snapshot[n].UndoEffect, run: s.undoRun()})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b effectOf) int { return a.at.Compare(b.at) })
	return out
}

// ofRuns keeps the declared facts that name the run.
func ofRuns(facts []Fact) []Fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f Fact) bool { return !strings.Contains(f.Value, RunOfStep) })
}

func (s StepStatus) undoRun() string {
	if s.Undo == nil {
		return ""
	}
	return s.Undo.RunID
}

// preconditionHash identifies an expectation, and what was read in its place.
func preconditionHash(want []expectation) string {
	doc := make([]receipts.Value, 0, len(want))
	for _, e := range want {
		doc = append(doc, receipts.Object{"step": e.step, "facts": factsDocument(e.facts)})
	}
	b, err := receipts.Canonical(doc)
	if err != nil { // facts are cleaned where they are read
		return "none: " + err.Error()
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func factsDocument(facts []Fact) receipts.Object {
	o := receipts.Object{}
	for _, f := range facts {
		o[clean(f.Name)] = clean(f.Value)
	}
	return o
}

// differences says what is not as it was approved; empty where all is.
func differences(p Proposal, want, got []expectation) []string {
	read := map[int][]Fact{}
	for _, e := range got {
		read[e.step] = e.facts
	}
	var out []string
	for _, e := range want {
		r := p.Snapshot[e.step]
		if r.Unread != "" {
			out = append(out, fmt.Sprintf("%s was not read when this was asked (%s)", r.name(), r.Unread))
		}
		for _, f := range e.facts {
			if now := valueOf(read[e.step], f.Name); now != f.Value {
				out = append(out, fmt.Sprintf("%s: %s is %s, and was to be %s", r.name(), f.Name, orNone(now), orNone(f.Value)))
			}
		}
	}
	return out
}

func (r Reading) name() string {
	if r.File != "" {
		return r.File
	}
	return r.Target
}

func valueOf(facts []Fact, name string) string {
	for _, f := range facts {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

func orNone(s string) string {
	if s == "" {
		return "not there"
	}
	return s
}

func snapshotDocument(snapshot []Reading) []receipts.Value {
	out := make([]receipts.Value, 0, len(snapshot))
	for _, r := range snapshot {
		out = append(out, receipts.Object{
			"system": r.System, "target": r.Target, "file": r.File, "read_at": timeOr(r.At), "unread": clean(r.Unread), "mute": r.Mute,
			"facts": factsDocument(r.Facts), "effect": factsDocument(r.Effect), "undo_effect": factsDocument(r.UndoEffect),
		})
	}
	return out
}

// readingOf starts the reading of a step's target.
func readingOf(s diagnosis.PlannedStep) Reading {
	return Reading{System: s.Action.System, Target: string(s.Action.Target), File: s.File}
}
