package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"dw/diagnosis"
	"dw/lineage"
)

// replanAfter is when a plan that could not be made is tried again.
const replanAfter = time.Minute

// firePropose plans outside any transaction, then makes the proposals.
func (s *Service) firePropose(ctx context.Context, d Deadline) error {
	i, existing, err := s.Incident(ctx, d.Subject)
	if gone(err) {
		return s.take(ctx, d, func(*work) error { return nil })
	}
	if err != nil {
		return err
	}
	if i.State == Resolved || i.Diagnosis == nil || !actionable(*i.Diagnosis) {
		return s.take(ctx, d, func(*work) error { return nil })
	}
	plan, err := s.investigator.Plan(ctx, i, s.findingsOf(i), s.now())
	partial, made := errors.AsType[*diagnosis.PlanError](err)
	if err != nil && !made {
		return errors.Join(err, s.take(ctx, d, func(w *work) error {
			w.out.set(Deadline{Kind: DeadlinePropose, Subject: i.ID, DueAt: w.now.Add(replanAfter)})
			return nil
		}))
	}
	drafts, told := s.settle(ctx, plan, existing)
	policy := s.onCall(ctx, s.policy(i.Domain))
	return s.take(ctx, d, func(w *work) error {
		tellUnplanned(w, i, partial)
		tellInForce(w, i, told)
		return s.propose(ctx, w, i.ID, drafts, policy)
	})
}

// tellUnplanned says in the thread which part of a plan could not be made, and
// why: the proposals beside it are good, and a person has to do the rest.
func tellUnplanned(w *work, i Incident, partial *diagnosis.PlanError) {
	if partial == nil {
		return
	}
	for _, p := range partial.Problems {
		w.tellOnce(i, "dw makes no proposal %q: %s.", p.Key, clean(p.Err.Error()))
	}
}

func (s *Service) findingsOf(i Incident) Findings {
	blast := lineage.BlastRadius{}
	if i.Blast != nil {
		blast = *i.Blast
	}
	return Findings{Diagnosis: *i.Diagnosis, Blast: blast, Harm: i.Harm, FixBy: s.policy(i.Domain).fixBy(s.now())}
}

// fixBy is when what is asked at now takes effect at the latest: decided, carried
// out and verified at the last moment that the clocks allow.
func (p Policy) fixBy(now time.Time) time.Time {
	return now.Add(p.ExpireAfter + p.ExecuteWithin + p.RunTimeout + p.VerifyAfter + p.VerifyWithin)
}

// propose makes a proposal for each planned one that is new, and supersedes a
// waiting one of the same key whose content differs. The policy's rotas are read.
func (s *Service) propose(ctx context.Context, w *work, incident string, plan []draftPlan, policy Policy) error {
	i, err := w.incident(ctx, incident)
	if err != nil || i.State == Resolved || s.policyUnder(w.inForce, i.Domain).may(DeedPropose).Permission != Ask {
		return err
	}
	existing, err := w.proposalsOf(ctx, incident)
	if err != nil {
		return err
	}
	if w.delegations, err = w.standIns(ctx, policy.Domain); err != nil {
		return err
	}
	ids := map[string]string{} // key to the id of the proposal that stands for it
	var made []Proposal
	var failed []unproposed
	for _, planned := range plan {
		planned.Steps, planned.itself = s.offer(w, i, planned, existing)
		p, fresh, err := s.proposeOne(w, i, planned, policy, existing, ids)
		if err != nil {
			failed = append(failed, unproposed{planned.Title, err})
			continue // what comes after it keeps its key and does not start
		}
		ids[planned.Key] = p.ID
		if fresh {
			made = append(made, p)
		}
	}
	tellUnproposable(w, i, policy, failed)
	if len(made) == 0 {
		return nil
	}
	i, err = w.incident(ctx, incident) // with what was told
	if err != nil {
		return err
	}
	i = i.clone()
	for _, p := range made {
		i.Proposals = append(i.Proposals, p.ID)
	}
	w.setIncident(i, tellAsked(i, made, w.now))
	return nil
}

// tellAsked says in the thread who is asked; of what dw is about to begin by
// itself it tells when it has, or why it has not.
func tellAsked(i Incident, made []Proposal, now time.Time) Outcome {
	var out Outcome
	made = slices.DeleteFunc(made, Proposal.Offered)
	if len(made) > 0 {
		out.note(i.ID, askText(made, now), slices.Concat(people(made[0].Asked()), made[0].CC)...)
	}
	return out
}

// proposeOne answers with the proposal that stands for planned, and whether it
// was made now.
func (s *Service) proposeOne(w *work, i Incident, planned draftPlan, policy Policy, existing []Proposal, ids map[string]string) (Proposal, bool, error) {
	digest, err := planDigest(planned.Title, planned.Steps)
	if err != nil {
		return Proposal{}, false, err
	}
	after := afterIDs(planned.After, ids)
	old, found := newestOf(existing, planned.Key)
	if found {
		same, err := planDigest(old.Title, old.Plan)
		if err != nil {
			return Proposal{}, false, err
		}
		if !again(old, existing, same == digest, after) {
			return old, false, nil
		}
	}
	p, out, err := NewProposal(ProposalDraft{
		ID: s.newID("prop"), Nonce: s.newNonce(), Incident: i, Planned: planned.PlannedProposal,
		After: after, Snapshot: planned.snapshot, Policy: policy, Proposer: itself(), Authors: s.authors(i), Delegations: w.delegations,
	}, w.now)
	if err != nil {
		return Proposal{}, false, err
	}
	if found {
		w.replace(old, p.ID)
	}
	p.Itself = planned.itself
	if p.Offered() {
		out.effect(EffectStep, stepSubject(p.ID, 0)+"/itself", StepRef{Proposal: p.ID})
	}
	w.setProposal(p, out)
	return p, true, nil
}

