package slackdev

import (
	"slices"
	"strings"
)

// tell sends an event in the background if the app subscribes to it by this name.
// The caller holds mu.
func (s *Server) tell(subscription string, event map[string]any) {
	if !slices.Contains(s.ws.Events, subscription) {
		return
	}
	s.goLocked(func() {
		if _, err := s.Event(s.ctx, event); err != nil && s.ctx.Err() == nil {
			s.opts.Logger.Error("deliver an event", "event", subscription, "error", err)
		}
	})
}

// tellMessage tells of a message that a person wrote: message.channels,
// message.groups or message.im, and app_mention if it names the bot. A mention in
// a channel without the bot is not told. The caller holds mu.
func (s *Server) tellMessage(c *channel, m Message) {
	if !c.member(s.ws.BotUserID) {
		return
	}
	subscription, kind := "message.channels", "channel"
	switch {
	case c.im != "":
		subscription, kind = "message.im", "im"
	case c.Private:
		subscription, kind = "message.groups", "group"
	}
	event := s.wire(m, true)
	event["channel"], event["channel_type"], event["event_ts"] = c.ID, kind, m.TS
	s.tell(subscription, event)
	if c.im == "" && mentions(m.Text, s.ws.BotUserID) {
		mention := s.wire(m, true)
		mention["type"], mention["channel"], mention["event_ts"] = "app_mention", c.ID, m.TS
		s.tell("app_mention", mention)
	}
}

func mentions(text, user string) bool {
	return strings.Contains(text, "<@"+user+">") || strings.Contains(text, "<@"+user+"|")
}
