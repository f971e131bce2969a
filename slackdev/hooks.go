package slackdev

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

const (
	hookUses = 5
	hookLife = 30 * time.Minute
)

// hook is what a response_url leads to.
type hook struct {
	user, channel string
	ts            string // the message it came from; empty for a command
	thread        string
	ephemeral     bool // that message is for the user alone
	uses          int
	expires       time.Time
}

// newHook registers a response_url and returns it.
func (s *Server) newHook(h hook) string {
	forget(s.hooks, func(h *hook) bool { return s.opts.Wall().After(h.expires) })
	id := s.opts.NewID()
	h.expires = s.opts.Wall().Add(hookLife)
	s.hooks[id] = &h
	return s.URL() + "/hooks/" + s.ws.TeamID + "/" + id
}

// forget drops what has expired from a map that has grown large.
func forget[V any](m map[string]V, expired func(V) bool) {
	if len(m) < 1000 {
		return
	}
	maps.DeleteFunc(m, func(_ string, v V) bool { return expired(v) })
}

// serveHook takes a message by response_url. Like Slack it works in channels
// where the bot is no member and needs no token. Faults for it are set under
// the name "response_url".
func (s *Server) serveHook(w http.ResponseWriter, r *http.Request) {
	c, refused := readCall(r)
	c.method = "response_url"
	fault := s.takeFault(c.method)
	if s.failed(w, r, c.method, fault) {
		return
	}
	if refused == nil {
		refused = s.useHook(r.PathValue("id"), c)
	}
	if fault.AfterEffect {
		s.journal("lost", "method", c.method)
		hangUp(w)
		return
	}
	if refused == nil {
		s.answer(w, c.method, http.StatusOK, reply{"ok": true})
		return
	}
	status := http.StatusBadRequest
	if slices.Contains([]string{"used_url", "expired_url"}, refused.code) {
		status = http.StatusNotFound
	}
	s.answer(w, c.method, status, refused.body())
}

func (s *Server) useHook(id string, c *call) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hooks[id]
	switch {
	case h == nil || s.opts.Wall().After(h.expires):
		return refuse("expired_url")
	case h.uses >= hookUses:
		return refuse("used_url")
	}
	h.uses++
	return s.respond(h, c)
}

// respond carries out a message given by response_url or inside an
// acknowledgement: replace or delete the message that was acted on, or a new
// one, for the user alone unless response_type is in_channel.
func (s *Server) respond(h *hook, c *call) *refusal {
	if c.form == nil {
		c.form = map[string][]string{}
	}
	if c.flag("delete_original") {
		return s.deleteOriginal(h)
	}
	d, refused := s.draft(c, maxPostText)
	if refused != nil {
		return refused
	}
	if c.flag("replace_original") {
		m := s.original(h)
		if m == nil {
			return refuse("message_not_found")
		}
		s.rewrite(m, d)
		return nil
	}
	thread := c.str("thread_ts")
	ch := s.state.channels[h.channel]
	if refused := threadRoot(ch, thread); refused != nil {
		return refused
	}
	if c.str("response_type") == "in_channel" {
		s.post(ch, Message{
			User: s.ws.BotUserID, BotID: s.ws.BotID, Text: d.text, Blocks: d.blocks, Metadata: d.metadata,
			ThreadTS: thread,
		})
		return nil
	}
	if thread == "" {
		thread = h.thread
	}
	s.whisper(h.channel, h.user, thread, d)
	return nil
}

// original is the stored message that a hook came from, or nil.
func (s *Server) original(h *hook) *Message {
	if !h.ephemeral {
		return s.state.channels[h.channel].find(h.ts)
	}
	list := s.state.ephemerals[h.user]
	for i := range list {
		if list[i].TS == h.ts {
			return &list[i]
		}
	}
	return nil
}

func (s *Server) deleteOriginal(h *hook) *refusal {
	if s.original(h) == nil {
		return refuse("message_not_found")
	}
	gone := func(m Message) bool { return m.TS == h.ts }
	if h.ephemeral {
		s.state.ephemerals[h.user] = slices.DeleteFunc(s.state.ephemerals[h.user], gone)
	} else {
		ch := s.state.channels[h.channel]
		ch.messages = slices.DeleteFunc(ch.messages, gone)
	}
	s.touch()
	return nil
}
