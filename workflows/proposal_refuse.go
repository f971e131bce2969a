package workflows

import (
	"crypto/subtle"
	"slices"
	"time"
)

// refuseDecision returns why r cannot decide p, nil where it can.
func refuseDecision(p Proposal, r DecideRequest, now time.Time) *Refusal {
	guards := []func(Proposal, DecideRequest, time.Time) *Refusal{
		refuseVerdict, refuseRepeat, refusePerson, refuseLeft, refuseStandIn, refuseHash, refuseCard, refuseState, refuseLate,
	}
	for _, guard := range guards {
		if refusal := guard(p, r, now); refusal != nil {
			return refusal
		}
	}
	return nil
}

func refuseVerdict(_ Proposal, r DecideRequest, _ time.Time) *Refusal {
	if r.Verdict != Approve && r.Verdict != Reject {
		return refuse(RefusedVerdict, "This button is not one of dw's; use the buttons of the newest card.")
	}
	return nil
}

// refuseRepeat lets each person decide once.
func refuseRepeat(p Proposal, r DecideRequest, now time.Time) *Refusal {
	before, found := p.decisionOf(r.By)
	if !found {
		return nil
	}
	if before.Verdict == r.Verdict {
		return refuse(RefusedAlready, "Your decision (%s) was already recorded at %s.", before.Verdict, clockText(before.At, now))
	}
	return refuse(RefusedAlready, "Your decision (%s) was already recorded at %s and cannot be changed to %s here.",
		before.Verdict, clockText(before.At, now), r.Verdict)
}

func refusePerson(p Proposal, r DecideRequest, now time.Time) *Refusal {
	can := linksText(p.Asked())
	link, named := p.link(r.By)
	switch {
	case r.NotAllowed != "":
		return refuse(RefusedNotAllowed, "You cannot decide this: %s. %s can decide.", r.NotAllowed, can)
	case isProposer(p.Proposer, r.By):
		return refuse(RefusedProposer, "You asked for this change, so somebody else decides it: %s.", can)
	case !named && p.madeBy(r.By) != "":
		return refuse(RefusedAuthor, "You made a change that this answers (%s), so somebody else decides it: %s.", p.madeBy(r.By), can)
	case !named && slices.ContainsFunc(p.CC, r.By.Same):
		return refuse(RefusedCC, "You are kept informed (cc) and do not decide this. %s can decide.", can)
	case !named:
		return refuse(RefusedNotInChain, "You are not one of the people named to decide this. %s can decide.", can)
	case link.AskedAt.IsZero() && p.State == Waiting:
		return refuse(RefusedNotAsked, "You are named as %s and are not asked yet. %s can decide now%s.",
			link.As(), can, escalationText(p, now))
	}
	return nil
}

// escalationText says when the next person is asked: ", Ben (deputy) is asked
// at 13:10 UTC".
func escalationText(p Proposal, now time.Time) string {
	next := p.Next()
	if len(next) == 0 || p.Clocks.EscalateAt.IsZero() {
		return ""
	}
	return ", " + linksText(next) + " is asked at " + clockText(p.Clocks.EscalateAt, now)
}

// refuseHash compares the 16 bytes that the button carried with the stored hash.
func refuseHash(p Proposal, r DecideRequest, _ time.Time) *Refusal {
	return hashRefusal(p, r.HashPrefix)
}

func hashRefusal(p Proposal, prefix string) *Refusal {
	same := len(prefix) == hashPrefixLen && subtle.ConstantTimeCompare([]byte(prefix), []byte(p.HashPrefix())) == 1
	switch {
	case p.State == Superseded:
		return refuse(RefusedHash, "This version was replaced by a new one%s. Decide on the newest card of this incident.", replacedText(p))
	case !same:
		return refuse(RefusedHash, "This version was replaced: the card that you clicked shows other content than the request as it stands (%s). Use the newest card of this incident.", p.Fingerprint())
	}
	return nil
}

func replacedText(p Proposal) string {
	if p.ReplacedBy == "" {
		return ""
	}
	return " (" + p.ReplacedBy + ")"
}

// refuseCard compares where the click came from with where the card stands.
func refuseCard(p Proposal, r DecideRequest, _ time.Time) *Refusal {
	if refusal := messageRefusal(p.Message, r.Message); refusal != nil {
		return refusal
	}
	if p.Nonce == "" || subtle.ConstantTimeCompare([]byte(r.Nonce), []byte(p.Nonce)) != 1 {
		return refuse(RefusedNonce, "This button does not belong to the request as it stands. Use the newest card of this incident.")
	}
	return nil
}

func messageRefusal(stored, clicked MessageRef) *Refusal {
	switch {
	case stored == (MessageRef{}):
		return refuse(RefusedMessage, "dw has not recorded yet where this card stands. Try again in a moment.")
	case stored != clicked:
		return refuse(RefusedMessage, "This is a copy or an old card. Use the newest card of this incident.")
	}
	return nil
}

func refuseState(p Proposal, _ DecideRequest, now time.Time) *Refusal {
	switch p.State {
	case Waiting:
		return nil
	case Expired:
		return expiredRefusal(p, now)
	case Rejected:
		return refuse(RefusedState, "Nothing is left to decide: %s.", decidedText(p, Reject, now))
	case Revoked:
		return refuse(RefusedState, "Nothing is left to decide: the approval was revoked.")
	case Withdrawn:
		return refuse(RefusedState, "Nothing is left to decide: the request was withdrawn.")
	}
	return refuse(RefusedState, "Nothing is left to decide: %s.", decidedText(p, Approve, now))
}

// refuseLate compares the stored time with the click's arrival, whether a timer
// ran or not.
func refuseLate(p Proposal, r DecideRequest, now time.Time) *Refusal {
	if !r.At.Before(p.Clocks.ExpiresAt) {
		return expiredRefusal(p, now)
	}
	return nil
}

func expiredRefusal(p Proposal, now time.Time) *Refusal {
	return refuse(RefusedExpired, "This request expired at %s and was never auto-granted. The incident stays open.",
		clockText(p.Clocks.ExpiresAt, now))
}

func decidedText(p Proposal, v Verdict, now time.Time) string {
	for _, d := range p.Decisions {
		if d.Verdict == v {
			return d.By.shown() + " decided (" + string(v) + ") at " + clockText(d.At, now)
		}
	}
	return "the request is " + string(p.State)
}
