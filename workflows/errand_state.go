package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dw/receipts"
)

// Words for receipts: how the effect of an errand came to be known.
const (
	howCalled      = "answered, and read back by the id of the answer"
	howFoundErrand = "found by its mark"
)

// errandSubject names an errand as the subject of a deadline.
func errandSubject(incident string, e Errand) string { return incident + "/" + e.Key() }

// parseErrandSubject is the inverse of errandSubject.
func parseErrandSubject(subject string) (ErrandRef, error) {
	incident, key, ok := strings.Cut(subject, "/")
	if !ok {
		return ErrandRef{}, fmt.Errorf("deadline subject %q is not incident/errand", subject)
	}
	return ErrandRef{Incident: incident, Errand: key}, nil
}

func (e Errand) receipt(i Incident, kind string, now time.Time, more receipts.Object) receipts.Draft {
	body := receipts.Object{"errand": clean(e.Key()), "attempt": e.Attempt}
	if e.By.User != "" {
		body["asked_by"] = clean(e.By.User)
	}
	maps.Copy(body, more)
	return i.draft(kind, itself(), now, body)
}

// digest is the hash of what is sent, so that the receipt holds no free text.
func (o Order) digest() string {
	var b strings.Builder
	b.WriteString(o.Title)
	for _, l := range o.Lines {
		b.WriteString("\n" + l.Label + ": " + l.Text)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}

// intendErrand records, before the call, what dw is about to send.
func intendErrand(i Incident, e Errand, system string, o Order, wait time.Duration, now time.Time) (Errand, Outcome) {
	e.State, e.Attempt, e.Problem = ErrandCalled, e.Attempt+1, ""
	var out Outcome
	out.receipt(e.receipt(i, receipts.KindErrandIntent, now, receipts.Object{
		"system": system, "mark": clean(o.Mark), "on": clean(o.On), "service": clean(o.Service), "project": clean(o.Project),
		"sha256": o.digest(),
	}))
	out.set(Deadline{Kind: DeadlineErrand, Subject: errandSubject(i.ID, e), DueAt: now.Add(wait)})
	return e, out
}

func errandDone(i Incident, e Errand, system string, made Reference, how string, now time.Time) (Incident, Outcome) {
	e.State, e.Ref, e.Problem = ErrandDone, made.ID, ""
	i = i.withErrand(e)
	var out Outcome
	out.drop(DeadlineErrand, errandSubject(i.ID, e))
	out.receipt(e.receipt(i, receipts.KindErrandOutcome, now, receipts.Object{
		"system": system, "state": string(ErrandDone), "how": how, "ref": clean(made.ID), "url": clean(made.URL), "vendor_state": clean(made.State),
	}))
	by, told := "", []Person(nil)
	if e.By.User != "" {
		by, told = ", asked for by "+e.By.shown(), []Person{e.By}
	}
	switch e.Kind {
	case EffectPageTrigger:
		i.Page = made
		out.note(i.ID, fmt.Sprintf("%s was paged: incident %s %s%s.", system, made.ID, made.URL, by), told...)
	case EffectPageAcknowledge, EffectPageResolve:
		i.Page.State, i.Page.By = made.State, "dw"
		if e.As.User != "" {
			i.Page.By = e.As.shown()
		}
	case EffectPageEscalate:
		out.note(i.ID, fmt.Sprintf("The page %s was escalated in %s: a request expired without a decision.", i.Page.ID, system))
	case EffectTicketResolve:
		i.Ticket.State = made.State
		out.note(i.ID, fmt.Sprintf("%s: the ticket %s is %s.", system, i.Ticket.ID, made.State))
	case EffectTicketOpen:
		i.Ticket = made
		out.note(i.ID, fmt.Sprintf("%s has the ticket %s %s%s.", system, made.ID, made.URL, by), told...)
	}
	return i, out
}

// errandUnclear records that a call may or may not have had its effect.
func errandUnclear(i Incident, e Errand, system, why string, wait time.Duration, w *work) (Incident, Outcome) {
	w.quiet = true
	e.State, e.Looked, e.Problem = ErrandUnclear, 0, clean(why)
	var out Outcome
	out.set(Deadline{Kind: DeadlineErrand, Subject: errandSubject(i.ID, e), DueAt: w.now.Add(wait)})
	out.receipt(e.receipt(i, receipts.KindErrandOutcome, w.now, receipts.Object{
		"system": system, "state": string(ErrandUnclear), "why": clean(why),
	}))
	return i.withErrand(e), out
}

func errandLater(i Incident, e Errand, system string, why *LaterError, wait time.Duration, now time.Time) (Incident, Outcome) {
	e.State, e.Problem = ErrandLater, clean(why.Error())
	at := now.Add(wait)
	if why.At.After(at) {
		at = why.At
	}
	var out Outcome
	out.set(Deadline{Kind: DeadlineErrand, Subject: errandSubject(i.ID, e), DueAt: at})
	out.receipt(e.receipt(i, receipts.KindErrandOutcome, now, receipts.Object{
		"system": system, "state": string(ErrandLater), "why": clean(why.Error()), "again_at": at,
	}))
	return i.withErrand(e), out
}

// errandFailed records that nothing was done, and says so to who asked. That a
// system refuses dw's key is said once: it would be said of each call.
func errandFailed(i Incident, e Errand, system, why string, policy Policy, now time.Time) (Incident, Outcome) {
	e.State, e.Problem = ErrandFailed, clean(why)
	var out Outcome
	out.drop(DeadlineErrand, errandSubject(i.ID, e))
	out.receipt(e.receipt(i, receipts.KindErrandOutcome, now, receipts.Object{
		"system": system, "state": string(ErrandFailed), "why": clean(why),
	}))
	if e.By.User != "" || !e.Barred || !i.barred(e) {
		out.note(i.ID, fmt.Sprintf("%s: %s was not done: %s%s", system, e.shown(), why, e.followed()), e.asked(policy)...)
	}
	return i.withErrand(e), out
}

// barred reports whether another errand to the system of e met that it refuses
// dw's key.
func (i Incident) barred(e Errand) bool {
	return slices.ContainsFunc(i.Errands, func(o Errand) bool {
		return o.Barred && o.State == ErrandFailed && o.Key() != e.Key() && o.onPage() == e.onPage()
	})
}

// followed says what is not said again.
func (e Errand) followed() string {
	if !e.Barred {
		return ""
	}
	return ". What else dw does not get done there for this incident is on its card, without another note here."
}

// Undone counts the incident's calls to the pager, or to the tracker, that failed
// or are tried again, and returns the last one's problem.
func (i Incident) Undone(page bool) (n int, problem string) {
	for _, e := range i.Errands {
		if e.onPage() != page || e.State != ErrandFailed && e.State != ErrandLater && e.State != ErrandAsked {
			continue
		}
		n, problem = n+1, e.Problem
	}
	return n, problem
}

// errandNotFound counts a look that found nothing, and asks a person after the
// last one.
func errandNotFound(i Incident, e Errand, system, why string, policy Policy, wait time.Duration, w *work) (Incident, Outcome) {
	e.State, e.Looked, e.Problem = ErrandUnclear, e.Looked+1, clean(why)
	var out Outcome
	if e.Looked < maxLooks {
		w.quiet = true
		out.set(Deadline{Kind: DeadlineErrand, Subject: errandSubject(i.ID, e), DueAt: w.now.Add(wait)})
		return i.withErrand(e), out
	}
	e.State = ErrandAsked
	out.drop(DeadlineErrand, errandSubject(i.ID, e))
	out.receipt(e.receipt(i, receipts.KindErrandOutcome, w.now, receipts.Object{
		"system": system, "state": string(ErrandAsked), "why": clean(why), "looks": e.Looked,
	}))
	out.note(i.ID, fmt.Sprintf("%s: it is unclear whether %s was done, and dw looked %d times: %s. Please look there for %q; dw does not send it again by itself.",
		system, e.shown(), e.Looked, why, errandMark(i.ID, e)), e.asked(policy)...)
	return i.withErrand(e), out
}

// asked lists who is told where an errand needs a person.
func (e Errand) asked(policy Policy) []Person {
	switch {
	case e.By.User != "":
		return []Person{e.By}
	case policy.Owner.User != "":
		return []Person{policy.Owner}
	}
	return nil
}

// shown names what an errand does, for people.
func (e Errand) shown() string {
	name := map[string]string{
		EffectPageTrigger: "the page", EffectPageNote: "the note", EffectPageAcknowledge: "the acknowledgement",
		EffectPageResolve: "closing the page", EffectPageEscalate: "the escalation", EffectTicketOpen: "the ticket",
		EffectTicketComment: "the comment", EffectTicketLink: "the link to the thread",
		EffectTicketTitle: "the title", EffectTicketResolve: "moving the ticket",
	}[e.Kind]
	if e.Stage != "" {
		name += " (" + e.Stage + ")"
	}
	return name
}
