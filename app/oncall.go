package app

import (
	"context"
	"strings"

	"dw/bot"
	"dw/connectors/pagerduty"
	"dw/workflows"
)

// rotaReader meets workflows.Pager: PagerDuty says who is on call, Slack who
// that is.
type rotaReader struct {
	client  *pagerduty.Client
	members memberLookup
	team    string            // the home workspace
	emails  map[string]string // by Slack user id, as the configuration ties them
}

// RotaReader returns what reads rotas for the home workspace team; emails are those
// of people elsewhere by their Slack user ids, as the configuration ties them.
func RotaReader(client *pagerduty.Client, slack *bot.Client, team string, emails map[string]string) workflows.Pager {
	return &rotaReader{client: client, members: slack, team: team, emails: emails}
}

// OnCall meets workflows.Pager. Of an escalation policy those of its first level
// count; who can be asked is decided by Slack, now.
func (r *rotaReader) OnCall(ctx context.Context, rota workflows.Rota) (workflows.Watch, error) {
	on, err := r.client.OnCall(ctx, pagerduty.Rota{Schedule: rota.Schedule, Policy: rota.Policy})
	if err != nil {
		return workflows.Watch{}, err
	}
	var watch workflows.Watch
	for _, user := range on {
		if user.Level != on[0].Level {
			break // sorted by level
		}
		who, why := r.person(ctx, user)
		if why != "" {
			watch.Unasked = append(watch.Unasked, why)
			continue
		}
		watch.People = append(watch.People, who)
	}
	return watch, nil
}

// person finds the Slack user of someone on call, by the e-mail that they have in
// PagerDuty: one that the configuration ties to a Slack id, else Slack's own.
func (r *rotaReader) person(ctx context.Context, user pagerduty.OnCallUser) (workflows.Person, string) {
	if user.Email == "" {
		return workflows.Person{}, user.Name + " has no e-mail in PagerDuty that could be looked up in Slack"
	}
	id, email := "", user.Email
	for known, have := range r.emails {
		if strings.EqualFold(have, user.Email) {
			id, email = known, ""
		}
	}
	return slackMember(ctx, r.members, r.team, id, email, user.Name+" ("+user.Email+")")
}
