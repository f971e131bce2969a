package workflows

import (
	"slices"

	"dw/receipts"
)

// promotionRecord is how many proposals of the listed playbooks must have been
// approved as they were made and verified before a domain may be raised to L3.
const promotionRecord = 3

// refusePolicy returns why a policy change cannot even be asked for; nil where it
// can. by is nobody where an edited file asks.
func refusePolicy(before, target Policy, terms []TermChange, by Person, record *Record) *Refusal {
	rises := slices.Contains(termNames(terms), termLevel)
	switch {
	case target.Solo && target.Level > L2Propose:
		return refuse(RefusedPromotion, "A team of one cannot exceed L2.")
	case !rises:
		return nil
	case slices.ContainsFunc(before.Operators, by.Same):
		return refuse(RefusedPromotion, "You hold credentials of dw or of an agent (agent_operators), so somebody else asks for a higher level.")
	case target.Level > before.Level+1:
		return refuse(RefusedPromotion, "A level is raised one at a time: %s is at %s, so ask for %s first.", before.Domain, before.Level, before.Level+1)
	case target.Level > L3Act:
		return refuse(RefusedPromotion, "%s is not offered.", target.Level)
	case target.Level == L3Act:
		return refuseActing(target, record)
	}
	return nil
}

// refuseActing holds what L3 needs beyond two humans: something listed that dw
// may do, and a record of it.
func refuseActing(target Policy, record *Record) *Refusal {
	if len(target.Playbooks) == 0 {
		return refuse(RefusedPromotion, "At L3 dw acts by listed playbooks, and %s lists none (playbooks).", target.Domain)
	}
	if record == nil {
		return refuse(RefusedPromotion, "The record of %s could not be read, and L3 is decided on it.", target.Domain)
	}
	good := 0
	for _, name := range target.Playbooks {
		c := record.Class(name)
		if c.RolledBack.Count > 0 {
			return refuse(RefusedPromotion, "%s was rolled back %d times in %s; L3 needs a record without.", name, c.RolledBack.Count, target.Domain)
		}
		good += min(c.Approved.Count, c.Verified.Count)
	}
	if good < promotionRecord {
		return refuse(RefusedPromotion, "The record of %s is too short for L3: %d of %d proposals of its playbooks were approved as made and verified.",
			target.Domain, good, promotionRecord)
	}
	return nil
}

// refuseInForce is the promotion guard at the moment in which an approved policy
// change would come into force: enough different humans, none of whom asked, is
// an agent, or holds an agent's credentials.
func refuseInForce(p Proposal, before Policy) *Refusal {
	var humans []Person
	for _, d := range p.Decisions {
		if d.Verdict != Approve || !d.RevokedAt.IsZero() || isProposer(p.Proposer, d.By) {
			continue
		}
		if slices.ContainsFunc(before.Operators, d.By.Same) {
			return refuse(RefusedPromotion, "%s holds credentials of dw or of an agent and cannot decide it.", d.By.shown())
		}
		if !slices.ContainsFunc(humans, d.By.Same) {
			humans = append(humans, d.By)
		}
	}
	need := before.policyQuorum()
	switch {
	case p.Change.FromFile && !p.Solo:
		need++ // the first of them takes the request over
	case !p.Change.FromFile && p.Proposer.Kind != receipts.ActorHuman:
		return refuse(RefusedPromotion, "A policy change is asked for by a person, not by %s.", p.Proposer.Kind)
	case p.Solo:
		need = 1
	}
	if len(humans) < need {
		return refuse(RefusedPromotion, "%d different people are needed, and %d approved.", need, len(humans))
	}
	return nil
}

// mayDecide lists who of a chain may decide a policy change.
func mayDecide(all, operators []Person, by Person) []Person {
	return slices.DeleteFunc(slices.Clone(all), func(p Person) bool {
		return p.Same(by) || slices.ContainsFunc(operators, p.Same)
	})
}
