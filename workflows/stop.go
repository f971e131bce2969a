package workflows

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dw/receipts"
)

// Stop is the one switch that keeps dw from starting anything (approvals.md
// rule 10). Its zero value is: never pulled, not stopped.
type Stop struct {
	On     bool      `json:"on"`
	By     Person    `json:"by"` // who pulled it, or who approved that it is lifted
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
	Rev    int64     `json:"rev"` // counts every pull and lift
}

// Unreadable is the stop that stands for one that cannot be read: on.
func Unreadable(why string) Stop {
	return Stop{On: true, Reason: "the stop cannot be read (" + why + "), which counts as stopped"}
}

// Text says who stopped dw, when and why; empty where dw is not stopped. The
// time is in now's zone.
func (s Stop) Text(now time.Time) string {
	if !s.On {
		return ""
	}
	text := "dw is stopped"
	if s.By.User != "" {
		text += " by " + s.By.shown()
	}
	if !s.At.IsZero() {
		text += " since " + clockText(s.At, now)
	}
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	return text
}

// pull stops dw. Pulled again it stays on with the newest person and reason, and
// what was asked about lifting it before no longer holds.
func pull(s Stop, by Person, reason string, at, now time.Time) (Stop, Outcome) {
	var out Outcome
	out.receipt(stopReceipt(receipts.KindStopPulled, by, s.Rev+1, now, receipts.Object{
		"reason": receipts.FreeText(clean(reason)), "arrived_at": timeOr(at), "was_stopped": s.On,
	}))
	return Stop{On: true, By: by, Reason: reason, At: now.UTC(), Rev: s.Rev + 1}, out
}

// lift ends the stop that change names, after people other than the one who
// asked approved it. A stop that was pulled again meanwhile stays.
func lift(s Stop, p Proposal, now time.Time) (Stop, Outcome, *Refusal) {
	switch {
	case !s.On:
		return s, Outcome{}, refuse(RefusedState, "dw is not stopped any more.")
	case p.Change == nil || p.Change.StopRev != s.Rev:
		return s, Outcome{}, refuse(RefusedHash, "The stop was pulled again since this was asked; it stays.")
	}
	by := p.Decisions[len(p.Decisions)-1].By
	var out Outcome
	out.receipt(stopReceipt(receipts.KindStopLifted, by, s.Rev+1, now, receipts.Object{
		"proposal": p.ID, "hash": p.Hash, "asked_by": p.Proposer.User, "approvals": p.approvals(), "solo": p.Solo,
	}))
	return Stop{By: by, Reason: p.Change.Reason, At: now.UTC(), Rev: s.Rev + 1}, out, nil
}

func stopReceipt(kind string, by Person, rev int64, now time.Time, body receipts.Object) receipts.Draft {
	body["rev"] = int(rev)
	return receipts.Draft{Kind: kind, Actor: human(by), At: now.UTC(), Body: body}
}

// listed reports whether who stands anywhere in p: owner, deputy, escalation or cc.
func (p Policy) listed(who Person) bool {
	return slices.ContainsFunc(p.everybody(), who.Same)
}

// everybody lists the resolved people of p, each once, those who decide first.
func (p Policy) everybody() []Person {
	all := slices.Concat([]Person{p.Owner, p.Deputy}, p.Escalation, p.CC)
	var out []Person
	for _, who := range all {
		if who.User != "" && !slices.ContainsFunc(out, who.Same) {
			out = append(out, who)
		}
	}
	return out
}

// listedIn lists everybody who stands in one of the policies, each once.
func listedIn(policies []Policy) []Person {
	var out []Person
	for _, p := range policies {
		for _, who := range p.everybody() {
			if !slices.ContainsFunc(out, who.Same) {
				out = append(out, who)
			}
		}
	}
	return out
}

// deciders lists who may decide about policies, each once, in the order of the
// policies: the people of every chain. Those under cc are told only.
func deciders(policies []Policy) []Person {
	deciding := slices.Clone(policies)
	for n := range deciding {
		deciding[n].CC = nil
	}
	return listedIn(deciding)
}

func namesText(all []Person) string {
	if len(all) == 0 {
		return "nobody"
	}
	return joinOr(shownNames(all))
}

// stopNotice is what the channels are told.
func stopNotice(s Stop, command string, now time.Time) string {
	return strings.TrimSuffix(s.Text(now), ".") + fmt.Sprintf(
		". Nothing new starts: no step, no run, no request to an owner. What runs is still watched, checks and decisions go on, and approvals keep their time limits. Lift it with %s resume, which somebody else has to approve.", command)
}
