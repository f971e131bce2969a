package workflows

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dw/receipts"
)

// governedIn returns what is in force in the domain of p; p is its policy in force.
func (w *work) governedIn(p Policy) Governed {
	if st, known := w.inForce.Domains[p.Domain]; known {
		return st
	}
	return Governed{Policy: p, File: p, How: ByFile, LevelHow: ByFile, LevelAt: w.now.UTC()}
}

// moved counts a change of what is in force and, where the level is among the
// terms, who set it.
func (s Governed) moved(how string, by Person, proposal string, terms []TermChange, now time.Time) Governed {
	s.How, s.Rev = how, s.Rev+1
	if proposal != "" {
		s.Proposal = proposal
	}
	if slices.Contains(termNames(terms), termLevel) {
		s.LevelBy, s.LevelAt, s.LevelHow = by, now.UTC(), how
	}
	return s
}

// lower takes a level down: one person, at once.
func (s *Service) lower(ctx context.Context, w *work, before, target Policy, r PolicyRequest) (Answer, error) {
	terms := termsApart(before, target, false)
	st := w.governedIn(before)
	st.Policy.Level = target.Level
	st = st.moved(ByLowering, r.By, "", terms, w.now)
	w.setGoverned(r.Domain, st)
	w.changedPolicy(st, terms, receipts.Object{
		"how": ByLowering, "set_by": clean(r.By.User), "reason": clean(r.Reason), "arrived_at": timeOr(r.At),
	}, human(r.By), nil)
	if err := w.withdrawPolicies(ctx, r.Domain, fmt.Sprintf("%s was lowered to %s", r.Domain, target.Level)); err != nil {
		return Answer{}, err
	}
	text := fmt.Sprintf("%s is at %s since %s. It takes two people to raise it again.", r.Domain, target.Level, clockText(w.now, w.now))
	return Answer{OK: true, Text: text}, s.afterPolicy(ctx, w, st, terms)
}

// applyPolicy puts an approved policy change in force, unless what it was asked
// about has moved meanwhile or the promotion guard refuses it.
func (s *Service) applyPolicy(ctx context.Context, w *work, p Proposal) error {
	before := s.policyUnder(w.inForce, p.Domain)
	st := w.governedIn(before)
	_, found := s.policies(p.Domain)
	switch {
	case !found:
		w.setProposal(notInForce(p, p.Domain+" is not in the configuration any more.", w.now))
		return nil
	case w.inForce.Damaged || st.Rev != p.Change.Rev || p.Change.Target == nil:
		w.setProposal(notInForce(p, "what is in force changed since this was asked.", w.now))
		return nil
	}
	names := termNames(p.Change.Terms)
	after := before.withTerms(*p.Change.Target, names)
	refusal := refuseInForce(p, before)
	if refusal == nil {
		refusal = refusePolicy(before, after, p.Change.Terms, proposerOf(p), p.Change.Record)
	}
	if refusal != nil {
		w.setProposal(notInForce(p, refusal.Text, w.now))
		return nil
	}
	by := p.Decisions[len(p.Decisions)-1].By
	st.Policy = after
	st = st.moved(ByDecision, by, p.ID, p.Change.Terms, w.now)
	w.setGoverned(p.Domain, st)
	w.changedPolicy(st, p.Change.Terms, decidedBody(p), human(by), []receipts.Subject{{Name: "proposal/" + p.ID, Digest: p.Hash}})
	w.setProposal(inForce(p), p.stopClocks())
	return s.afterPolicy(ctx, w, st, p.Change.Terms)
}

func proposerOf(p Proposal) Person {
	return Person{Team: p.Proposer.Team, User: p.Proposer.User, Name: p.Proposer.Name}
}

// decidedBody names who asked and who approved. An edited file asks in nobody's
// name: the first who approved took the request over.
func decidedBody(p Proposal) receipts.Object {
	var approved []string
	for _, d := range p.Decisions {
		if d.Verdict == Approve && d.RevokedAt.IsZero() {
			approved = append(approved, clean(d.By.User))
		}
	}
	asked := clean(p.Proposer.User)
	if p.Change.FromFile && !p.Solo && len(approved) > 0 {
		asked, approved = approved[0], approved[1:]
	}
	return receipts.Object{
		"how": ByDecision, "proposal": p.ID, "hash": p.Hash, "asked_by": asked, "approved_by": approved,
		"from_file": p.Change.FromFile, "solo": p.Solo,
	}
}

// afterPolicy tells the channel, repaints the cards, and lets a raised level ask
// about the incidents that are open.
func (s *Service) afterPolicy(ctx context.Context, w *work, st Governed, terms []TermChange) error {
	domain := st.Policy.Domain
	file, _ := s.policies(domain)
	key := fmt.Sprintf("policy/%s/%d", domain, st.Rev)
	w.noticeOf(file.Channel, key, fmt.Sprintf("In force in %s since %s: %s. Level %s, %s.",
		domain, clockText(w.now, w.now), TermsText(terms), st.Policy.Level, st.setBy(w.now)))
	if err := w.repaint(ctx, key); err != nil {
		return err
	}
	return s.askOpen(ctx, w, domain)
}

// askOpen has the domain's diagnosed incidents asked about, where the level in
// force allows it and nothing was asked before.
func (s *Service) askOpen(ctx context.Context, w *work, domain string) error {
	policy := s.policyUnder(w.inForce, domain)
	if policy.may(DeedPropose).Permission != Ask {
		return nil
	}
	open, err := w.tx.Incidents(ctx, true, manyIncidents)
	if err != nil {
		return fmt.Errorf("list open incidents: %w", err)
	}
	for _, i := range open {
		if i.Domain != domain || i.Diagnosis == nil || len(i.Proposals) > 0 {
			continue
		}
		if err := w.followUp(ctx, i, policy, nil); err != nil {
			return err
		}
	}
	return nil
}
