package slackdev

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// person finds a user who can act. The caller holds the mutex.
func (s *Server) person(id string) (User, error) {
	u, ok := s.state.users[id]
	switch {
	case !ok:
		return u, fmt.Errorf("slackdev: no user %q", id)
	case u.Bot || u.Deleted:
		return u, fmt.Errorf("slackdev: user %s is a bot or deleted and cannot act", id)
	}
	return u, nil
}

// place finds a channel that the user can see.
func (s *Server) place(userID, channelID string) (User, *channel, error) {
	u, err := s.person(userID)
	if err != nil {
		return u, nil, err
	}
	c := s.state.channels[channelID]
	if c == nil || !s.sees(u, c) {
		return u, nil, fmt.Errorf("slackdev: user %s sees no channel %q", userID, channelID)
	}
	return u, c, nil
}

// Say posts a person's own message to a channel that the user can see, into a
// thread when threadTS is not empty. Names become mentions as in Command. The app
// is told of what it subscribes to: the message, and a mention of it.
func (s *Server) Say(userID, channelID, threadTS, text string) (Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, c, err := s.place(userID, channelID)
	if err != nil {
		return Message{}, err
	}
	if strings.TrimSpace(text) == "" {
		return Message{}, fmt.Errorf("slackdev: user %s said nothing", userID)
	}
	if refused := threadRoot(c, threadTS); refused != nil {
		return Message{}, fmt.Errorf("slackdev: no thread %s in channel %s", threadTS, channelID)
	}
	m := s.post(c, Message{User: u.ID, Text: s.escapeNames(text), ThreadTS: threadTS})
	s.tellMessage(c, m)
	return m, nil
}

// Command types the workspace's slash command as a user in a channel that the
// user can see. The text may start with the command or not. The error says that
// the act is impossible; what the user would see is in the outcome.
func (s *Server) Command(ctx context.Context, userID, channelID, text string) (Outcome, error) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, s.ws.Command); ok && (rest == "" || rest[0] == ' ') {
		text = strings.TrimSpace(rest)
	} else if strings.HasPrefix(text, "/") {
		return Outcome{}, fmt.Errorf("slackdev: %q is not %s, the only command here", text, s.ws.Command)
	}
	e, err := s.commandEnvelope(userID, channelID, text)
	if err != nil {
		return Outcome{}, err
	}
	out, err := s.dispatch(ctx, e)
	if err == nil && !out.Acked {
		s.showCommandFailure(out, userID, channelID)
	}
	if err != nil || out.Payload == nil {
		return out, err
	}
	return s.commandReply(out, userID, channelID), nil
}

func (s *Server) commandEnvelope(userID, channelID, text string) (envelope, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, c, err := s.place(userID, channelID)
	if err != nil {
		return envelope{}, err
	}
	name := c.Name
	if c.im != "" {
		name = "directmessage"
	}
	payload, err := marshalPlain(map[string]string{
		"token": "", "team_id": s.ws.TeamID, "team_domain": s.ws.Domain, "channel_id": c.ID, "channel_name": name,
		"user_id": u.ID, "user_name": u.Name, "command": s.ws.Command, "text": s.escapeNames(text),
		"api_app_id": s.ws.AppID, "is_enterprise_install": "false",
		"response_url": s.newHook(hook{user: u.ID, channel: c.ID}), "trigger_id": s.newTrigger(u.ID),
	})
	return envelope{Type: "slash_commands", Accepts: true, Payload: payload}, err
}

// escapeNames turns @name and #channel into <@U…|name> and <#C…|channel>, as
// Slack does for a command with should_escape, and escapes & < > in the rest.
func (s *Server) escapeNames(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		words[i] = s.escapeWord(word)
	}
	return strings.Join(words, " ")
}

func (s *Server) escapeWord(word string) string {
	if name, ok := strings.CutPrefix(word, "@"); ok && name != "" {
		for _, id := range s.state.userOrder {
			if s.state.users[id].Name == name {
				return "<@" + id + "|" + name + ">"
			}
		}
	}
	if name, ok := strings.CutPrefix(word, "#"); ok && name != "" {
		for _, id := range s.state.order {
			if s.state.channels[id].Name == name {
				return "<#" + id + "|" + name + ">"
			}
		}
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(word)
}

// commandReply shows the message that the app put into its acknowledgement.
func (s *Server) commandReply(out Outcome, userID, channelID string) Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	var body map[string]json.RawMessage
	if json.Unmarshal(out.Payload, &body) != nil {
		out.Error, out.Detail = BadAck, "the payload is not a JSON object"
		return out
	}
	if refused := s.respond(&hook{user: userID, channel: channelID}, &call{json: body}); refused != nil {
		out.Error, out.Detail = BadAck, strings.Join(append([]string{refused.code}, refused.details...), "; ")
	}
	return out
}
