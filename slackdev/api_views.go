package slackdev

import (
	"encoding/json"
	"maps"
	"time"
)

const maxModals = 3 // depth of a stack

// trigger lets the app open one modal for one user within its life.
type trigger struct {
	user    string
	expires time.Time
}

// newTrigger returns a trigger id for a user's act.
func (s *Server) newTrigger(user string) string {
	forget(s.triggers, func(t trigger) bool { return s.opts.Wall().After(t.expires) })
	id := s.id("") + "." + s.id("")
	s.triggers[id] = trigger{user: user, expires: s.opts.Wall().Add(s.opts.TriggerLife)}
	return id
}

// useTrigger takes a trigger; each works once.
func (s *Server) useTrigger(id string) (string, *refusal) {
	t, ok := s.triggers[id]
	switch {
	case id == "":
		return "", refuse("invalid_arguments", "missing required field: trigger_id")
	case !ok:
		return "", refuse("invalid_trigger_id")
	case t.user == "":
		return "", refuse("exchanged_trigger_id")
	case s.opts.Wall().After(t.expires):
		return "", refuse("expired_trigger_id")
	}
	s.triggers[id] = trigger{}
	return t.user, nil
}

func (s *Server) openView(c *call) (reply, *refusal) { return s.addView(c, false) }
func (s *Server) pushView(c *call) (reply, *refusal) { return s.addView(c, true) }

func (s *Server) addView(c *call, onTop bool) (reply, *refusal) {
	body, refused := s.viewBody(c.raw("view"), "modal")
	if refused != nil {
		return nil, refused
	}
	user, refused := s.useTrigger(c.str("trigger_id"))
	if refused != nil {
		return nil, refused
	}
	stack := s.state.modals[user]
	switch {
	case onTop && len(stack) == 0:
		return nil, refuse("not_found")
	case len(stack) >= maxModals:
		return nil, refuse("push_limit_reached")
	}
	return reply{"view": s.wireView(s.showModal(user, body))}, nil
}

// showModal puts a modal on top of the user's stack.
func (s *Server) showModal(user string, body json.RawMessage) *View {
	v := &View{ID: s.id("V"), User: user, Type: "modal", Hash: s.hash(), Body: body}
	v.RootID = v.ID
	if stack := s.state.modals[user]; len(stack) > 0 {
		v.RootID, v.PreviousID = stack[0].RootID, stack[len(stack)-1].ID
	}
	s.state.modals[user] = append(s.state.modals[user], v)
	s.touch()
	return v
}

func (s *Server) hash() string { return s.stamp() + "." + s.id("")[5:] }

func (s *Server) updateView(c *call) (reply, *refusal) {
	v := s.findView(c.str("view_id"), c.str("external_id"))
	if v == nil {
		return nil, refuse("not_found")
	}
	if hash := c.str("hash"); hash != "" && hash != v.Hash {
		return nil, refuse("hash_conflict")
	}
	body, refused := s.viewBody(c.raw("view"), v.Type)
	if refused != nil {
		return nil, refused
	}
	s.replaceView(v, body)
	return reply{"view": s.wireView(v)}, nil
}

func (s *Server) replaceView(v *View, body json.RawMessage) {
	v.Body, v.Hash, v.Errors, v.Notice = body, s.hash(), nil, ""
	s.touch()
}

func (s *Server) publishView(c *call) (reply, *refusal) {
	user := s.state.users[c.str("user_id")]
	if user.ID == "" {
		return nil, refuse("user_not_found")
	}
	body, refused := s.viewBody(c.raw("view"), "home")
	if refused != nil {
		return nil, refused
	}
	v := s.state.homes[user.ID]
	if hash := c.str("hash"); hash != "" && v != nil && hash != v.Hash {
		return nil, refuse("hash_conflict")
	}
	if v == nil {
		v = &View{ID: s.id("V"), User: user.ID, Type: "home"}
		v.RootID = v.ID
		s.state.homes[user.ID] = v
	}
	s.replaceView(v, body)
	return reply{"view": s.wireView(v)}, nil
}

func (s *Server) findView(id, external string) *View {
	for _, stack := range s.state.modals {
		for _, v := range stack {
			if v.ID == id || external != "" && v.field("external_id") == external {
				return v
			}
		}
	}
	for _, v := range s.state.homes {
		if v.ID == id {
			return v
		}
	}
	return nil
}

// viewBody checks a view and fills in its ids.
func (s *Server) viewBody(raw []byte, kind string) (json.RawMessage, *refusal) {
	if len(raw) > maxViewBytes {
		return nil, refuse("view_too_large")
	}
	v, err := decodeAny(raw)
	body, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil, refuse("invalid_arguments", "view must be a JSON object [json-pointer:/view]")
	}
	f := &findings{ids: map[string]bool{}, surface: kind}
	s.check.view(f, "/view", body)
	if body["type"] != kind {
		f.add("/view/type", "must be %s", kind)
	}
	items, ok := body["blocks"].([]any)
	if !ok {
		f.add("/view/blocks", "must be an array")
	}
	f.errors = append(f.errors, s.check.surface(kind, maxViewBlocks, "/view/blocks", items)...)
	if kind == "modal" && hasInput(items) && body["submit"] == nil {
		f.add("/view", "`submit` is required when there is an input block")
	}
	if len(f.errors) > 0 {
		return nil, refuse("invalid_arguments", f.errors...)
	}
	s.withIDs(items)
	filled, err := marshalPlain(body)
	if err != nil {
		return nil, refuse("internal_error", err.Error())
	}
	return filled, nil
}

func hasInput(items []any) bool {
	for _, item := range items {
		if block, _ := item.(map[string]any); block["type"] == "input" {
			return true
		}
	}
	return false
}

// fieldsOf decodes the body of a view.
func (v *View) fields() map[string]any {
	decoded, err := decodeAny(v.Body)
	body, _ := decoded.(map[string]any)
	if err != nil || body == nil {
		return map[string]any{}
	}
	return body
}

func (v *View) field(name string) string {
	s, _ := v.fields()[name].(string)
	return s
}

func (v *View) blocks() []map[string]any {
	raw, err := marshalPlain(v.fields()["blocks"])
	if err != nil {
		return nil
	}
	return decodeBlocks(raw)
}

// wireView is the view in the form of the Web API and of payloads.
func (s *Server) wireView(v *View) map[string]any {
	w := map[string]any{
		"private_metadata": "", "callback_id": "", "external_id": "", "close": nil, "submit": nil,
		"clear_on_close": false, "notify_on_close": false, "state": map[string]any{"values": map[string]any{}},
	}
	maps.Copy(w, v.fields())
	w["id"], w["team_id"], w["app_id"], w["bot_id"] = v.ID, s.ws.TeamID, s.ws.AppID, s.ws.BotID
	w["app_installed_team_id"], w["hash"], w["root_view_id"] = s.ws.TeamID, v.Hash, v.RootID
	w["previous_view_id"] = nil
	if v.PreviousID != "" {
		w["previous_view_id"] = v.PreviousID
	}
	return w
}
