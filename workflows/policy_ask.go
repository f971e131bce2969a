package workflows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// PolicyRequest is a person's wish about a domain's policy.
type PolicyRequest struct {
	By         Person
	NotAllowed string // why Slack's facts forbid this person to decide, empty if they do not
	Domain     string
	Level      Level // of SetLevel
	Reason     string
	At         time.Time
}

func (r PolicyRequest) stop() StopRequest {
	return StopRequest{By: r.By, NotAllowed: r.NotAllowed, Reason: r.Reason, At: r.At}
}

// policyDraft is what is asked about a domain's policy.
type policyDraft struct {
	Domain   string
	Target   Policy
	Terms    []TermChange
	By       Person // nobody: the edited file
	Reason   string
	FromFile bool
	Record   *Record
}

// proposePolicy asks people for a policy change, unless it is asked already; a
// team of one puts it in force at once.
func (s *Service) proposePolicy(ctx context.Context, w *work, d policyDraft) (Answer, error) {
	before := s.policyUnder(w.inForce, d.Domain)
	if why := refusePolicy(before, before.withTerms(d.Target, termNames(d.Terms)), d.Terms, d.By, d.Record); why != nil {
		return Answer{Text: why.Text}, nil
	}
	waiting, err := w.policiesWaiting(ctx, d.Domain)
	if err != nil {
		return Answer{}, err
	}
	for _, p := range waiting {
		if slices.Equal(p.Change.Terms, d.Terms) && w.now.Before(p.Clocks.ExpiresAt) {
			return askedAnswer("It is asked already", p, w.now), nil
		}
	}
	p, out, err := newChange(s.changeOf(w, before, d), w.now)
	if errors.Is(err, ErrAlone) {
		return s.policyAlone(ctx, w, before, d)
	}
	if err != nil {
		return Answer{}, err
	}
	for _, old := range waiting {
		w.setProposal(supersede(old, p.ID, w.now))
	}
	w.setProposal(p, out)
	return askedAnswer("Asked", p, w.now), nil
}

func askedAnswer(how string, p Proposal, now time.Time) Answer {
	return Answer{OK: true, Text: fmt.Sprintf("%s (%s): %s. %s can decide until %s; it is not in force until then, and silence never grants it.",
		how, p.ID, TermsText(p.Change.Terms), linksText(p.Asked()), clockText(p.Clocks.ExpiresAt, now))}
}

// changeOf makes the draft of the proposal. An edited file asks in nobody's name:
// then the first of the people takes the request over, so one more is needed.
func (s *Service) changeOf(w *work, before Policy, d policyDraft) changeDraft {
	target := d.Target
	quorum := before.policyQuorum()
	if d.FromFile && d.By.User == "" {
		quorum++
	}
	c := changeDraft{
		ID: s.newID("prop"), Nonce: s.newNonce(), Title: policyTitle(d), Policy: before, By: d.By, Quorum: quorum, Solo: before.Solo,
		Change: Change{
			Kind: ChangePolicy, Reason: d.Reason, Terms: d.Terms, Target: &target, Rev: w.inForce.Domains[d.Domain].Rev,
			FromFile: d.FromFile && d.By.User == "",
		},
	}
	if c.Change.Promotes() {
		c.Change.Record = d.Record
	}
	c.Deciders = mayDecide(deciders([]Policy{before}), before.Operators, d.By)
	if len(c.Deciders) < quorum {
		c.Deciders = mayDecide(deciders(s.inForceDomains()), before.Operators, d.By)
	}
	if before.Solo && d.By.User == "" && len(c.Deciders) == 1 {
		c.Quorum = 1
	}
	c.Solo = before.Solo && c.Quorum == 1 && len(c.Deciders) == 1
	return c
}

func policyTitle(d policyDraft) string {
	for _, t := range d.Terms {
		if t.Term == termLevel && len(d.Terms) == 1 {
			return fmt.Sprintf("Raise %s from %s to %s", d.Domain, t.From, t.To)
		}
	}
	return fmt.Sprintf("Change the policy of %s: %s", d.Domain, strings.Join(termNames(d.Terms), ", "))
}

