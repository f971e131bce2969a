package slackdev

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// act is the body of POST /_dev/{command,say,click,submit,close,home}. A click
// names the message (channel, ts) or the view, the action, and for elements
// with a choice its value.
type act struct {
	User    string                    `json:"user"`
	Channel string                    `json:"channel"`
	TS      string                    `json:"ts"`
	View    string                    `json:"view"`
	Action  string                    `json:"action"`
	Value   string                    `json:"value"`
	Text    string                    `json:"text"`
	Values  map[string]map[string]any `json:"values"`
}

// serveAct carries out a person's act and answers the Outcome; 400 with an
// "error" if the act is impossible, 404 for an act that does not exist.
func (s *Server) serveAct(w http.ResponseWriter, r *http.Request) {
	var a act
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	body.DisallowUnknownFields()
	if err := body.Decode(&a); err != nil {
		writeJSON(w, http.StatusBadRequest, reply{"error": fmt.Sprintf("decode the act: %v", err)})
		return
	}
	name := r.PathValue("act")
	out, known, err := s.act(r, name, a)
	switch {
	case !known:
		writeJSON(w, http.StatusNotFound, reply{"error": fmt.Sprintf("no act %q", name)})
	case err != nil:
		writeJSON(w, http.StatusBadRequest, reply{"error": err.Error()})
	default:
		s.journal("act", "act", name, "user", a.User, "acked", out.Acked, "error", out.Error)
		writeJSON(w, http.StatusOK, out)
	}
}

func (s *Server) act(r *http.Request, name string, a act) (out Outcome, known bool, err error) {
	ctx := r.Context()
	switch name {
	case "command":
		out, err = s.Command(ctx, a.User, a.Channel, a.Text)
	case "say":
		_, err = s.Say(a.User, a.Channel, a.TS, a.Text)
		out.Acked = err == nil
	case "click":
		if a.View != "" {
			out, err = s.ChooseInView(ctx, a.User, a.View, a.Action, a.Value)
		} else {
			out, err = s.Choose(ctx, a.User, a.Channel, a.TS, a.Action, a.Value)
		}
	case "submit":
		out, err = s.Submit(ctx, a.User, a.View, a.Values)
	case "close":
		out, err = s.CloseView(ctx, a.User, a.View)
	case "home":
		out, err = s.OpenHome(ctx, a.User)
	default:
		return out, false, nil
	}
	return out, true, err
}
