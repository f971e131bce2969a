package slackdev

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// readable finds the channel of a call that reads; a private channel that the
// bot is not in does not exist for it.
func (s *Server) readable(c *call) (*channel, *refusal) {
	ch := s.state.channels[c.str("channel")]
	if ch == nil || ch.Private && !ch.member(s.ws.BotUserID) {
		return nil, refuse("channel_not_found")
	}
	return ch, nil
}

func (s *Server) channelInfo(c *call) (reply, *refusal) {
	ch, refused := s.readable(c)
	if refused != nil {
		return nil, refused
	}
	return reply{"channel": s.wireChannel(ch)}, nil
}

func (s *Server) wireChannel(ch *channel) map[string]any {
	if ch.im != "" {
		return map[string]any{"id": ch.ID, "is_im": true, "user": ch.im, "is_ext_shared": false}
	}
	return map[string]any{
		"id": ch.ID, "name": ch.Name, "name_normalized": ch.Name, "is_channel": !ch.Private, "is_group": ch.Private,
		"is_im": false, "is_mpim": false, "is_private": ch.Private, "is_archived": ch.Archived,
		"is_ext_shared": ch.ExtShared, "is_shared": ch.ExtShared, "is_member": ch.member(s.ws.BotUserID),
		"num_members": len(ch.Members),
	}
}

func (s *Server) channelMembers(c *call) (reply, *refusal) {
	ch, refused := s.readable(c)
	if refused != nil {
		return nil, refused
	}
	page, next, refused := slicePage(c, ch.Members, 100, 1000)
	return reply{"members": page, "response_metadata": map[string]any{"next_cursor": next}}, refused
}

func (s *Server) openDirect(c *call) (reply, *refusal) {
	users := strings.Split(c.str("users"), ",")
	if len(users) > 1 {
		return nil, refuse("method_not_supported_for_channel_type", "slackdev opens direct messages with one person only")
	}
	u, known := s.state.users[users[0]]
	switch {
	case c.str("users") == "":
		return nil, refuse("users_list_not_supplied")
	case !known:
		return nil, refuse("user_not_found")
	case u.Deleted:
		return nil, refuse("user_disabled")
	case u.Bot:
		return nil, refuse("cannot_dm_bot")
	}
	ch := s.directWith(u.ID)
	s.touch()
	return reply{"channel": map[string]any{"id": ch.ID, "is_im": true, "user": u.ID}}, nil
}

// history answers newest first, without replies that were not broadcast.
func (s *Server) history(c *call) (reply, *refusal) {
	ch, refused := s.readable(c)
	if refused != nil {
		return nil, refused
	}
	if !ch.member(s.ws.BotUserID) {
		return nil, refuse("not_in_channel")
	}
	shown := slices.DeleteFunc(slices.Clone(ch.messages), func(m Message) bool {
		return m.ThreadTS != "" && m.ThreadTS != m.TS && !m.Broadcast || outsideRange(c, m.TS)
	})
	slices.Reverse(shown)
	page, refused := s.messagePage(c, shown)
	if refused == nil {
		page["pin_count"], page["channel_actions_ts"], page["channel_actions_count"] = 0, nil, 0
	}
	return page, refused
}

// replies answers the root and then the replies, oldest first.
func (s *Server) replies(c *call) (reply, *refusal) {
	ch, refused := s.readable(c)
	if refused != nil {
		return nil, refused
	}
	if !ch.member(s.ws.BotUserID) {
		return nil, refuse("not_in_channel")
	}
	thread := threadOf(slices.Clone(ch.messages), c.str("ts"))
	if len(thread) == 0 {
		return nil, refuse("thread_not_found")
	}
	thread = slices.DeleteFunc(thread, func(m Message) bool { return outsideRange(c, m.TS) })
	return s.messagePage(c, thread)
}

// outsideRange compares timestamps as strings: all have the same length.
func outsideRange(c *call, ts string) bool {
	oldest, latest := c.str("oldest"), c.str("latest")
	if c.flag("inclusive") && (ts == oldest || ts == latest) {
		return false
	}
	return oldest != "" && oldest != "0" && ts <= oldest || latest != "" && ts >= latest
}

func (s *Server) messagePage(c *call, messages []Message) (reply, *refusal) {
	page, next, refused := slicePage(c, messages, 100, 999)
	if refused != nil {
		return nil, refused
	}
	wired := make([]json.RawMessage, 0, len(page))
	for _, m := range page {
		raw, err := marshalPlain(s.wire(m, c.flag("include_all_metadata")))
		if err != nil {
			return nil, refuse("internal_error", err.Error())
		}
		wired = append(wired, raw)
	}
	return reply{
		"messages": wired, "has_more": next != "", "response_metadata": map[string]any{"next_cursor": next},
	}, nil
}

// slicePage takes the page that limit and cursor ask for; a cursor is an offset.
func slicePage[T any](c *call, items []T, normal, most int) ([]T, string, *refusal) {
	size := normal
	if limit := c.str("limit"); limit != "" && limit != "0" {
		n, err := strconv.Atoi(limit)
		if err != nil || n < 1 || n > most {
			return nil, "", refuse("invalid_limit")
		}
		size = n
	}
	from := 0
	if cursor := c.str("cursor"); cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n < 0 || n > len(items) {
			return nil, "", refuse("invalid_cursor")
		}
		from = n
	}
	to := min(from+size, len(items))
	next := ""
	if to < len(items) {
		next = strconv.Itoa(to)
	}
	return items[from:to], next, nil
}
