package workflows

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"dw/receipts"
)

// Outcome is what a transition asks to be committed together with the new
// state: receipts, effects, moved deadlines and lines for the incident's thread.
type Outcome struct {
	Receipts  []receipts.Draft
	Effects   []Effect
	Deadlines []DeadlineChange
	Notes     []ThreadNote
}

// DeadlineChange sets Deadline, or with Drop takes the one of the same Kind and
// Subject away; an empty Kind with Drop takes all of the Subject.
type DeadlineChange struct {
	Deadline
	Drop bool
}

// RefusalCode names a refusal for receipts and programs; it never changes its
// meaning.
type RefusalCode string

// The codes of refusals.
const (
	RefusedNotAllowed  RefusalCode = "not_allowed"     // Slack's facts forbid it
	RefusedUnknown     RefusalCode = "unknown"         // no such proposal
	RefusedProposer    RefusalCode = "proposer"        // asked for it themself
	RefusedAuthor      RefusalCode = "author"          // made the change that it answers
	RefusedCC          RefusalCode = "cc"              // is told, does not decide
	RefusedNotInChain  RefusalCode = "not_in_chain"    // not a named approver
	RefusedNotAsked    RefusalCode = "not_asked_yet"   // further down the chain
	RefusedDelegation  RefusalCode = "delegation"      // it does not hold, or cannot be made
	RefusedLeftGroup   RefusalCode = "left_group"      // not, or not known to be, in the group any more
	RefusedHash        RefusalCode = "hash_differs"    // another version was shown
	RefusedNonce       RefusalCode = "nonce_differs"   // not this message's button
	RefusedMessage     RefusalCode = "message_differs" // another or a copied card
	RefusedExpired     RefusalCode = "expired"         // by the stored time
	RefusedAlready     RefusalCode = "already_decided" // this person decided before
	RefusedState       RefusalCode = "not_waiting"     // no decision is open
	RefusedVerdict     RefusalCode = "unknown_verdict" // neither approve nor reject
	RefusedNotSeen     RefusalCode = "not_seen"        // dw reads that the step is not done
	RefusedStep        RefusalCode = "step_not_open"   // the step is not the owner's to mark
	RefusedAfter       RefusalCode = "after_not_done"  // an earlier proposal is not done
	RefusedLevel       RefusalCode = "level_too_low"   // the domain's autonomy level was lowered
	RefusedUnapproved  RefusalCode = "not_approved"    // too few human decisions on this hash
	RefusedTooLate     RefusalCode = "execute_before"  // approved too long ago
	RefusedNotProposer RefusalCode = "not_proposer"    // did not ask for it
	RefusedNotApprover RefusalCode = "not_approver"    // has no approval to revoke
	RefusedStopped     RefusalCode = "stopped"         // dw is stopped
	RefusedPromotion   RefusalCode = "promotion"       // of a level, or for a team of one
)

// Refusal says why a command was not carried out. Text is plain and for the
// person who acted only.
type Refusal struct { //nolint:errname // the word of the domain
	Code RefusalCode
	Text string
}

// Error returns the code and the text.
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Text }

func refuse(code RefusalCode, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Text: fmt.Sprintf(format, args...)}
}

func (o *Outcome) receipt(d receipts.Draft) { o.Receipts = append(o.Receipts, d) }

func (o *Outcome) note(incident, text string, mention ...Person) {
	o.Notes = append(o.Notes, ThreadNote{Incident: incident, Text: text, Mention: mention})
}

func (o *Outcome) set(d Deadline) {
	o.Deadlines = append(o.Deadlines, DeadlineChange{Deadline: d})
}

func (o *Outcome) drop(kind, subject string) {
	o.Deadlines = append(o.Deadlines, DeadlineChange{Deadline: Deadline{Kind: kind, Subject: subject}, Drop: true})
}

func (o *Outcome) merge(other Outcome) {
	o.Receipts = append(o.Receipts, other.Receipts...)
	o.Effects = append(o.Effects, other.Effects...)
	o.Deadlines = append(o.Deadlines, other.Deadlines...)
	o.Notes = append(o.Notes, other.Notes...)
}

func (o *Outcome) effect(kind, key string, payload any) {
	o.Effects = append(o.Effects, newEffect(kind, key, payload))
}

// newEffect encodes payload, which is one of this package's own plain structs
// and therefore always has an encoding.
func newEffect(kind, key string, payload any) Effect {
	b, err := json.Marshal(payload)
	if err != nil {
		b = json.RawMessage(`null`)
	}
	return Effect{Kind: kind, Key: kind + "/" + key, Payload: b}
}

// stepSubject names a step as the subject of a deadline.
func stepSubject(proposal string, step int) string {
	return proposal + "/" + strconv.Itoa(step)
}

// undoPart stands before the number of a step whose roll back is meant.
const undoPart = "/undo"

// undoSubject names the roll back of a step as the subject of a deadline.
func undoSubject(proposal string, step int) string {
	return stepSubject(proposal+undoPart, step)
}

// parseStepSubject is the inverse of stepSubject and undoSubject.
func parseStepSubject(subject string) (StepRef, error) {
	at := strings.LastIndexByte(subject, '/')
	if at < 1 {
		return StepRef{}, fmt.Errorf("deadline subject %q is not proposal/step", subject)
	}
	n, err := strconv.Atoi(subject[at+1:])
	if err != nil || n < 0 {
		return StepRef{}, fmt.Errorf("deadline subject %q is not proposal/step", subject)
	}
	id, undo := strings.CutSuffix(subject[:at], undoPart)
	return StepRef{Proposal: id, Step: n, Undo: undo}, nil
}
