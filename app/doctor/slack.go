package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dw/bot"
)

// slack tries both tokens and holds the scopes against what dw calls.
func (x *examination) slack(ctx context.Context) []Finding {
	var f found
	if x.c == nil {
		f.skip("the configuration cannot be read")
		return f.list
	}
	x.botToken(ctx, &f)
	if x.self.Team != "" {
		f.scopes(x.self.Scopes)
	}
	x.appToken(ctx, &f)
	if x.self.Team != "" && x.c.Slack.APIURL == bot.DefaultAPIURL {
		f.skip("whether interactivity is switched on cannot be read with these tokens: click a button of dw once")
	}
	return f.list
}

func (x *examination) botToken(ctx context.Context, f *found) {
	const source = "auth.test"
	if x.c.Slack.BotToken.Empty() {
		f.skip("there is no bot token to try")
		return
	}
	client, err := bot.NewClient(x.c.Slack.BotToken.Reveal(), bot.ClientOptions{APIURL: x.c.Slack.APIURL, MaxWait: maxWait})
	if err != nil {
		f.add(Fail, source, "put the bot token into the configuration", err.Error())
		return
	}
	x.client = client
	asked := x.o.Now()
	self, err := client.AuthTest(ctx)
	answered := x.o.Now()
	switch {
	case err != nil:
		f.refused(source, "slack.bot_token: ", err)
	case self.Bot == "":
		f.add(Fail, source, "use the Bot User OAuth Token (xoxb-…) of OAuth & Permissions", "slack.bot_token belongs to a person, not to a bot")
	default:
		x.self = self
		x.ahead = asked.Add(answered.Sub(asked) / 2).Sub(self.Clock)
		f.ok(source, fmt.Sprintf("the bot token is %s's (%s) in workspace %s (%s)", self.Name, self.User, self.TeamName, self.Team))
	}
}

// refused words an error of a call to Slack.
func (f *found) refused(source, about string, err error) {
	if refused, ok := errors.AsType[*bot.RefusedError](err); ok {
		what := about + refused.What + " (" + refused.Code + ")"
		if refused.Detail != "" {
			what += " [" + refused.Detail + "]"
		}
		f.add(Fail, source, refused.Do, what)
		return
	}
	if fatal, ok := errors.AsType[*bot.FatalError](err); ok {
		f.add(Fail, source, fatal.Do, about+fatal.What+" ("+fatal.Code+")")
		return
	}
	f.add(Fail, source, "let this machine reach slack.api_url over HTTPS, through the proxy if there is one (HTTPS_PROXY), and try again", about+"Slack could not be asked: "+err.Error())
}

// scopes holds those of the token against those that dw's calls need.
func (f *found) scopes(held []string) {
	const source = "auth.test, header x-oauth-scopes"
	if len(held) == 0 {
		f.skip("Slack did not tell the scopes of the bot token")
		return
	}
	var known []string
	complete := true
	for _, scope := range bot.Scopes() {
		known = append(known, scope.Name)
		if slices.Contains(held, scope.Name) {
			continue
		}
		complete = false
		add := "add the scope " + scope.Name + " under OAuth & Permissions, install the app again and use its new bot token"
		if scope.Optional {
			f.add(Warn, source, add, fmt.Sprintf("the bot token lacks %s, with which dw can %s: %s", scope.Name, scope.For, scope.Lack))
			continue
		}
		f.add(Fail, source, add, fmt.Sprintf("the bot token lacks %s, which dw needs to %s", scope.Name, scope.For))
	}
	if complete {
		f.ok(source, fmt.Sprintf("the bot token holds all %d scopes that dw uses", len(known)))
	}
	more := slices.DeleteFunc(slices.Clone(held), func(s string) bool { return slices.Contains(known, s) })
	if len(more) > 0 {
		f.add(Warn, source, "take them away under OAuth & Permissions and install the app again", "the bot token holds scopes that dw does not use: "+strings.Join(more, ", "))
	}
}

func (x *examination) appToken(ctx context.Context, f *found) {
	const source = "apps.connections.open"
	if x.c.Slack.AppToken.Empty() {
		f.skip("there is no app-level token to try")
		return
	}
	err := bot.CheckAppToken(ctx, x.c.Slack.AppToken.Reveal(), bot.ClientOptions{APIURL: x.c.Slack.APIURL})
	if err != nil {
		f.refused(source, "slack.app_token: ", err)
		return
	}
	f.ok(source, "the app-level token may open Socket Mode connections (none was opened)")
}