// policyAlone puts a change in force for a team of one, if its configuration in
// force says so.
func (s *Service) policyAlone(ctx context.Context, w *work, before Policy, d policyDraft) (Answer, error) {
	if !before.Solo || d.By.User == "" {
		return Answer{Text: "Too few other people are listed who could approve it: " + namesText(mayDecide(deciders(s.inForceDomains()), before.Operators, d.By)) +
			". Name more approvers in dw's configuration; solo: true, which a team of one sets before its first start, cannot be added alone."}, nil
	}
	st := w.governedIn(before)
	st.Policy = before.withTerms(d.Target, termNames(d.Terms))
	st = st.moved(ByDecision, d.By, "", d.Terms, w.now)
	w.setGoverned(d.Domain, st)
	w.changedPolicy(st, d.Terms, map[string]any{"how": ByDecision, "solo": true, "asked_by": d.By.User}, human(d.By), nil)
	return Answer{OK: true, Text: "In force (solo): " + TermsText(d.Terms) + "."}, s.afterPolicy(ctx, w, st, d.Terms)
}

// SetLevel lowers a domain's level at once, for anybody who is listed, and asks
// the others where it is to be raised.
func (s *Service) SetLevel(ctx context.Context, r PolicyRequest) (Answer, error) {
	return s.govern(ctx, r, "set the level", func(w *work, record *Record) (Answer, error) {
		before := s.policyUnder(w.inForce, r.Domain)
		target := before
		target.Level = r.Level
		switch cmp.Compare(r.Level, before.Level) {
		case 0:
			return Answer{OK: true, Text: fmt.Sprintf("%s is at %s, %s.", r.Domain, before.Level, w.governedIn(before).setBy(w.now))}, nil
		case -1:
			return s.lower(ctx, w, before, target, r)
		}
		return s.proposePolicy(ctx, w, policyDraft{
			Domain: r.Domain, Target: target, Terms: termsApart(before, target, false), By: r.By, Reason: r.Reason, Record: record,
		})
	})
}

// AskPolicy asks, in the name of a person, for what the domain's file says beyond
// what is in force.
func (s *Service) AskPolicy(ctx context.Context, r PolicyRequest) (Answer, error) {
	return s.govern(ctx, r, "ask for the policy", func(w *work, record *Record) (Answer, error) {
		before := s.policyUnder(w.inForce, r.Domain)
		if len(before.Held) == 0 {
			return Answer{OK: true, Text: fmt.Sprintf("The configuration of %s says nothing beyond what is in force.", r.Domain)}, nil
		}
		file, _ := s.policies(r.Domain)
		return s.proposePolicy(ctx, w, policyDraft{
			Domain: r.Domain, Target: file, Terms: before.Held, By: r.By, Reason: r.Reason, FromFile: true, Record: record,
		})
	})
}

// govern runs a request about a policy in one transaction, after refusing who may
// not make it.
func (s *Service) govern(ctx context.Context, r PolicyRequest, what string, do func(*work, *Record) (Answer, error)) (Answer, error) {
	if _, found := s.policies(r.Domain); !found {
		return Answer{Text: fmt.Sprintf("There is no domain %q; there are: %s.", r.Domain, strings.Join(s.domainNames(), ", "))}, nil
	}
	record, err := s.Record(ctx, r.Domain)
	if err != nil {
		return Answer{}, err
	}
	var a Answer
	err = s.write(ctx, func(w *work) error {
		switch a = s.refuseStop(w, r.stop(), what); {
		case a.Text != "":
			return nil
		case w.inForce.Damaged:
			a = Answer{Text: "What is in force cannot be read, so every domain is at L1 at most. Restore the database from a backup."}
			return nil
		}
		var err error
		a, err = do(w, &record)
		return err
	})
	if err != nil {
		return Answer{}, fmt.Errorf("%s of %s: %w", what, r.Domain, err)
	}
	s.log.InfoContext(ctx, "policy", "what", what, "domain", r.Domain, "actor", r.By.User, "ok", a.OK)
	return a, nil
}

func (s *Service) domainNames() []string {
	var out []string
	for _, p := range s.domains() {
		out = append(out, p.Domain)
	}
	return out
}
