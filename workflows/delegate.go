package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dw/receipts"
)

// DelegateRequest is a person's wish that somebody stands in for them. Domain is
// empty for every domain of theirs.
type DelegateRequest struct {
	By, To       Person
	NotAllowed   string // why Slack's facts forbid By to decide, empty if they do not
	ToNotAllowed string // the same of To
	Domain       string
	From, Until  time.Time
	At           time.Time
}

// EndRequest is the wish of one of the two that a delegation ends.
type EndRequest struct {
	By         Person
	NotAllowed string
	ID         string
	At         time.Time
}

// Delegator keeps who stands in for whom.
type Delegator interface {
	Delegate(ctx context.Context, r DelegateRequest) (Answer, error)
	EndDelegation(ctx context.Context, r EndRequest) (Answer, error)
	// Delegations lists those that hold or begin later, oldest first.
	Delegations(ctx context.Context) ([]Delegation, error)
}

var _ Delegator = (*Service)(nil)

// Delegations meets Delegator.
func (s *Service) Delegations(ctx context.Context) ([]Delegation, error) {
	var all []Delegation
	err := s.store.View(ctx, func(tx ReadTx) error {
		var err error
		all, err = tx.Delegations(ctx, s.now())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list delegations: %w", err)
	}
	return slices.DeleteFunc(all, func(d Delegation) bool { return !d.RevokedAt.IsZero() }), nil
}

// Delegate records that To stands in for By in a window, or refuses it, which is
// recorded too. It reads groups of the chains before the transaction.
func (s *Service) Delegate(ctx context.Context, r DelegateRequest) (Answer, error) {
	places := s.placesOf(ctx, r.By, r.Domain)
	var a Answer
	err := s.write(ctx, func(w *work) error {
		d := Delegation{ID: s.newID("del"), By: r.By, To: r.To, Domain: r.Domain, From: r.From.UTC(), Until: r.Until.UTC(), CreatedAt: w.now.UTC()}
		standing, err := w.tx.Delegations(ctx, w.now)
		if err != nil {
			return err
		}
		if why := s.refuseDelegation(r, d, places, standing, w.now); why != nil {
			w.refuseDelegating(r.By, why, "delegate", r.At)
			a = Answer{Text: why.Text}
			return nil
		}
		if _, err := w.tx.PutDelegation(ctx, d); err != nil {
			return err
		}
		w.out.receipt(d.receipt(receipts.KindDelegationCreated, d.By, w.now))
		w.out.effect(EffectDirect, d.ID, DirectNote{To: d.To, Text: fmt.Sprintf(
			"%s names you to stand in for them in %s from %s until %s: you are asked with them, your approval counts in their place and both names are recorded. %s delegations revoke %s ends it.",
			d.By.shown(), d.where(), clockText(d.From, w.now), clockText(d.Until, w.now), s.command, d.ID)})
		a = Answer{OK: true, Text: fmt.Sprintf(
			"%s stands in for you in %s from %s until %s (%s). You are still asked, and either of you counts. Requests that wait already stay with those who were asked. %s delegations revoke %s ends it.",
			d.To.shown(), d.where(), clockText(d.From, w.now), clockText(d.Until, w.now), d.ID, s.command, d.ID)}
		return nil
	})
	if err != nil {
		return Answer{}, fmt.Errorf("record the delegation: %w", err)
	}
	s.log.InfoContext(ctx, "delegation", "actor", r.By.User, "ok", a.OK)
	return a, nil
}

func (w *work) refuseDelegating(by Person, why *Refusal, action string, at time.Time) {
	w.out.receipt(receipts.Draft{
		Kind: receipts.KindDecisionRefused, Actor: human(by), At: w.now.UTC(),
		Body: receipts.Object{"action": action, "code": string(why.Code), "why": clean(why.Text), "arrived_at": timeOr(at)},
	})
}

// place is a domain in whose chain somebody stands.
type place struct {
	policy Policy
	unread string // group of the chain that could not be read
	in     bool
}

// placesOf says of each domain that a delegation is about whether who stands in
// its chain by name or by a group.
func (s *Service) placesOf(ctx context.Context, who Person, domain string) []place {
	var out []place
	for _, p := range s.domains() {
		if domain != "" && p.Domain != domain {
			continue
		}
		at := place{policy: p, in: slices.ContainsFunc(slices.Concat([]Person{p.Owner, p.Deputy}, p.Escalation), who.Same)}
		for _, l := range p.Rotas {
			if at.in || l.Group.ID == "" || s.groups == nil {
				continue
			}
			in, err := s.groups.Has(ctx, l.Group.ID, who.User)
			if at.in = in; err != nil {
				at.unread = l.Group.String()
			}
		}
		out = append(out, at)
	}
	return out
}

func (s *Service) refuseDelegation(r DelegateRequest, d Delegation, places []place, standing []Delegation, now time.Time) *Refusal {
	switch {
	case r.NotAllowed != "":
		return refuse(RefusedNotAllowed, "You cannot name a stand-in: %s.", r.NotAllowed)
	case r.To.User == "":
		return refuse(RefusedDelegation, "Name the person who stands in for you.")
	case r.By.Same(r.To):
		return refuse(RefusedDelegation, "You cannot stand in for yourself. Name somebody else.")
	case r.ToNotAllowed != "":
		return refuse(RefusedDelegation, "%s cannot stand in for you: %s.", r.To.shown(), r.ToNotAllowed)
	}
	if refusal := refuseWindow(d, now); refusal != nil {
		return refusal
	}
	if refusal := refusePlaces(r, places); refusal != nil {
		return refusal
	}
	return refuseHops(d, standing, now)
}

// refuseWindow holds that the window has an end, in order, and within the limits.
func refuseWindow(d Delegation, now time.Time) *Refusal {
	switch {
	case d.Until.IsZero() || d.From.IsZero():
		return refuse(RefusedDelegation, "Say until when: a delegation has an end.")
	case !d.From.Before(d.Until):
		return refuse(RefusedDelegation, "The end (%s) is not after the beginning (%s).", clockText(d.Until, now), clockText(d.From, now))
	case !now.Before(d.Until):
		return refuse(RefusedDelegation, "The end (%s) has passed.", clockText(d.Until, now))
	case d.Until.Sub(d.From) > maxDelegation:
		return refuse(RefusedDelegation, "A delegation lasts at most %d days; for longer, change the chain in dw's configuration.", int(maxDelegation.Hours()/24))
	case d.From.Sub(now) > aheadDelegation:
		return refuse(RefusedDelegation, "A delegation begins at most %d days from now.", int(aheadDelegation.Hours()/24))
	}
	return nil
}

// refusePlaces holds that there is a place to stand in for, and that To is not
// one of those who are told only.
func refusePlaces(r DelegateRequest, places []place) *Refusal {
	if len(places) == 0 {
		return refuse(RefusedDelegation, "There is no domain %q.", r.Domain)
	}
	unread := ""
	for _, at := range places {
		if at.unread != "" {
			unread = " Who is in group " + at.unread + " cannot be read now; try again in a moment."
		}
		if at.in && slices.ContainsFunc(at.policy.CC, r.To.Same) {
			return refuse(RefusedDelegation, "%s is kept informed (cc) about %s and decides nothing there. Name somebody else.", r.To.shown(), at.policy.Domain)
		}
	}
	if !slices.ContainsFunc(places, func(at place) bool { return at.in }) {
		return refuse(RefusedNotInChain, "You stand in no chain there by name or by a group, so there is no place to stand in for.%s Who is on call hands the shift over in the pager.", unread)
	}
	return nil
}

// refuseHops allows one hop: nobody stands in who has named a stand-in for the
// same time, and nobody has two.
func refuseHops(d Delegation, standing []Delegation, now time.Time) *Refusal {
	for _, other := range standing {
		if !d.overlaps(other) {
			continue
		}
		window := fmt.Sprintf("from %s until %s", clockText(other.From, now), clockText(other.Until, now))
		switch {
		case other.By.Same(d.By):
			return refuse(RefusedDelegation, "%s stands in for you already %s (%s). Revoke that first.", other.To.shown(), window, other.ID)
		case other.By.Same(d.To):
			return refuse(RefusedDelegation, "%s is away %s and has named %s; a delegation goes one step only. Name %s or somebody else.", d.To.shown(), window, other.To.shown(), other.To.shown())
		case other.To.Same(d.By):
			return refuse(RefusedDelegation, "You stand in for %s %s (%s); a delegation goes one step only. End that first.", other.By.shown(), window, other.ID)
		}
	}
	return nil
}

// EndDelegation revokes a delegation for one of its two people; who stood in is
// refused from then on, also for what waits.
func (s *Service) EndDelegation(ctx context.Context, r EndRequest) (Answer, error) {
	var a Answer
	err := s.write(ctx, func(w *work) error {
		d, err := w.tx.Delegation(ctx, r.ID)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if why := refuseEnd(d, r, err != nil, w.now); why != nil {
			w.refuseDelegating(r.By, why, "end_delegation", r.At)
			a = Answer{OK: why.Code == RefusedAlready, Text: why.Text}
			return nil
		}
		d.RevokedAt, d.RevokedBy = w.now.UTC(), r.By
		if _, err := w.tx.PutDelegation(ctx, d); err != nil {
			return err
		}
		w.out.receipt(d.receipt(receipts.KindDelegationRevoked, r.By, w.now))
		other := d.To
		if r.By.Same(d.To) {
			other = d.By
		}
		w.out.effect(EffectDirect, d.ID+"/revoked", DirectNote{To: other, Text: fmt.Sprintf("%s ended at %s that %s stands in for %s.", r.By.shown(), clockText(w.now, w.now), d.To.shown(), d.By.shown())})
		a = Answer{OK: true, Text: fmt.Sprintf("Ended at %s: %s no longer stands in for %s.", clockText(w.now, w.now), d.To.shown(), d.By.shown())}
		return nil
	})
	if err != nil {
		return Answer{}, fmt.Errorf("end delegation %s: %w", r.ID, err)
	}
	return a, nil
}

func refuseEnd(d Delegation, r EndRequest, unknown bool, now time.Time) *Refusal {
	switch {
	case r.NotAllowed != "":
		return refuse(RefusedNotAllowed, "You cannot end a delegation: %s.", r.NotAllowed)
	case unknown:
		return refuse(RefusedUnknown, "There is no delegation %q.", r.ID)
	case !r.By.Same(d.By) && !r.By.Same(d.To):
		return refuse(RefusedNotInChain, "Only %s or %s can end it.", d.By.shown(), d.To.shown())
	case !d.RevokedAt.IsZero() || !now.Before(d.Until):
		return refuse(RefusedAlready, "It does not hold any more: it %s.", d.ended(now, now))
	}
	return nil
}

// standIns lists the delegations that hold now for a domain.
func (w *work) standIns(ctx context.Context, domain string) ([]Delegation, error) {
	all, err := w.tx.Delegations(ctx, w.now)
	if err != nil {
		return nil, fmt.Errorf("read who stands in for whom: %w", err)
	}
	return slices.DeleteFunc(all, func(d Delegation) bool { return !d.Holds(w.now) || !d.covers(domain) }), nil
}

// delegated says why the delegation by which who clicks stands in the chain does
// not hold at the click, "" where it does or there is none.
func (w *work) delegated(ctx context.Context, p Proposal, by Person, at time.Time) (string, error) {
	link, named := p.link(by)
	if !named || link.Delegation == "" {
		return "", nil
	}
	d, err := w.tx.Delegation(ctx, link.Delegation)
	if err != nil {
		return "", fmt.Errorf("read delegation %s: %w", link.Delegation, err)
	}
	return d.ended(at, w.now), nil
}
