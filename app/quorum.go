package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dw/config"
	"dw/diagnosis"
	"dw/workflows"
)

func byKind(quorums config.Quorums) workflows.ByKind {
	if len(quorums) == 0 {
		return nil
	}
	out := workflows.ByKind{}
	for class, n := range quorums {
		out[diagnosis.StepKind(class)] = n
	}
	return out
}

// refuseApprovers ends the start where a chain names somebody who never decides:
// a deactivated account, or a bot, dw itself among them.
func refuseApprovers(c *config.Config, p people) error {
	var errs []error
	for _, domain := range slices.Sorted(maps.Keys(c.Domains)) {
		d := c.Domains[domain]
		places := map[string]string{".owner": d.Owner, ".deputy": d.Deputy}
		for n, who := range d.Escalation {
			places[fmt.Sprintf(".escalation[%d]", n)] = who
		}
		for _, place := range slices.Sorted(maps.Keys(places)) {
			who := places[place]
			if why, refused := p.refused[who]; refused {
				errs = append(errs, c.Problem("domains."+domain+place, "%s: %s; name somebody else", who, why))
			}
		}
	}
	return errors.Join(errs...)
}

// refuseQuorums ends the start where those who can decide are too few. Who is on
// call is not known before dw asks and counts as one; so is who is in a group
// that cannot be read now, of which the log tells.
func (a *App) refuseQuorums(ctx context.Context) error {
	groups := a.groups()
	for _, p := range a.allPolicies() {
		able := map[string]bool{}
		for _, who := range append([]workflows.Person{p.Owner, p.Deputy}, p.Escalation...) {
			able[who.User] = true
		}
		delete(able, "")
		unread := false
		for _, l := range p.Rotas {
			if l.Group.ID == "" {
				able[l.String()] = true
				continue
			}
			watch, err := groups.Members(ctx, l.Group)
			if err != nil {
				a.log.Warn("a group cannot be read; its members are looked for when dw asks", "domain", p.Domain, "group", l.Group.String(), "error", err)
				unread = true
			}
			for _, who := range watch.People {
				able[who.User] = true
			}
		}
		if needed := p.HighestQuorum(); len(able) < needed && !unread {
			return a.project.Config.Problem("domains."+p.Domain+".quorum", "%d must approve and only %d can%s", needed, len(able), because(p.Unresolved))
		}
	}
	return nil
}

func because(unresolved []string) string {
	if len(unresolved) == 0 {
		return ""
	}
	return ": " + strings.Join(unresolved, "; ")
}

// author finds whom the configuration ties to an e-mail or a Slack id.
func (a *App) author(who string) (workflows.Person, bool) {
	who = strings.TrimSpace(who)
	if p, known := a.names[who]; known {
		return p, true
	}
	for id, email := range a.emails {
		if strings.EqualFold(email, who) {
			return a.names[id], true
		}
	}
	return workflows.Person{}, false
}
