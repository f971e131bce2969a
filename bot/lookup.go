package bot

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/slack-go/slack"
)

// Self is the app as the workspace knows it.
type Self struct {
	// Team is the workspace's id, TeamName its name, URL its address.
	Team, TeamName, URL string
	// User is the bot's user id, Bot its bot id, Name its user name.
	User, Bot, Name string
	// Scopes are those of the bot token; empty when Slack does not tell.
	Scopes []string
	// Clock is the time on Slack's clock when it answered, in UTC and whole
	// seconds; zero when Slack does not tell.
	Clock time.Time
}

// Channel is what dw wants to know of a channel.
type Channel struct {
	// ID and Name identify it; the name differs between workspaces.
	ID, Name string
	// Member tells whether the bot is in it.
	Member bool
	// Private, Archived and Shared (with another company) say what kind it is.
	Private, Archived, Shared bool
}

// AuthTest asks Slack who the bot token belongs to.
func (c *Client) AuthTest(ctx context.Context) (Self, error) {
	var self Self
	err := c.do(ctx, request{method: "auth.test", safe: true, call: func(ctx context.Context) error {
		r, err := c.api.AuthTestContext(ctx)
		if err != nil || r.TeamID == "" {
			return answered("", err)
		}
		self = Self{
			Team: r.TeamID, TeamName: r.Team, URL: r.URL, User: r.UserID, Bot: r.BotID, Name: r.User,
			Scopes: splitScopes(r.Header.Get("X-OAuth-Scopes")), Clock: clockOf(r.Header),
		}
		return nil
	}})
	return self, err
}

func splitScopes(header string) []string {
	return strings.FieldsFunc(header, func(r rune) bool { return r == ',' || r == ' ' })
}

// clockOf reads the time of an answer; zero where there is none.
func clockOf(header http.Header) time.Time {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// cachedSelf asks once.
func (c *Client) cachedSelf(ctx context.Context) (Self, error) {
	c.selfMu.Lock()
	defer c.selfMu.Unlock()
	if c.self == nil {
		self, err := c.AuthTest(ctx)
		if err != nil {
			return Self{}, err
		}
		c.self = &self
	}
	return *c.self, nil
}

// UserInfo returns a person by id.
func (c *Client) UserInfo(ctx context.Context, user string) (*slack.User, error) {
	return c.user(ctx, "users.info", func(ctx context.Context) (*slack.User, error) {
		return c.api.GetUserInfoContext(ctx, user)
	})
}

// LookupByEmail returns the member with the address; a *RefusedError with code
// users_not_found when there is none.
func (c *Client) LookupByEmail(ctx context.Context, email string) (*slack.User, error) {
	return c.user(ctx, "users.lookupByEmail", func(ctx context.Context) (*slack.User, error) {
		return c.api.GetUserByEmailContext(ctx, email)
	})
}

func (c *Client) user(ctx context.Context, method string, get func(context.Context) (*slack.User, error)) (*slack.User, error) {
	var user *slack.User
	err := c.do(ctx, request{method: method, safe: true, call: func(ctx context.Context) (err error) {
		if user, err = get(ctx); err != nil {
			return err
		}
		return answered(user.ID, nil)
	}})
	if err != nil {
		return nil, err
	}
	return user, nil
}

// ChannelInfo returns a channel by id.
func (c *Client) ChannelInfo(ctx context.Context, channel string) (Channel, error) {
	var found Channel
	err := c.do(ctx, request{method: "conversations.info", safe: true, call: func(ctx context.Context) error {
		ch, err := c.api.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: channel})
		if err != nil || ch.ID == "" {
			return answered("", err)
		}
		found = Channel{
			ID: ch.ID, Name: ch.Name, Member: ch.IsMember || ch.IsIM,
			Private: ch.IsPrivate, Archived: ch.IsArchived, Shared: ch.IsExtShared || ch.IsShared,
		}
		return nil
	}})
	return found, err
}

// Permalink returns the address of a message for people.
func (c *Client) Permalink(ctx context.Context, channel, ts string) (string, error) {
	var link string
	err := c.do(ctx, request{method: "chat.getPermalink", safe: true, call: func(ctx context.Context) (err error) {
		link, err = c.api.GetPermalinkContext(ctx, &slack.PermalinkParameters{Channel: channel, Ts: ts})
		return answered(link, err)
	}})
	return link, err
}

// OpenDM returns the id of the direct message channel with a person.
func (c *Client) OpenDM(ctx context.Context, user string) (string, error) {
	var channel string
	err := c.do(ctx, request{method: "conversations.open", safe: true, call: func(ctx context.Context) error {
		ch, _, _, err := c.api.OpenConversationContext(ctx, &slack.OpenConversationParameters{Users: []string{user}})
		if err == nil && ch != nil {
			channel = ch.ID
		}
		return answered(channel, err)
	}})
	return channel, err
}
