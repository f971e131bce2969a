package workflows

import (
	"fmt"
	"time"

	"dw/receipts"
)

// decide records r's verdict on p, or refuses it. The verdict "expired" follows
// from p's stored time and r.At alone. now is the time of the commit. The new
// state is Approved only where as many named humans as the quorum needs have
// approved this very hash; one reject ends it.
func decide(p Proposal, r DecideRequest, now time.Time) (Proposal, Outcome, *Refusal) {
	switch {
	case retracts(r.Verdict):
		return retract(p, r, now)
	case chooses(r.Verdict):
		return choose(p, r, now)
	}
	if refusal := refuseDecision(p, r, now); refusal != nil {
		return p, refusedDecision(p, r, refusal, now), refusal
	}
	link, _ := p.link(r.By)
	p = p.clone()
	p.Decisions = append(p.Decisions, Decision{
		By: link.Person, Role: link.Role, Verdict: r.Verdict, Hash: p.Hash, Reason: r.Reason,
		At: r.At, ActionTS: r.ActionTS, EnvelopeID: r.EnvelopeID, For: link.For,
	})
	out := recorded(p, r, link, now)
	switch {
	case r.Verdict == Reject:
		out.merge(p.stopClocks())
		p.State = Rejected
		out.note(p.Incident, fmt.Sprintf("%s (%s) rejected %q: %s", link.shown(), link.As(), p.Title, reasonText(r.Reason)))
	case p.approvals() >= p.Quorum:
		p = approve(p, now, &out)
		out.note(p.Incident, fmt.Sprintf("%s (%s) approved %q (%s).", link.shown(), link.As(), p.Title, p.Fingerprint()))
	default:
		out.note(p.Incident, fmt.Sprintf("%s (%s) approved %q: %d of %d.", link.shown(), link.As(), p.Title, p.approvals(), p.Quorum))
	}
	return p, out, nil
}

// approve is the only edge into Approved.
func approve(p Proposal, now time.Time, out *Outcome) Proposal {
	p.State = Approved
	p.Clocks.ExecuteBefore = now.UTC().Add(p.ExecuteWithin)
	out.merge(p.stopClocks())
	out.set(Deadline{Kind: DeadlineLapse, Subject: p.ID, DueAt: p.Clocks.ExecuteBefore})
	return p
}

// stopClocks takes every deadline of p (not those of its steps) away.
func (p Proposal) stopClocks() Outcome {
	var out Outcome
	out.drop("", p.ID)
	return out
}

func reasonText(reason string) string {
	if reason == "" {
		return "no reason given"
	}
	return reason
}

func recorded(p Proposal, r DecideRequest, link Link, now time.Time) Outcome {
	var out Outcome
	body := receipts.Object{
		"verdict": string(r.Verdict), "role": string(link.Role), "hash": p.Hash,
		"arrived_at": r.At, "action_ts": clean(r.ActionTS), "envelope_id": clean(r.EnvelopeID),
		"approvals": p.approvals(), "quorum": p.Quorum,
	}
	if link.Group != "" {
		body["group"] = clean(link.Group)
	}
	if link.For.User != "" {
		body["for"], body["delegation"] = userOf(link.For), link.Delegation
	}
	if r.Reason != "" {
		body["reason"] = receipts.FreeText(clean(r.Reason))
	}
	out.receipt(p.draft(receipts.KindDecisionRecorded, human(link.Person), now, body))
	return out
}

// sameClick reports whether r is the click that led to d: by Slack's delivery, or
// by its time of the click, which stays when it is delivered under another id.
func sameClick(d Decision, r DecideRequest) bool {
	return d.EnvelopeID == r.EnvelopeID || (d.ActionTS != "" && d.ActionTS == r.ActionTS)
}

func refusedDecision(p Proposal, r DecideRequest, why *Refusal, now time.Time) Outcome {
	var out Outcome
	if d, again := p.decisionOf(r.By); again && d.Verdict == r.Verdict && sameClick(d, r) {
		return out // Slack delivered the same click twice
	}
	out.receipt(p.draft(receipts.KindDecisionRefused, human(r.By), now, receipts.Object{
		"action": "decide", "verdict": clean(string(r.Verdict)), "code": string(why.Code), "why": clean(why.Text),
		"arrived_at": r.At, "action_ts": clean(r.ActionTS), "envelope_id": clean(r.EnvelopeID),
	}))
	return out
}
