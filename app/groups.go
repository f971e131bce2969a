package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"dw/bot"
	"dw/workflows"
)

// maxGroup bounds how many members of one group stand in a chain: a card names
// each of them.
const maxGroup = 30

// groupReader meets workflows.Groups by asking Slack.
type groupReader struct {
	client  *bot.Client
	members memberLookup
	team    string // the home workspace
}

var _ workflows.Groups = groupReader{}

// GroupReader returns what reads user groups of the home workspace team.
func GroupReader(client *bot.Client, team string) workflows.Groups {
	return groupReader{client: client, members: client, team: team}
}

// groups is nil where the configuration names no group, so that a click costs
// nothing.
func (a *App) groups() workflows.Groups {
	for _, who := range a.project.Config.People {
		if who.Group != "" {
			return GroupReader(a.client, a.team)
		}
	}
	return nil
}

// Members meets workflows.Groups. Guests, bots, deactivated people and those of
// other workspaces are not asked, which is said.
func (r groupReader) Members(ctx context.Context, g workflows.Group) (workflows.Watch, error) {
	ids, err := r.client.GroupMembers(ctx, g.ID)
	switch {
	case errors.Is(err, bot.ErrNoGroup):
		return workflows.Watch{}, errors.New("Slack knows no such group") //nolint:staticcheck // a name
	case err != nil:
		return workflows.Watch{}, err
	case len(ids) > maxGroup:
		return workflows.Watch{}, fmt.Errorf("it has %d members, and a chain takes a group of at most %d", len(ids), maxGroup)
	}
	slices.Sort(ids)
	var watch workflows.Watch
	for _, id := range ids {
		who, why := slackMember(ctx, r.members, r.team, id, "", id)
		if why != "" {
			watch.Unasked = append(watch.Unasked, why)
			continue
		}
		watch.People = append(watch.People, who)
	}
	return watch, nil
}

// Has meets workflows.Groups.
func (r groupReader) Has(ctx context.Context, group, user string) (bool, error) {
	ids, err := r.client.GroupMembers(ctx, group)
	if errors.Is(err, bot.ErrNoGroup) {
		return false, nil // nobody is in a group that is gone
	}
	return slices.Contains(ids, user), err
}

// slackMember finds somebody by id or e-mail and says why they cannot be asked;
// shown names them in that sentence.
func slackMember(ctx context.Context, members memberLookup, team, id, email, shown string) (workflows.Person, string) {
	member, err := members.Member(ctx, id, email)
	if err == nil && member.Name != "" && shown == id {
		shown = member.Name + " (" + id + ")"
	}
	switch {
	case errors.Is(err, bot.ErrNoMember):
		return workflows.Person{}, "Slack does not know " + shown
	case err != nil:
		return workflows.Person{}, fmt.Sprintf("%s cannot be looked up in Slack: %v", shown, err)
	case !member.CanDecide:
		return workflows.Person{}, shown + " is deactivated, a guest or a bot in Slack and cannot decide"
	case member.Team != "" && member.Team != team:
		return workflows.Person{}, shown + " belongs to another workspace and cannot decide"
	}
	return workflows.Person{Team: team, User: member.ID, Name: member.Name}, ""
}
