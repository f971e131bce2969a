package workflows

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// When a domain pages or opens tickets.
const (
	ByItself  = "auto"       // page: as soon as an incident opens
	OnResolve = "on_resolve" // ticket: when an incident is resolved
	OnRequest = "manual"     // only when a person asks
	Never     = "off"
)

// queueErrands adds to every incident of this transaction the errands that its
// new state asks for, and queues those that can be carried out.
func (s *Service) queueErrands(ctx context.Context, w *work) error {
	if s.pager == nil && s.tickets == nil {
		return nil
	}
	for _, id := range w.touched() {
		i, err := w.incident(ctx, id)
		if err != nil {
			return err
		}
		proposals, err := w.proposalsOf(ctx, id)
		if err != nil {
			return err
		}
		s.queueErrandsOf(w, i, proposals)
	}
	return nil
}

func (s *Service) queueErrandsOf(w *work, i Incident, proposals []Proposal) {
	policy, next := s.policy(i.Domain), i
	var wanted []Errand
	if s.pager != nil && policy.PageService != "" {
		wanted = s.wantedPage(w, i, proposals, policy)
	}
	if s.tickets != nil {
		wanted = append(wanted, s.wantedTicket(i, proposals, policy)...)
	}
	for _, e := range wanted {
		if _, known := next.Errand(e.Key()); !known {
			e.State, e.At, e.Cause = ErrandQueued, w.now.UTC(), causeID(i.Diagnosis)
			next = next.withErrand(e)
		}
	}
	if len(next.Errands) != len(i.Errands) {
		w.setIncident(next, Outcome{})
	}
	for _, e := range next.Errands {
		if e.State == ErrandQueued && next.ready(e) {
			w.out.errand(i.ID, e, "")
		}
	}
}

// errand queues the delivery of e. The same attempt is queued once.
func (o *Outcome) errand(incident string, e Errand, why string) {
	key := fmt.Sprintf("%s/%s/%d%s", incident, e.Stage, e.Attempt, why)
	o.effect(e.Kind, key, ErrandRef{Incident: incident, Errand: e.Key()})
}

// touched lists the incidents that this transaction changes or writes about. A
// policy change belongs to none.
func (w *work) touched() []string {
	ids := slices.Clone(w.incidents.changed)
	add := func(id string) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, id := range w.proposals.changed {
		add(w.proposals.held[id].Incident)
	}
	for _, n := range w.out.Notes {
		add(n.Incident)
	}
	return ids
}

// wantedPage lists the errands to the pager that an incident's state asks for.
func (s *Service) wantedPage(w *work, i Incident, proposals []Proposal, policy Policy) []Errand {
	trigger, paged := i.begun(EffectPageTrigger)
	expired := slices.ContainsFunc(proposals, func(p Proposal) bool { return p.State == Expired })
	switch {
	case !paged && i.State != Resolved && policy.Page == ByItself && s.awaitsDiagnosis(i, policy, w.now):
		w.out.set(Deadline{Kind: DeadlinePage, Subject: i.ID, DueAt: i.OpenedAt.Add(policy.PageWait)})
		return nil
	case !paged && i.State != Resolved && policy.Page == ByItself:
		w.out.drop(DeadlinePage, i.ID)
		return []Errand{{Kind: EffectPageTrigger}}
	case !paged && i.State != Resolved && policy.Page != Never && expired:
		return []Errand{{Kind: EffectPageTrigger, Stage: stageExpired}}
	case !paged:
		return nil
	}
	var out []Errand
	for _, told := range tellings(i, proposals) {
		if told.Cause == trigger.Cause {
			continue // the page itself carries it
		}
		told.Kind = EffectPageNote
		out = append(out, told)
	}
	if expired && trigger.Stage != stageExpired && i.State != Resolved {
		out = append(out, Errand{Kind: EffectPageEscalate})
	}
	if i.AckedBy.User != "" && i.State != Resolved && i.Page.State != PageAcknowledged && i.Page.State != PageResolved {
		out = append(out, Errand{Kind: EffectPageAcknowledge, As: i.AckedBy})
	}
	if i.State == Resolved && i.Page.State != PageResolved {
		out = append(out, Errand{Kind: EffectPageResolve})
	}
	return out
}

// wantedTicket lists the errands to the tracker that an incident's state asks for.
func (s *Service) wantedTicket(i Incident, proposals []Proposal, policy Policy) []Errand {
	open, begun := i.begun(EffectTicketOpen)
	if !begun {
		if policy.Ticket == OnResolve && policy.TicketProject != "" && i.State == Resolved && i.MergedInto == "" {
			return []Errand{{Kind: EffectTicketOpen, Project: policy.TicketProject}}
		}
		return nil
	}
	var out []Errand
	if s.permalink != nil {
		out = append(out, Errand{Kind: EffectTicketLink})
	}
	for _, told := range tellings(i, proposals) {
		if told.At.After(open.At) && told.Cause != open.Cause {
			told.Kind = EffectTicketComment
			out = append(out, told)
		}
	}
	// A ticket that was opened because of the end is the follow-up and stays open.
	if i.State == Resolved && open.At.Before(i.ResolvedAt) {
		out = append(out, Errand{Kind: EffectTicketTitle})
		if policy.TicketMove != "" {
			out = append(out, Errand{Kind: EffectTicketResolve})
		}
	}
	return out
}

// Stages of errands that tell of an incident's progress.
const (
	stageExpired  = "expired"
	stageResolved = "resolved"
)

// tellings lists what those who read a page or a ticket are told of: the cause,
// what is asked, each decision, an expiry, and the end. At is when it happened;
// Cause is set, to what open tickets are compared with, for a cause alone.
func tellings(i Incident, proposals []Proposal) []Errand {
	var out []Errand
	add := func(stage string, at time.Time, as Person, cause string) {
		out = append(out, Errand{Stage: word(stage), At: at, As: as, Cause: cause})
	}
	if id := causeID(i.Diagnosis); id != "" {
		add("cause-"+id, i.Diagnosis.At, Person{}, id)
	}
	for _, p := range proposals {
		if n := len(i.Proposals); n > 0 && p.ID == i.Proposals[n-1] {
			add("asked-"+p.ID, p.CreatedAt, Person{}, notACause)
		}
		for _, d := range p.Decisions {
			add("decided-"+p.ID+"-"+d.By.User, d.At, d.By, notACause)
		}
		if p.State == Expired && !slices.ContainsFunc(out, func(e Errand) bool { return e.Stage == stageExpired }) {
			add(stageExpired, p.Clocks.ExpiresAt, Person{}, notACause)
		}
	}
	if i.State == Resolved {
		add(stageResolved, i.ResolvedAt, Person{}, notACause)
	}
	return out
}

// notACause is the Cause of a telling about something else.
const notACause = "-"

// word makes a stage one word, as marks need it.
func word(s string) string { return strings.Join(strings.Fields(clean(s)), "-") }
