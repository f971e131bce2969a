package slackdev

import (
	"net/http"
	"slices"
	"strings"
)

// methodScopes are the bot scopes of which a method needs one. Source: Slack's
// page of each method. A method that is not here needs none.
func methodScopes(method string, ch *channel) string {
	switch method {
	case "chat.delete", "chat.postMessage", "chat.postEphemeral", "chat.update":
		return "chat:write"
	case "conversations.info":
		return channelScope(ch, "read")
	case "conversations.history", "conversations.replies":
		return channelScope(ch, "history")
	case "conversations.members":
		return channelScope(ch, "read")
	case "conversations.join":
		return "channels:join"
	case "conversations.open":
		return "im:write"
	case "files.completeUploadExternal", "files.delete", "files.getUploadURLExternal":
		return "files:write"
	case "files.info":
		return "files:read"
	case "reactions.add", "reactions.remove":
		return "reactions:write"
	case "team.info":
		return "team:read"
	case "bots.info", "users.info", "users.list":
		return "users:read"
	case "users.lookupByEmail":
		return "users:read.email"
	case "usergroups.list", "usergroups.users.list":
		return "usergroups:read"
	default:
		return ""
	}
}

// channelScope is the scope for a channel's kind; one that is not known counts
// as public.
func channelScope(ch *channel, right string) string {
	switch {
	case ch != nil && ch.im != "":
		return "im:" + right
	case ch != nil && ch.Private:
		return "groups:" + right
	default:
		return "channels:" + right
	}
}

// lacksScope refuses a call whose scope the workspace's bot token does not hold.
// Without a list of scopes the token holds all. The caller holds mu.
func (s *Server) lacksScope(c *call) *refusal {
	return s.lacks(methodScopes(c.method, s.state.channels[c.str("channel")]))
}

// granted says whether the bot token holds a scope; the empty scope needs none.
func (s *Server) granted(scope string) bool {
	return s.ws.Scopes == nil || scope == "" || slices.Contains(s.ws.Scopes, scope)
}

// lacks is the refusal of a call that needs a scope, or nil.
func (s *Server) lacks(need string) *refusal {
	if s.granted(need) {
		return nil
	}
	return &refusal{code: "missing_scope", needed: need, provided: strings.Join(s.ws.Scopes, ",")}
}

// stampHeaders sets what Slack sends with every answer of the Web API: its own
// time, and the scopes of the bot token where the workspace lists them.
func (s *Server) stampHeaders(w http.ResponseWriter) {
	w.Header().Set("Date", s.opts.Wall().UTC().Format(http.TimeFormat))
	if s.ws.Scopes != nil {
		w.Header().Set("X-OAuth-Scopes", strings.Join(s.ws.Scopes, ","))
	}
}
