package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"dw/bot"
	"dw/config"
	"dw/workflows"
)

// memberLookup is the part of bot.Client that resolves people.
type memberLookup interface {
	Member(ctx context.Context, id, email string) (bot.Member, error)
}

// people are the configured persons as Slack knows them; a name that Slack does
// not know is missing and why stands in problems.
type people struct {
	known    map[string]workflows.Person
	emails   map[string]string // by Slack user id
	problems map[string]string
	refused  map[string]string // names that end the start where they approve, and why
}

// resolvePeople asks Slack once for every configured person. team is the home
// workspace. It fails only where Slack cannot be asked.
func resolvePeople(ctx context.Context, c *config.Config, members memberLookup, team string) (people, error) {
	p := people{known: map[string]workflows.Person{}, emails: map[string]string{}, problems: map[string]string{}, refused: map[string]string{}}
	names := make([]string, 0, len(c.People))
	for name := range c.People {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		who := c.People[name]
		if who.Several() {
			continue // asked when there is something to decide
		}
		byEmail := who.Email
		if who.Slack != "" {
			byEmail = "" // the id decides; the e-mail is for other systems
		}
		member, err := members.Member(ctx, who.Slack, byEmail)
		switch {
		case errors.Is(err, bot.ErrNoMember):
			p.problems[name] = "Slack does not know " + shownAs(who)
		case err != nil:
			return p, fmt.Errorf("resolve people.%s: %w", name, err)
		case member.Deactivated:
			p.refused[name] = shownAs(who) + " is deactivated in Slack"
			p.problems[name] = p.refused[name] + " and cannot decide"
		case member.Bot:
			p.refused[name] = shownAs(who) + " is a bot; whoever proposes or acts by itself does not approve"
			p.problems[name] = p.refused[name]
		case !member.CanDecide:
			p.problems[name] = shownAs(who) + " is deactivated, a guest or a bot and cannot decide"
		case member.Team != "" && member.Team != team:
			p.problems[name] = shownAs(who) + " belongs to another workspace and cannot decide"
		default:
			p.known[name] = workflows.Person{Team: team, User: member.ID, Name: member.Name}
			if who.Email != "" {
				p.emails[member.ID] = who.Email
			}
		}
	}
	return p, nil
}

func shownAs(who config.PersonConfig) string {
	if who.Slack != "" {
		return who.Slack
	}
	return who.Email
}

// policies fills every domain's policy. A person of a chain that Slack does not
// know is left out and said; the version is the hash of what is in force.
func policies(c *config.Config, p people) map[string]workflows.Policy {
	out := map[string]workflows.Policy{}
	for name, d := range c.Domains {
		out[name] = policyOf(c, name, d, p)
	}
	return out
}

func policyOf(c *config.Config, name string, d config.Domain, p people) workflows.Policy {
	policy := workflows.Policy{
		Domain: name, Level: levelOf(d.Level), Quorum: max(d.Quorum, 1), QuorumBy: byKind(d.QuorumBy), Solo: d.Solo, Channel: d.Channel,
		Settle: d.Settle.Or(5 * time.Minute), RemindAfter: d.RemindAfter.Or(15 * time.Minute),
		EscalateAfter: d.EscalateAfter.Or(45 * time.Minute), ExpireAfter: d.ExpireAfter.Or(4 * time.Hour),
		ExecuteWithin: d.ExecuteWithin.Or(4 * time.Hour), ObserveEvery: d.ObserveEvery.Or(time.Minute),
		PollEvery: d.PollEvery.Or(15 * time.Second), RunTimeout: d.RunTimeout.Or(time.Hour),
		VerifyAfter: d.VerifyAfter.Or(15 * time.Minute), VerifyEvery: d.VerifyEvery.Or(10 * time.Minute),
		VerifyWithin: d.VerifyWithin.Or(4 * time.Hour), Together: d.Together.Or(workflows.DefaultTogether), RecoverRuns: cmp.Or(d.RecoverRuns, 1),
	}
	if d.PagerDutyService != "" {
		policy.PageService, policy.Page = d.PagerDutyService, or(d.Page, workflows.OnRequest)
		policy.PageWait = d.PageWait.Or(time.Minute)
	}
	if d.JiraProject != "" {
		policy.TicketProject, policy.TicketType, policy.Ticket = d.JiraProject, or(d.JiraIssueType, "Task"), or(d.Ticket, workflows.OnRequest)
		policy.TicketRequest, policy.TicketFields, policy.TicketMove = d.JiraRequestType, d.JiraFields, d.JiraResolve
	}
	fillChain(&policy, c, d, p)
	policy.Playbooks, policy.PolicyQuorum = d.Playbooks, d.PolicyQuorum
	policy.Named, policy.OperatorNames = c.Approvers(name), c.Operators()
	for _, who := range c.AgentOperators {
		if person, found := p.known[who]; found {
			policy.Operators = append(policy.Operators, person)
		}
	}
	policy.Version = policy.Digest()
	return policy
}

// fillChain puts the people of a domain into its policy, and the rotas and groups
// into their places among them.
func fillChain(policy *workflows.Policy, c *config.Config, d config.Domain, p people) {
	find := func(role, who string) workflows.Person {
		if problem, wrong := p.problems[who]; wrong {
			instead := "; the next of the chain is asked instead"
			if role == "cc" {
				instead = "; nobody is told instead"
			}
			policy.Unresolved = append(policy.Unresolved, role+" "+who+": "+problem+instead)
		}
		return p.known[who]
	}
	stand := func(role workflows.Role, who string) workflows.Person {
		named := c.People[who]
		link := workflows.RotaLink{Role: role, Place: len(policy.Escalation)}
		switch {
		case named.Group != "":
			link.Group = workflows.Group{Name: who, ID: named.Group}
		case named.OnCall():
			link.Rota = workflows.Rota{Name: who, Schedule: named.Schedule, Policy: named.Policy}
		default:
			return find(string(role), who)
		}
		policy.Rotas = append(policy.Rotas, link)
		return workflows.Person{}
	}
	policy.Owner = stand(workflows.RoleOwner, d.Owner)
	if d.Deputy != "" {
		policy.Deputy = stand(workflows.RoleDeputy, d.Deputy)
	}
	for _, who := range d.Escalation {
		if person := stand(workflows.RoleEscalation, who); person.User != "" {
			policy.Escalation = append(policy.Escalation, person)
		}
	}
	for _, who := range d.CC {
		if person := find("cc", who); person.User != "" {
			policy.CC = append(policy.CC, person)
		}
	}
}

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

// levelOf reads a level of the file; where it says none, dw observes.
func levelOf(text string) workflows.Level {
	if level, known := workflows.ParseLevel(text); known {
		return level
	}
	return workflows.L1Observe
}
