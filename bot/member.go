package bot

import (
	"context"
	"errors"

	"github.com/slack-go/slack"
)

// Member is what a configuration needs to know of a person. Names are the
// person's own choice and must be escaped before they are shown.
type Member struct {
	// Team and ID identify the person.
	Team, ID string
	// Name is the full name, or the short one where there is none.
	Name string
	// CanDecide is false for bots, guests, strangers and deactivated people.
	CanDecide bool
	// Deactivated says that the account was ended, Bot that it is no person's.
	Deactivated, Bot bool
}

// ErrNoMember says that Slack knows nobody by this id or e-mail.
var ErrNoMember = errors.New("no such person in Slack")

// Member looks a person up by id, or by e-mail where id is empty. ErrNoMember
// says that Slack knows nobody; any other error, that it could not be asked.
func (c *Client) Member(ctx context.Context, id, email string) (Member, error) {
	var user *slack.User
	var err error
	if id != "" {
		user, err = c.UserInfo(ctx, id)
	} else {
		user, err = c.LookupByEmail(ctx, email)
	}
	if refused, ok := errors.AsType[*RefusedError](err); ok && (refused.Code == "user_not_found" || refused.Code == "users_not_found") {
		return Member{}, ErrNoMember
	}
	if err != nil {
		return Member{}, err
	}
	m := Member{Team: user.TeamID, ID: user.ID, Name: user.RealName, Deactivated: user.Deleted, Bot: user.IsBot}
	if m.Name == "" {
		m.Name = user.Name
	}
	m.CanDecide = !user.Deleted && !user.IsBot && !user.IsRestricted && !user.IsUltraRestricted && !user.IsStranger
	return m, nil
}
