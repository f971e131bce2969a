package slackdev

import (
	"context"
	"fmt"
	"slices"
)

// state is what the workspace knows; the server's mutex guards it.
type state struct {
	seq        int
	users      map[string]User
	userOrder  []string
	channels   map[string]*channel
	order      []string // channel ids as given, direct messages after them
	ephemerals map[string][]Message
	modals     map[string][]*View // by user, bottom of the stack first
	homes      map[string]*View
	files      map[string]*upload
	groups     []Group
	warnings   []Warning
}

type channel struct {
	Channel
	im       string // the other person of a direct message
	messages []Message
}

func newState(w Workspace) state {
	st := state{
		users: map[string]User{}, channels: map[string]*channel{},
		ephemerals: map[string][]Message{}, modals: map[string][]*View{}, homes: map[string]*View{},
		files: map[string]*upload{},
	}
	bot := User{ID: w.BotUserID, Name: w.Command[1:], RealName: w.Command[1:], Bot: true}
	for _, u := range append(slices.Clone(w.Users), bot) {
		setDefault(&u.TeamID, w.TeamID)
		setDefault(&u.TZ, "Etc/UTC")
		if _, known := st.users[u.ID]; known {
			continue
		}
		st.users[u.ID] = u
		st.userOrder = append(st.userOrder, u.ID)
	}
	for _, g := range w.Groups {
		g.Users = slices.Clone(g.Users)
		st.groups = append(st.groups, g)
	}
	for _, c := range w.Channels {
		c.Members = slices.Clone(c.Members)
		st.channels[c.ID] = &channel{Channel: c}
		st.order = append(st.order, c.ID)
	}
	return st
}

func (c *channel) member(user string) bool { return slices.Contains(c.Members, user) }

// sees reports whether a user can open a channel: members can, and so can
// everyone but guests and people of other companies if it is public.
func (s *Server) sees(u User, c *channel) bool {
	if c.member(u.ID) {
		return true
	}
	outside := u.Restricted || u.UltraRestricted || u.Stranger || u.TeamID != s.ws.TeamID
	return !c.Private && c.im == "" && !outside
}

func (c *channel) find(ts string) *Message {
	for i := range c.messages {
		if c.messages[i].TS == ts {
			return &c.messages[i]
		}
	}
	return nil
}

// directWith returns the direct-message channel of the bot and a user, made at need.
func (s *Server) directWith(user string) *channel {
	for _, id := range s.state.order {
		if c := s.state.channels[id]; c.im == user {
			return c
		}
	}
	c := &channel{Channel: Channel{ID: s.id("D"), Private: true, Members: []string{s.ws.BotUserID, user}}, im: user}
	s.state.channels[c.ID] = c
	s.state.order = append(s.state.order, c.ID)
	return c
}

// post stores a message and counts it in its thread.
func (s *Server) post(c *channel, m Message) Message {
	m.Channel, m.TS = c.ID, s.stamp()
	if root := c.find(m.ThreadTS); root != nil {
		root.ThreadTS = root.TS
		root.ReplyCount++
	}
	c.messages = append(c.messages, m)
	s.touch()
	return m
}

// Messages returns the messages of a channel in order, replies included; none
// for an unknown channel.
func (s *Server) Messages(channelID string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.state.channels[channelID]; c != nil {
		return slices.Clone(c.messages)
	}
	return nil
}

// Thread returns the root with timestamp ts and its replies in order.
func (s *Server) Thread(channelID, ts string) []Message {
	return threadOf(s.Messages(channelID), ts)
}

func threadOf(all []Message, ts string) []Message {
	return slices.DeleteFunc(all, func(m Message) bool { return m.TS != ts && m.ThreadTS != ts })
}

// Ephemerals returns what only this user can read, oldest first, over all channels.
func (s *Server) Ephemerals(userID string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.state.ephemerals[userID])
}

// Views returns the user's open modals, the one on top last.
func (s *Server) Views(userID string) []View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return copyViews(s.state.modals[userID])
}

// Home returns the user's published Home, or false.
func (s *Server) Home(userID string) (View, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.state.homes[userID]; v != nil {
		return *v, true
	}
	return View{}, false
}

func copyViews(views []*View) []View {
	out := make([]View, 0, len(views))
	for _, v := range views {
		out = append(out, *v)
	}
	return out
}

// Wait returns nil as soon as done holds for the state, which it is asked about
// now and after each change, or an error when ctx or the server ends first.
func (s *Server) Wait(ctx context.Context, done func(Snapshot) bool) error {
	for {
		snap, changed := s.snapshot()
		if done(snap) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("slackdev: wait for the workspace: %w", ctx.Err())
		case <-s.ctx.Done():
			return fmt.Errorf("slackdev: wait for the workspace: closed")
		}
	}
}
