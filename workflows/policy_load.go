package workflows

import (
	"context"
	"fmt"
	"maps"

	"dw/receipts"
)

// LoadPolicies compares what the configuration says with what is in force, at
// every start: what asks for less is in force at once, what asks for more is
// proposed in the domain's channel and is not in force. A domain that is new
// begins as its file says, at L2 at most.
func (s *Service) LoadPolicies(ctx context.Context) error {
	records := map[string]*Record{}
	for _, file := range s.domains() {
		r, err := s.Record(ctx, file.Domain)
		if err != nil {
			return err
		}
		records[file.Domain] = &r
	}
	err := s.write(ctx, func(w *work) error {
		if w.inForce.Damaged {
			s.log.ErrorContext(ctx, "what is in force cannot be read: every domain is at L1 at most until the database is restored from a backup")
			return nil
		}
		for _, file := range s.domains() {
			if err := s.loadDomain(ctx, w, file, records[file.Domain]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("compare the configuration with what is in force: %w", err)
	}
	return nil
}

func (s *Service) loadDomain(ctx context.Context, w *work, file Policy, record *Record) error {
	before, known := w.inForce.Domains[file.Domain]
	l := load(w.inForce, file, w.now)
	if !known || l.Governed.Rev != before.Rev || before.File.Digest() != file.Digest() {
		w.setGoverned(file.Domain, l.Governed)
	}
	if len(l.Applied) > 0 {
		w.changedPolicy(l.Governed, l.Applied, receipts.Object{"how": ByTightened}, itself(), nil)
		if err := w.withdrawPolicies(ctx, file.Domain, "what is in force in "+file.Domain+" changed"); err != nil {
			return err
		}
	}
	if !l.Moved || len(l.Held) == 0 {
		return nil
	}
	a, err := s.proposePolicy(ctx, w, policyDraft{Domain: file.Domain, Target: file, Terms: l.Held, FromFile: true, Record: record})
	if err == nil && !a.OK {
		s.log.WarnContext(ctx, "the configuration asks for more than is in force, and it cannot be proposed", "domain", file.Domain, "terms", TermsText(l.Held), "why", a.Text)
		w.noticeOf(file.Channel, fmt.Sprintf("policy/file/%s/%s", file.Domain, file.Digest()),
			fmt.Sprintf("The configuration of %s says more than is in force (%s). It stays as it was: %s", file.Domain, TermsText(l.Held), a.Text))
	}
	return err
}

// changedPolicy writes the receipts of terms that are in force from here on.
func (w *work) changedPolicy(st Governed, terms []TermChange, body receipts.Object, by receipts.Actor, subject []receipts.Subject) {
	domain := st.Policy.Domain
	proposal, _ := body["proposal"].(string)
	add := func(kind string, more receipts.Object) {
		maps.Copy(more, body)
		more["domain"], more["rev"], more["policy_version"] = domain, st.Rev, st.Policy.Digest()
		w.out.receipt(receipts.Draft{Kind: kind, Proposal: proposal, Actor: by, At: w.now.UTC(), Subject: subject, Body: more})
	}
	add(receipts.KindPolicyChanged, receipts.Object{"terms": termsDocument(terms)})
	for _, t := range terms {
		if t.Term == termLevel {
			add(receipts.KindAutonomyLevelChanged, receipts.Object{"from": t.From, "to": t.To})
		}
	}
}

// noticeOf tells a channel something once for each key.
func (w *work) noticeOf(channel, key, text string) {
	w.out.effect(EffectNotice, key, Notice{Channel: channel, Text: text, Since: w.now.UTC()})
}

// withdrawPolicies takes back what was asked about a domain's policy: it was
// asked about another state.
func (w *work) withdrawPolicies(ctx context.Context, domain, why string) error {
	waiting, err := w.policiesWaiting(ctx, domain)
	if err != nil {
		return err
	}
	w.withdrawWaiting(waiting, why)
	return nil
}

func (w *work) policiesWaiting(ctx context.Context, domain string) ([]Proposal, error) {
	waiting, err := w.tx.ProposalsIn(ctx, Waiting)
	if err != nil {
		return nil, fmt.Errorf("list waiting proposals: %w", err)
	}
	var out []Proposal
	for _, p := range waiting {
		if p.Change != nil && p.Change.Kind == ChangePolicy && p.Domain == domain {
			out = append(out, p)
		}
	}
	return out, nil
}
