package slackdev

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// control is the body of POST /_dev/fault and /_dev/change: what a test in any
// language, or a person with curl, does to the workspace.
type control struct {
	Fault   string `json:"fault"`  // which fault; see faultKinds
	Change  string `json:"change"` // which change; see changes.go
	Method  string `json:"method"` // a Web API method, "response_url", or "*" for all; default "*"
	Code    string `json:"code"`   // Slack's error name
	Status  int    `json:"status"`
	Reason  string `json:"reason"`  // of a disconnect
	Times   int    `json:"times"`   // how many calls or acks; default 1
	Seconds int    `json:"seconds"` // how long instead of how often
	// RetryAfter is in seconds, DelayMS in milliseconds.
	RetryAfter int `json:"retry_after"`
	DelayMS    int `json:"delay_ms"`

	Channel string         `json:"channel"`
	User    string         `json:"user"`
	Group   string         `json:"group"` // a user group, "S…"
	Event   map[string]any `json:"event"` // the inner event of POST /_dev/event
}

func readControl(w http.ResponseWriter, r *http.Request) (control, bool) {
	c := control{Method: EveryMethod, Times: 1}
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	body.DisallowUnknownFields()
	if err := body.Decode(&c); err != nil {
		writeJSON(w, http.StatusBadRequest, reply{"error": fmt.Sprintf("decode the request: %v", err)})
		return c, false
	}
	return c, true
}

// serveFault switches a fault on.
func (s *Server) serveFault(w http.ResponseWriter, r *http.Request) {
	c, ok := readControl(w, r)
	if !ok {
		return
	}
	if err := s.switchOn(c); err != nil {
		writeJSON(w, http.StatusBadRequest, reply{"error": err.Error()})
		return
	}
	s.journal("fault", "fault", c.Fault, "method", c.Method)
	writeJSON(w, http.StatusOK, reply{"ok": true})
}

func (s *Server) switchOn(c control) error {
	if fault, ok := c.callFault(); ok {
		if c.Seconds > 0 {
			s.FailFor(c.Method, time.Duration(c.Seconds)*time.Second, fault)
		} else {
			s.Fail(c.Method, c.Times, fault)
		}
		return nil
	}
	switch c.Fault {
	case "drop_acks":
		s.DropAcks(c.Times)
	case "duplicate":
		s.Duplicate(c.Times)
	case "disconnect":
		if c.Reason == "" {
			return fmt.Errorf("a disconnect needs a reason")
		}
		s.Disconnect(c.Reason)
	case "kill":
		s.KillSockets()
	case "half_open":
		s.HalfOpen()
	case "revoke":
		if c.Code == "" {
			return fmt.Errorf("revoke needs a code, for example token_revoked")
		}
		s.Revoke(c.Code)
	case "heal":
		s.Heal()
	default:
		return fmt.Errorf("no fault %q", c.Fault)
	}
	return nil
}

// callFault is the fault of Web API calls that the request asks for.
func (c control) callFault() (Fault, bool) {
	switch {
	case c.Fault == "error" && c.Code != "":
		return FaultError(c.Code), true
	case c.Fault == "status" && c.Status >= 400:
		return FaultStatus(c.Status), true
	case c.Fault == "rate_limit" && c.RetryAfter > 0:
		return FaultRateLimit(time.Duration(c.RetryAfter) * time.Second), true
	case c.Fault == "lost":
		return FaultLost(), true
	case c.Fault == "slow" && c.DelayMS > 0:
		return FaultSlow(time.Duration(c.DelayMS) * time.Millisecond), true
	}
	return Fault{}, false
}

// serveChange alters the workspace; a share answers the channel's id from now on.
func (s *Server) serveChange(w http.ResponseWriter, r *http.Request) {
	c, ok := readControl(w, r)
	if !ok {
		return
	}
	var err error
	switch c.Change {
	case "invite":
		err = s.Invite(c.Channel, c.User)
	case "remove":
		err = s.Remove(c.Channel, c.User)
	case "archive":
		err = s.Archive(c.Channel)
	case "deactivate":
		err = s.Deactivate(c.User)
	case "join_group":
		err = s.JoinGroup(c.Group, c.User)
	case "leave_group":
		err = s.LeaveGroup(c.Group, c.User)
	case "share":
		c.Channel, err = s.Share(c.Channel)
	default:
		err = fmt.Errorf("no change %q", c.Change)
	}
	if err != nil {
		writeJSON(w, http.StatusBadRequest, reply{"error": err.Error()})
		return
	}
	s.journal("change", "change", c.Change, "channel", c.Channel, "user", c.User)
	writeJSON(w, http.StatusOK, reply{"ok": true, "channel": c.Channel})
}

// serveEvent sends an Events API event and answers the outcome of its last
// delivery.
func (s *Server) serveEvent(w http.ResponseWriter, r *http.Request) {
	c, ok := readControl(w, r)
	if !ok {
		return
	}
	if _, ok := c.Event["type"].(string); !ok {
		writeJSON(w, http.StatusBadRequest, reply{"error": "an event needs a type"})
		return
	}
	out, err := s.Event(r.Context(), c.Event)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, reply{"error": err.Error()})
		return
	}
	writeJSON(w, http.StatusOK, out)
}
