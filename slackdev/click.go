package slackdev

import (
	"context"
	"fmt"
)

// Click presses the button with this action id on a message of a channel, or on
// a message that only this user sees, as it is stored now. The app gets
// block_actions. The error says that the act is impossible.
func (s *Server) Click(ctx context.Context, userID, channelID, ts, actionID string) (Outcome, error) {
	return s.Choose(ctx, userID, channelID, ts, actionID, "")
}

// Choose is Click for elements with a choice: value is that of the option, or
// the user or channel id, or the date, to pick. Empty presses a button.
func (s *Server) Choose(ctx context.Context, userID, channelID, ts, actionID, value string) (Outcome, error) {
	e, err := s.clickEnvelope(userID, channelID, ts, actionID, value)
	if err != nil {
		return Outcome{}, err
	}
	return s.clicked(ctx, e, userID, ts, actionID)
}

// ChooseInView presses a button (value empty) or picks a choice in the user's
// open modal or Home.
func (s *Server) ChooseInView(ctx context.Context, userID, viewID, actionID, value string) (Outcome, error) {
	e, err := s.viewClickEnvelope(userID, viewID, actionID, value)
	if err != nil {
		return Outcome{}, err
	}
	return s.clicked(ctx, e, userID, viewID, actionID)
}

// clicked delivers a click and shows the person whether the app took it.
func (s *Server) clicked(ctx context.Context, e envelope, userID, place, actionID string) (Outcome, error) {
	out, err := s.dispatch(ctx, e)
	if err == nil {
		s.showClickFailure(userID, place, actionID, !out.Acked)
	}
	return out, err
}

func (s *Server) clickEnvelope(userID, channelID, ts, actionID, value string) (envelope, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, c, err := s.place(userID, channelID)
	if err != nil {
		return envelope{}, err
	}
	h := hook{user: u.ID, channel: c.ID, ts: ts}
	m := c.find(ts)
	if m == nil {
		h.ephemeral = true
		m = s.original(&h)
	}
	if m == nil {
		return envelope{}, fmt.Errorf("slackdev: user %s sees no message %s in channel %s", userID, ts, channelID)
	}
	h.thread = m.ThreadTS
	blocks := decodeBlocks(m.Blocks)
	action, err := s.action(blocks, actionID, value)
	if err != nil {
		return envelope{}, fmt.Errorf("slackdev: message %s: %w", ts, err)
	}
	payload := s.interaction("block_actions", u)
	container := map[string]any{
		"type": "message", "message_ts": m.TS, "channel_id": c.ID, "is_ephemeral": h.ephemeral,
	}
	if m.ThreadTS != "" {
		container["thread_ts"] = m.ThreadTS
	}
	payload["container"], payload["channel"] = container, map[string]any{"id": c.ID, "name": channelName(c)}
	if !h.ephemeral {
		payload["message"] = s.wire(*m, true)
	}
	payload["state"] = map[string]any{"values": stateValues(blocks, action)}
	payload["response_url"], payload["actions"] = s.newHook(h), []any{action}
	return interactive(payload, false)
}

func (s *Server) viewClickEnvelope(userID, viewID, actionID, value string) (envelope, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, err := s.person(userID)
	if err != nil {
		return envelope{}, err
	}
	v := s.findView(viewID, "")
	if v == nil || v.User != userID {
		return envelope{}, fmt.Errorf("slackdev: user %s has no view %q", userID, viewID)
	}
	blocks := v.blocks()
	action, err := s.action(blocks, actionID, value)
	if err != nil {
		return envelope{}, fmt.Errorf("slackdev: view %s: %w", viewID, err)
	}
	payload := s.interaction("block_actions", u)
	view := s.wireView(v)
	view["state"] = map[string]any{"values": stateValues(blocks, action)}
	payload["container"] = map[string]any{"type": "view", "view_id": v.ID}
	payload["view"], payload["actions"] = view, []any{action}
	return interactive(payload, false)
}

func channelName(c *channel) string {
	switch {
	case c.im != "":
		return "directmessage"
	case c.Private:
		return "privategroup"
	}
	return c.Name
}

func interactive(payload map[string]any, accepts bool) (envelope, error) {
	raw, err := marshalPlain(payload)
	return envelope{Type: "interactive", Accepts: accepts, Payload: raw}, err
}

// interaction is what every interactive payload begins with.
func (s *Server) interaction(kind string, u User) map[string]any {
	return map[string]any{
		"type": kind, "token": "", "api_app_id": s.ws.AppID, "trigger_id": s.newTrigger(u.ID),
		"team":       map[string]any{"id": s.ws.TeamID, "domain": s.ws.Domain},
		"user":       map[string]any{"id": u.ID, "username": u.Name, "name": u.Name, "team_id": u.TeamID},
		"enterprise": nil, "is_enterprise_install": false,
	}
}

// action describes the act on an element as in "actions" of a payload.
func (s *Server) action(blocks []map[string]any, actionID, value string) (map[string]any, error) {
	for _, block := range blocks {
		for _, element := range elementsOf(block) {
			if element["action_id"] != actionID {
				continue
			}
			kind, _ := element["type"].(string)
			a := map[string]any{
				"type": kind, "action_id": actionID, "block_id": block["block_id"], "action_ts": s.stamp(),
			}
			if kind == "button" {
				a["text"] = element["text"]
				if v, ok := element["value"]; ok {
					a["value"] = v
				}
				return a, nil
			}
			if err := choose(a, element, value); err != nil {
				return nil, err
			}
			return a, nil
		}
	}
	return nil, fmt.Errorf("no element with action_id %q", actionID)
}
