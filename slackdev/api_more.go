package slackdev

import (
	"regexp"
	"slices"
	"strings"
)

// maxReactions is how many different emoji one message takes; Slack's number is
// 23 for one person's app in the client and is not documented for the API.
const maxReactions = 23

// testAPI is api.test: it answers what it was given, or the error asked for.
func (s *Server) testAPI(c *call) (reply, *refusal) {
	if code := c.str("error"); code != "" {
		return nil, refuse(code)
	}
	args := map[string]string{}
	for name := range c.form {
		if name != "token" {
			args[name] = c.form.Get(name)
		}
	}
	for name := range c.json {
		args[name] = c.str(name)
	}
	return reply{"args": args}, nil
}

func (s *Server) teamInfo(*call) (reply, *refusal) {
	return reply{"team": map[string]any{
		"id": s.ws.TeamID, "name": s.ws.Domain, "domain": s.ws.Domain, "email_domain": "",
		"url": "https://" + s.ws.Domain + ".slack.com/", "is_verified": false,
	}}, nil
}

func (s *Server) botInfo(c *call) (reply, *refusal) {
	if bot := c.str("bot"); bot != "" && bot != s.ws.BotID {
		return nil, refuse("bot_not_found")
	}
	name := s.state.users[s.ws.BotUserID].Name
	return reply{"bot": map[string]any{
		"id": s.ws.BotID, "deleted": false, "name": name, "updated": 0, "app_id": s.ws.AppID,
		"user_id": s.ws.BotUserID, "icons": map[string]any{},
	}}, nil
}

// listChannels is conversations.list: of the private ones only those with the bot.
func (s *Server) listChannels(c *call) (reply, *refusal) {
	types := strings.Split(c.str("types"), ",")
	if c.str("types") == "" {
		types = []string{"public_channel"}
	}
	for _, kind := range types {
		if !slices.Contains([]string{"public_channel", "private_channel", "im", "mpim"}, strings.TrimSpace(kind)) {
			return nil, refuse("invalid_types")
		}
		if refused := s.lacks(typeScope(strings.TrimSpace(kind))); refused != nil {
			return nil, refused
		}
	}
	shown := []map[string]any{}
	for _, id := range s.state.order {
		ch := s.state.channels[id]
		if !slices.ContainsFunc(types, func(t string) bool { return strings.TrimSpace(t) == ch.kind() }) ||
			ch.Archived && c.flag("exclude_archived") || ch.Private && !ch.member(s.ws.BotUserID) {
			continue
		}
		shown = append(shown, s.wireChannel(ch))
	}
	page, next, refused := slicePage(c, shown, 100, 1000)
	return reply{"channels": page, "response_metadata": map[string]any{"next_cursor": next}}, refused
}

func typeScope(kind string) string {
	return map[string]string{
		"public_channel": "channels:read", "private_channel": "groups:read", "im": "im:read", "mpim": "mpim:read",
	}[kind]
}

// kind is the channel's type in the words of conversations.list.
func (c *channel) kind() string {
	switch {
	case c.im != "":
		return "im"
	case c.Private:
		return "private_channel"
	}
	return "public_channel"
}

func (s *Server) joinChannel(c *call) (reply, *refusal) {
	ch, refused := s.readable(c)
	switch {
	case refused != nil:
		return nil, refused
	case ch.Private:
		return nil, refuse("method_not_supported_for_channel_type")
	case ch.Archived:
		return nil, refuse("is_archived")
	}
	answer := reply{"channel": s.wireChannel(ch)}
	if ch.member(s.ws.BotUserID) {
		answer["warning"] = "already_in_channel"
		answer["response_metadata"] = map[string]any{"warnings": []string{"already_in_channel"}}
		return answer, nil
	}
	s.join(ch, s.ws.BotUserID)
	answer["channel"] = s.wireChannel(ch)
	return answer, nil
}

func (s *Server) deleteMessage(c *call) (reply, *refusal) {
	ch, m, refused := s.ownMessage(c, "cant_delete_message")
	if refused != nil {
		return nil, refused
	}
	ts, thread := m.TS, m.ThreadTS
	ch.messages = slices.DeleteFunc(ch.messages, func(m Message) bool { return m.TS == ts })
	if root := ch.find(thread); root != nil {
		root.ReplyCount--
	}
	s.touch()
	return reply{"channel": ch.ID, "ts": ts}, nil
}

var reactionName = regexp.MustCompile(`^[a-z0-9_+'-]{1,100}(::skin-tone-[2-6])?$`)

func (s *Server) addReaction(c *call) (reply, *refusal) {
	m, name, refused := s.reacted(c)
	if refused != nil {
		return nil, refused
	}
	i := slices.IndexFunc(m.Reactions, func(r Reaction) bool { return r.Name == name })
	switch {
	case i < 0 && len(m.Reactions) >= maxReactions:
		return nil, refuse("too_many_emoji")
	case i < 0:
		m.Reactions = append(slices.Clone(m.Reactions), Reaction{Name: name, Users: []string{s.ws.BotUserID}})
	case slices.Contains(m.Reactions[i].Users, s.ws.BotUserID):
		return nil, refuse("already_reacted")
	}
	s.touch()
	return nil, nil
}

func (s *Server) removeReaction(c *call) (reply, *refusal) {
	m, name, refused := s.reacted(c)
	if refused != nil {
		return nil, refused
	}
	i := slices.IndexFunc(m.Reactions, func(r Reaction) bool { return r.Name == name })
	if i < 0 {
		return nil, refuse("no_reaction")
	}
	m.Reactions = slices.Delete(slices.Clone(m.Reactions), i, i+1)
	s.touch()
	return nil, nil
}

func (s *Server) reacted(c *call) (*Message, string, *refusal) {
	name := strings.Trim(c.str("name"), ":")
	if !reactionName.MatchString(name) {
		return nil, "", refuse("invalid_name")
	}
	if c.str("timestamp") == "" {
		return nil, "", refuse("no_item_specified")
	}
	if _, ok := stampTime(c.str("timestamp")); !ok {
		return nil, "", refuse("bad_timestamp")
	}
	ch, refused := s.target(c.str("channel"), false)
	if refused != nil {
		return nil, "", refused
	}
	m := ch.find(c.str("timestamp"))
	if m == nil {
		return nil, "", refuse("message_not_found")
	}
	return m, name, nil
}