// again reports whether what was asked is asked once more. What was asked once is
// not, whatever was answered, unless it needs a new decision or waits for a
// proposal that was replaced; and what is being carried out is not replaced.
func again(old Proposal, existing []Proposal, same bool, after []string) bool {
	switch old.State {
	case Waiting:
		return !same || !slices.Equal(old.After, after) || (old.Itself != nil && old.Itself.Stale)
	case Approved:
		return slices.ContainsFunc(existing, func(q Proposal) bool {
			return slices.Contains(old.After, q.ID) && (q.State == Superseded || q.State == NeedsReapproval)
		})
	case Executing, Halted:
		return false
	case NeedsReapproval:
		return true
	}
	return !same
}

// replace ends old in favour of the proposal by.
func (w *work) replace(old Proposal, by string) {
	switch old.State {
	case Waiting:
		w.setProposal(supersede(old, by, w.now))
	case Approved:
		next, out := reapprove(old, "what it waits for was replaced", nil, w.now)
		next.ReplacedBy = by
		w.setProposal(next, out)
	case NeedsReapproval:
		old.ReplacedBy = by
		w.setProposal(old, Outcome{})
	}
}

func newestOf(all []Proposal, key string) (Proposal, bool) {
	var newest Proposal
	found := false
	for _, p := range all {
		if p.Key == key && (!found || !p.CreatedAt.Before(newest.CreatedAt)) {
			newest, found = p, true
		}
	}
	return newest, found
}

// afterIDs maps keys to ids; a key that the plan does not define stays as it
// is, so that the proposal never starts by oversight.
func afterIDs(keys []string, ids map[string]string) []string {
	out := make([]string, 0, len(keys))
	for _, key := range keys {
		if id, known := ids[key]; known {
			out = append(out, id)
		} else {
			out = append(out, key)
		}
	}
	return out
}

// carriers gives steps to the owner that no connector offers.
func (s *Service) carriers(steps []diagnosis.PlannedStep) []diagnosis.PlannedStep {
	steps = slices.Clone(steps)
	for n, step := range steps {
		_, offered := s.actuators[step.Action.System]
		if step.By == diagnosis.ByDW && step.Kind != diagnosis.Verify && !offered {
			steps[n].By = diagnosis.ByOwner
			steps[n].Reason = strings.TrimSpace(step.Reason + " No connector of dw carries this out on " + step.Action.System + ".")
		}
	}
	return steps
}

// unproposed is a planned proposal that could not be made, and why.
type unproposed struct {
	title string
	err   error
}

// tellUnproposable says in the thread, once, why parts of a plan are not asked
// for: the plan or the policy has to change, and trying again would not help; but
// another person may be on call soon.
func tellUnproposable(w *work, i Incident, policy Policy, failed []unproposed) {
	var titles, reasons []string
	for _, f := range failed {
		short, isShort := errors.AsType[*shortError](f.err)
		if !isShort {
			w.tellOnce(i, "%s", "dw has a plan but cannot ask for it: "+clean(f.err.Error())+".")
			continue
		}
		titles = append(titles, strconv.Quote(f.title))
		if !slices.Contains(reasons, short.Error()) {
			reasons = append(reasons, short.Error())
		}
	}
	if len(titles) > 0 {
		tellNobody(w, i, policy, joinAnd(titles), strings.Join(append(reasons, policy.Unresolved...), "; "))
	}
}

// tellNobody says that too few can decide what titles lists.
func tellNobody(w *work, i Incident, policy Policy, titles, reasons string) {
	nobody := fmt.Sprintf("dw has a plan but nobody to ask in the domain %s for %s: ", i.Domain, titles)
	if len(policy.Rotas) > 0 {
		reasons += ". dw looks again each minute who is on call or in the group"
		w.out.set(Deadline{Kind: DeadlinePropose, Subject: i.ID, DueAt: w.now.Add(replanAfter)})
	}
	// The reasons may carry a time, and would be told at every look.
	if !slices.ContainsFunc(i.Notes, func(n Note) bool { return strings.HasPrefix(n.Text, nobody) }) {
		w.tellOnce(i, "%s", nobody+reasons+".")
	}
}

func askText(made []Proposal, now time.Time) string {
	first := made[0]
	titles := make([]string, 0, len(made))
	for _, p := range made {
		titles = append(titles, fmt.Sprintf("%q (%s)", p.Title, p.Fingerprint()))
	}
	text := fmt.Sprintf("%s is asked to decide: %s. Expires at %s, never auto-granted%s.",
		linksText(first.Asked()), joinAnd(titles), clockText(first.Clocks.ExpiresAt, now), escalationText(first, now))
	if len(first.CC) > 0 {
		text += " Kept informed: " + joinAnd(shownNames(first.CC)) + "."
	}
	if len(first.Unresolved) > 0 {
		text += " Note: " + strings.Join(first.Unresolved, "; ") + "."
	}
	return text
}

func shownNames(ps []Person) []string {
	names := make([]string, 0, len(ps))
	for _, p := range ps {
		names = append(names, p.shown())
	}
	return names
}
