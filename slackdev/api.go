package slackdev

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const maxBody = 1 << 20

// reply is the body of a Web API answer; "ok" is added.
type reply map[string]any

// call is one request to the Web API.
type call struct {
	method string
	form   url.Values
	json   map[string]json.RawMessage
	header string // token of the Authorization header
}

// method is how one Web API method is served, with the mutex held.
type method struct {
	do     func(*Server, *call) (reply, *refusal)
	perMin int  // rate limit tier; 0 for none
	app    bool // takes the app-level token, in the header only
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	s.stampHeaders(w)
	c, refused := readCall(r)
	if refused != nil {
		s.answer(w, c.method, http.StatusOK, refused.body())
		return
	}
	fault := s.takeFault(c.method)
	if s.failed(w, r, c.method, fault) {
		return
	}
	body, wait := s.run(c)
	if fault.AfterEffect {
		s.journal("lost", "method", c.method)
		hangUp(w)
		return
	}
	status := http.StatusOK
	if wait > 0 {
		w.Header().Set("Retry-After", retryAfter(wait))
		status = http.StatusTooManyRequests
	}
	s.answer(w, c.method, status, body)
}

func retryAfter(wait time.Duration) string {
	return strconv.Itoa(int((wait + time.Second - 1) / time.Second))
}

// run checks token and rate and carries the call out. A wait over zero means
// that the rate limit refused it.
func (s *Server) run(c *call) (reply, time.Duration) {
	m, ok := s.methods[c.method]
	if !ok {
		return refuse("unknown_method").body(), 0
	}
	if refused := s.authorise(c, m); refused != nil {
		return refused.body(), 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.revoked != "" {
		return refuse(s.revoked).body(), 0
	}
	if wait := s.limit(c, m); wait > 0 {
		return refuse("ratelimited").body(), wait
	}
	if refused := s.lacksScope(c); refused != nil {
		return refused.body(), 0
	}
	body, refused := m.do(s, c)
	if refused != nil {
		return refused.body(), 0
	}
	if body == nil {
		body = reply{}
	}
	body["ok"] = true
	return body, 0
}

// authorise accepts the bot token in the header or as a form field, and the
// app-level token in the header only.
func (s *Server) authorise(c *call, m method) *refusal {
	token := c.header
	if token == "" && !m.app {
		token = c.form.Get("token")
	}
	want, other := s.ws.BotToken, s.ws.AppToken
	if m.app {
		want, other = other, want
	}
	switch token {
	case want:
		return nil
	case "":
		return refuse("not_authed")
	case other:
		return refuse("not_allowed_token_type")
	}
	return refuse("invalid_auth")
}

func readCall(r *http.Request) (*call, *refusal) {
	c := &call{method: r.PathValue("method"), form: r.URL.Query()}
	c.header, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil || len(body) > maxBody {
		return c, refuse("request_too_large")
	}
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind == "application/json":
		if len(body) == 0 {
			return c, nil
		}
		switch err := json.Unmarshal(body, &c.json); {
		case !json.Valid(body):
			return c, refuse("invalid_json")
		case err != nil:
			return c, refuse("json_not_object")
		}
	case kind == "multipart/form-data":
		return c, c.readMultipart(body, params["boundary"])
	case kind == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return c, refuse("invalid_form_data")
		}
		maps.Copy(c.form, form)
	case len(body) > 0:
		return c, refuse("invalid_post_type")
	}
	return c, nil
}

// str is a parameter as text; a JSON string is unquoted, another JSON value is
// returned as written.
func (c *call) str(name string) string {
	raw, ok := c.json[name]
	if !ok {
		return c.form.Get(name)
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// raw is a parameter that holds JSON, given as a value or as a string of it.
func (c *call) raw(name string) []byte {
	if s := c.str(name); s != "" && s != "null" {
		return []byte(s)
	}
	return nil
}

func (c *call) flag(name string) bool {
	v := c.str(name)
	return v == "true" || v == "1"
}

func (r *refusal) body() reply {
	b := reply{"ok": false, "error": r.code}
	if r.needed != "" {
		b["needed"], b["provided"] = r.needed, r.provided
	}
	if len(r.details) > 0 {
		b["errors"] = r.details
		lines := make([]string, len(r.details))
		for i, d := range r.details {
			lines[i] = "[ERROR] " + d
		}
		b["response_metadata"] = map[string]any{"messages": lines}
	}
	return b
}

func (s *Server) answer(w http.ResponseWriter, name string, status int, body reply) {
	s.journal("call", "method", name, "status", status, "ok", body["ok"], "error", body["error"])
	writeJSON(w, status, body)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	raw, err := marshalPlain(body)
	if err != nil {
		http.Error(w, fmt.Sprintf("slackdev: %v", err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(raw) //nolint:errcheck // the client has gone; nobody is left to tell
}
