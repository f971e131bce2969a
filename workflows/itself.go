package workflows

import (
	"slices"
	"strings"
	"time"

	"dw/diagnosis"
	"dw/lineage"
	"dw/receipts"
)

// Itself is where a proposal stands that dw may begin without a person, at L3.
type Itself struct {
	Level    Level     `json:"level"`             // in force when dw began it, else when it was made
	SetBy    string    `json:"set_by"`            // who set that level, how and when
	Decided  string    `json:"decided,omitempty"` // id of the policy change behind it
	At       time.Time `json:"at,omitzero"`       // when dw began it; zero: it has not
	Declined string    `json:"declined,omitempty"`
	Stale    bool      `json:"stale,omitempty"` // declined for facts that are not those in the proposal
	// MovesMoney is whether a step runs a job that moves money, or of which that is
	// not known.
	MovesMoney bool `json:"moves_money,omitempty"`
}

// ByItself reports whether dw began p without a person's decision.
func (p Proposal) ByItself() bool { return p.Itself != nil && !p.Itself.At.IsZero() }

// Offered reports whether dw is about to begin p by itself, and nobody has to
// decide unless that turns out not to be allowed.
func (p Proposal) Offered() bool {
	return p.State == Waiting && p.Itself != nil && p.Itself.At.IsZero() && p.Itself.Declined == ""
}

// ruleItself rules on beginning p without a person: every step of it has to be
// allowed, the first is a call of dw's own, and it waits for nothing.
func ruleItself(p Proposal, t Terms) Ruling {
	ask := func(why string) Ruling { return Ruling{Permission: Ask, Code: RefusedUnapproved, Why: why} }
	if !p.callsItself(0) {
		return ask("its first step is not dw's own")
	}
	if len(p.After) > 0 {
		return ask("it waits for another request")
	}
	var last Ruling
	for n, step := range p.Plan {
		if step.By != diagnosis.ByDW {
			return ask("a step of it is the owner's")
		}
		r := t.byItself(p, n)
		if r.Permission != Allow {
			return r
		}
		if step.Kind != diagnosis.Verify {
			last = r
		}
	}
	return last
}

// byItself rules on one step of p as dw's own.
func (t Terms) byItself(p Proposal, n int) Ruling {
	return Autonomy(t.Policy.Level, t.Policy.Solo, t.Stopped, Act{
		Deed: DeedPlaybook, Kind: p.Plan[n].Kind, Reversible: p.Plan[n].Reversible, UndoRecorded: p.undoRecorded(n),
		Listed: slices.Contains(t.Policy.Playbooks, p.Playbook), Opened: t.Opened, MovesMoney: p.Itself == nil || p.Itself.MovesMoney,
	})
}

// opens reports whether the level in force lets dw act by itself at all.
func (t Terms) opens() bool {
	reads := Act{Deed: DeedPlaybook, Kind: diagnosis.Verify, Listed: true, Opened: t.Opened}
	return Autonomy(t.Policy.Level, t.Policy.Solo, false, reads).Permission == Allow
}

// carry rules on beginning step n of p: of what people approved, or of what dw
// began by itself, which goes on only while every term of that still holds.
func (t Terms) carry(p Proposal, n int) Ruling {
	if !p.ByItself() || t.Stopped {
		return t.perform()
	}
	r := t.byItself(p, n)
	if r.Permission != Allow {
		r.Permission = Refuse
	}
	return r
}

// undoRecorded reports whether the undo of step n stands in the proposal, which
// is in the log before anything of it begins: the action, and what it brings back
// equal to what was read, or a run of its own.
func (p Proposal) undoRecorded(n int) bool {
	if p.Plan[n].UndoAction == nil || n >= len(p.Snapshot) {
		return false
	}
	r := p.Snapshot[n]
	if r.Mute || r.Unread != "" || r.At.IsZero() || len(r.UndoEffect) == 0 {
		return false
	}
	return !slices.ContainsFunc(r.UndoEffect, func(f Fact) bool {
		return !strings.Contains(f.Value, RunOfStep) && valueOf(r.Facts, f.Name) != f.Value
	})
}

// movesMoney reports whether a step of the plan runs a job that moves money, as
// the blast radius of its incident knows; what it does not know counts as such.
func movesMoney(i Incident, plan []diagnosis.PlannedStep) bool {
	return slices.ContainsFunc(plan, func(s diagnosis.PlannedStep) bool {
		if s.Kind != diagnosis.Rerun {
			return false
		}
		return i.Blast == nil || !slices.ContainsFunc(i.Blast.Consumers, func(c lineage.Consumer) bool {
			return c.ID == s.Action.Target && c.Moves != lineage.MovesMoney
		})
	})
}

// holdsFirst returns the title of a hold of the incident that is not decided yet,
// where p runs something: jobs that pay are held before anything else is done.
func holdsFirst(p Proposal, all []Proposal) string {
	if p.HoldsOnly() {
		return ""
	}
	for _, q := range all {
		if q.ID != p.ID && q.HoldsOnly() && (q.State == Waiting || q.State == Approved) {
			return q.Title
		}
	}
	return ""
}

// acted puts an offered proposal into execution: the receipt of it comes before
// the intent of its first step, in the same transaction.
func acted(p Proposal, rule Ruling, st Governed, read receipts.Object, now time.Time) (Proposal, Outcome) {
	p = p.clone()
	it := *p.Itself
	it.At, it.Level, it.SetBy, it.Decided = now.UTC(), st.Policy.Level, st.setBy(now), st.Proposal
	p.Itself = &it
	var out Outcome
	p = approve(p, now, &out)
	p.State = Executing
	out.receipt(p.draft(receipts.KindAutonomyActed, itself(), now, receipts.Object{
		"level": it.Level.String(), "rule": clean(rule.Why), "playbook": clean(p.Playbook), "hash": p.Hash,
		"record": receipts.Object{"level_set": clean(it.SetBy), "level_how": st.LevelHow, "policy_change": it.Decided},
		"undo":   undosDocument(p), "read": read, "told": namesOf(p.Asked()),
	}))
	out.note(p.Incident, actedText(p), slices.Concat(people(p.Asked()), p.CC)...)
	return p, out
}

// undosDocument repeats the recorded undo of each step, with the facts that it
// goes back to.
func undosDocument(p Proposal) []receipts.Value {
	var out []receipts.Value
	for n, s := range p.Plan {
		if s.UndoAction != nil {
			out = append(out, receipts.Object{
				"step": n, "text": clean(s.Undo), "action": actionDocument(*s.UndoAction), "goes_back_to": factsDocument(p.Snapshot[n].Facts),
			})
		}
	}
	return out
}

// declined has people decide what dw does not begin by itself after all.
func declined(p Proposal, why string, stale bool, now time.Time) (Proposal, Outcome) {
	p = p.clone().withProblem(0, "not begun by dw itself: "+why)
	it := *p.Itself
	it.Declined, it.Stale = why, stale
	p.Itself = &it
	var out Outcome
	if stale {
		out.set(Deadline{Kind: DeadlinePropose, Subject: p.Incident, DueAt: now}) // asked on the facts as they are
	}
	out.note(p.Incident, declinedText(p, now), slices.Concat(people(p.Asked()), p.CC)...)
	out.receipt(p.draft(receipts.KindIncidentUpdated, itself(), now, receipts.Object{
		"what": "proposal", "state": string(p.State), "why": clean("dw does not begin it by itself: " + why),
	}))
	return p, out
}
