package slackdev

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"
)

const (
	maxPostText   = 40000
	maxUpdateText = 4000
	maxMetadata   = 16 << 10
)

// draft is the content of a message that a call or a hook gives.
type draft struct {
	text     string
	blocks   json.RawMessage
	metadata json.RawMessage
}

// draft reads and checks text, blocks and metadata.
func (s *Server) draft(c *call, maxText int) (draft, *refusal) {
	if c.raw("attachments") != nil && string(c.raw("attachments")) != "[]" {
		return draft{}, refuse("invalid_attachments", "slackdev takes blocks, not attachments")
	}
	d := draft{text: c.str("text")}
	if utf8.RuneCountInString(d.text) > maxText {
		return d, refuse("msg_too_long")
	}
	var refused *refusal
	if d.blocks, refused = s.messageBlocks(c.raw("blocks")); refused != nil {
		return d, refused
	}
	if d.text == "" && d.blocks == nil {
		return d, refuse("no_text")
	}
	d.metadata, refused = metadata(c.raw("metadata"))
	return d, refused
}

// metadata accepts an event type and a payload object.
func metadata(raw []byte) (json.RawMessage, *refusal) {
	if raw == nil {
		return nil, nil
	}
	var m struct {
		Type    string         `json:"event_type"`
		Payload map[string]any `json:"event_payload"`
	}
	switch err := json.Unmarshal(raw, &m); {
	case err != nil:
		return nil, refuse("invalid_metadata_format")
	case m.Type == "" || m.Payload == nil:
		return nil, refuse("invalid_metadata_schema", "event_type and event_payload are required")
	case len(raw) > maxMetadata:
		return nil, refuse("metadata_too_large")
	}
	return raw, nil
}

// target finds the channel to write to; a user id stands for the direct
// messages with them when direct is set.
func (s *Server) target(id string, direct bool) (*channel, *refusal) {
	if u, ok := s.state.users[id]; ok && direct && !u.Bot {
		return s.directWith(id), nil
	}
	c := s.state.channels[id]
	switch {
	case c == nil:
		return nil, refuse("channel_not_found")
	case !c.member(s.ws.BotUserID) && (c.Private || !s.granted("chat:write.public")):
		return nil, refuse("not_in_channel")
	case c.Archived:
		return nil, refuse("is_archived")
	}
	return c, nil
}

func (s *Server) postMessage(c *call) (reply, *refusal) {
	ch, refused := s.target(c.str("channel"), true)
	if refused != nil {
		return nil, refused
	}
	d, refused := s.draft(c, maxPostText)
	if refused != nil {
		return nil, refused
	}
	thread := c.str("thread_ts")
	if refused := threadRoot(ch, thread); refused != nil {
		return nil, refused
	}
	m := s.post(ch, Message{
		ThreadTS: thread, User: s.ws.BotUserID, BotID: s.ws.BotID, Text: d.text, Blocks: d.blocks,
		Metadata: d.metadata, Broadcast: thread != "" && c.flag("reply_broadcast"),
	})
	return reply{"channel": ch.ID, "ts": m.TS, "message": s.wire(m, true)}, nil
}

// threadRoot refuses a thread that does not exist and a reply taken for a root;
// the real Slack accepts the latter and puts the message where nobody looks.
func threadRoot(ch *channel, ts string) *refusal {
	if ts == "" {
		return nil
	}
	if root := ch.find(ts); root == nil || root.ThreadTS != "" && root.ThreadTS != root.TS {
		return refuse("thread_not_found")
	}
	return nil
}

// ownMessage finds the app's message that a call names; another's is refused with
// the code foreign.
func (s *Server) ownMessage(c *call, foreign string) (*channel, *Message, *refusal) {
	ch, refused := s.target(c.str("channel"), false)
	if refused != nil {
		return nil, nil, refused
	}
	m := ch.find(c.str("ts"))
	switch {
	case m == nil:
		return nil, nil, refuse("message_not_found")
	case m.BotID != s.ws.BotID:
		return nil, nil, refuse(foreign)
	}
	return ch, m, nil
}

func (s *Server) updateMessage(c *call) (reply, *refusal) {
	ch, m, refused := s.ownMessage(c, "cant_update_message")
	if refused != nil {
		return nil, refused
	}
	d, refused := s.draft(c, maxUpdateText)
	if refused != nil {
		return nil, refused
	}
	s.rewrite(m, d)
	return reply{"channel": ch.ID, "ts": m.TS, "text": m.Text, "message": s.wire(*m, true)}, nil
}

// rewrite replaces the content of a message: text without blocks removes the
// blocks; metadata stays when none is given.
func (s *Server) rewrite(m *Message, d draft) {
	m.Text, m.Blocks = d.text, d.blocks
	if d.metadata != nil {
		m.Metadata = d.metadata
	}
	m.Edited = &Edited{User: s.ws.BotUserID, TS: s.stamp()}
	s.touch()
}

func (s *Server) postEphemeral(c *call) (reply, *refusal) {
	ch, refused := s.target(c.str("channel"), false)
	if refused != nil {
		return nil, refused
	}
	user, known := s.state.users[c.str("user")]
	switch {
	case !known:
		return nil, refuse("user_not_found")
	case !ch.member(user.ID):
		return nil, refuse("user_not_in_channel")
	}
	d, refused := s.draft(c, maxPostText)
	if refused != nil {
		return nil, refused
	}
	m := s.whisper(ch.ID, user.ID, c.str("thread_ts"), d)
	return reply{"message_ts": m.TS}, nil
}

// whisper shows a message to one user only; it is not part of the channel.
func (s *Server) whisper(channelID, user, thread string, d draft) Message {
	m := Message{
		Channel: channelID, TS: s.stamp(), ThreadTS: thread, User: s.ws.BotUserID, BotID: s.ws.BotID,
		Text: d.text, Blocks: d.blocks, EphemeralTo: user,
	}
	s.state.ephemerals[user] = append(s.state.ephemerals[user], m)
	s.touch()
	return m
}

func (s *Server) getPermalink(c *call) (reply, *refusal) {
	ch, refused := s.readable(c)
	if refused != nil {
		return nil, refused
	}
	m := ch.find(c.str("message_ts"))
	if m == nil {
		return nil, refuse("message_not_found")
	}
	link := "https://" + s.ws.Domain + ".slack.com/archives/" + ch.ID + "/p" + strings.Replace(m.TS, ".", "", 1)
	if m.ThreadTS != "" && m.ThreadTS != m.TS {
		link += "?" + url.Values{"thread_ts": {m.ThreadTS}, "cid": {ch.ID}}.Encode()
	}
	return reply{"channel": ch.ID, "permalink": link}, nil
}
