package pagerduty

import (
	"encoding/json"
	"net/http"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"
)

const home = "https://stand-in.pagerduty.com"

// reference is the short form of a thing.
func reference(kind, path, id, summary string) object {
	return object{
		"id": id, "type": kind + "_reference", "summary": summary,
		"self": "https://api.pagerduty.com/" + path + "/" + id, "html_url": home + "/" + path + "/" + id,
	}
}

func (u User) reference() object    { return reference("user", "users", u.ID, u.Name) }
func (x Service) reference() object { return reference("service", "services", x.ID, x.Name) }
func (p Policy) reference() object {
	return reference("escalation_policy", "escalation_policies", p.ID, p.Name)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// refer is the short form of an incident, with its page where there is one.
func (s *Server) refer(in *Incident) object {
	o := reference("incident", "incidents", in.ID, in.Title)
	if s.opts.Site != "" {
		o["html_url"] = s.opts.Site + sitePath + in.ID
	}
	return o
}

// full is the long form of an incident.
func (s *Server) full(in *Incident) object {
	o := s.refer(in)
	o["type"], o["summary"] = "incident", "[#"+strconv.Itoa(in.Number)+"] "+in.Title
	o["incident_number"], o["title"], o["status"], o["incident_key"] = in.Number, in.Title, in.Status, in.Key
	o["created_at"], o["urgency"], o["service"] = stamp(in.Created), "high", in.Service.reference()
	if p, ok := s.policy(in.Service.Policy); ok {
		o["escalation_policy"] = p.reference()
	}
	assignments := []object{}
	for _, id := range in.Assigned {
		assignments = append(assignments, object{"at": stamp(in.Created), "assignee": s.user(id).reference()})
	}
	o["assignments"] = assignments
	return o
}

func (s *Server) listIncidents(r *http.Request, _ []byte) reply {
	q := r.URL.Query()
	for _, status := range q["statuses[]"] {
		if !slices.Contains([]string{Triggered, Acknowledged, Resolved}, status) {
			return invalid("Status must be a list of triggered, acknowledged, or resolved.")
		}
	}
	var found []any
	for _, in := range slices.Backward(s.incidents) {
		if !admits(q.Get("incident_key"), in.Key) || !admitsAny(q["service_ids[]"], in.Service.ID) || !admitsAny(q["statuses[]"], in.Status) {
			continue
		}
		found = append(found, s.full(in))
	}
	return page(r, "incidents", found)
}

func admits(want, have string) bool { return want == "" || want == have }

func admitsAny(want []string, have string) bool { return len(want) == 0 || slices.Contains(want, have) }

// page cuts a list as limit and offset ask for.
func page(r *http.Request, name string, all []any) reply {
	limit, offset := 25, 0
	for key, at := range map[string]*int{"limit": &limit, "offset": &offset} {
		if text := r.URL.Query().Get(key); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 {
				return invalid(key + " must be a number.")
			}
			*at = n
		}
	}
	if limit > 100 || limit < 1 || limit+offset > 10000 {
		return invalid("limit must be between 1 and 100, and limit and offset together at most 10000.")
	}
	from := min(offset, len(all))
	to := min(from+limit, len(all))
	return reply{http.StatusOK, object{name: append([]any{}, all[from:to]...), "limit": limit, "offset": offset, "more": to < len(all), "total": nil}}
}

func (s *Server) getIncident(r *http.Request, _ []byte) reply {
	in := s.byID(r.PathValue("id"))
	if in == nil {
		return notFound()
	}
	return reply{http.StatusOK, object{"incident": s.full(in)}}
}

func (s *Server) listAlerts(r *http.Request, _ []byte) reply {
	in := s.byID(r.PathValue("id"))
	if in == nil {
		return notFound()
	}
	status := Triggered
	if in.Status == Resolved {
		status = Resolved
	}
	return page(r, "alerts", []any{object{
		"id": "A" + in.ID, "type": "alert", "summary": in.Title, "self": "https://api.pagerduty.com/alerts/A" + in.ID, "html_url": home + "/alerts/A" + in.ID,
		"created_at": stamp(in.Created), "status": status, "alert_key": in.Key, "service": in.Service.reference(),
		"severity": in.Severity, "suppressed": false, "incident": s.refer(in),
	}})
}

// from returns the user of the From header, or the vendor's refusal.
func (s *Server) from(r *http.Request) (User, reply, bool) {
	text := r.Header.Get("From")
	if text == "" {
		return User{}, reply{http.StatusBadRequest, refusal(2016, `You must specify a user's email address in the "From" header to perform this action`)}, false
	}
	address, err := mail.ParseAddress(text)
	if err != nil {
		return User{}, reply{http.StatusBadRequest, refusal(1028, "Malformed From header")}, false
	}
	for _, u := range s.opts.Users {
		if strings.EqualFold(u.Email, address.Address) {
			return u, reply{}, true
		}
	}
	return User{}, reply{http.StatusBadRequest, refusal(1008, "Requester User Not Found")}, false
}

// change is what an update asks of one incident.
type change struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Status string `json:"status"`
	Level  *int   `json:"escalation_level"`
}

// updateIncidents changes all the incidents or none.
func (s *Server) updateIncidents(r *http.Request, body []byte) reply {
	u, no, ok := s.from(r)
	if !ok {
		return no
	}
	var req struct {
		Incidents []change `json:"incidents"`
	}
	if err := json.Unmarshal(body, &req); err != nil || len(req.Incidents) == 0 {
		return invalid("Incidents must be a list of incidents.")
	}
	for _, c := range req.Incidents {
		if no, ok := s.checkChange(c); !ok {
			return no
		}
	}
	var out []any
	for _, c := range req.Incidents {
		in := s.byID(c.ID)
		if c.Status != "" {
			s.set(in, c.Status, u.Email, userAgent(u))
		}
		if c.Level != nil {
			s.assign(in, *c.Level)
			in.Log = append(in.Log, Entry{What: "escalate", Who: u.Email, At: s.opts.Now()})
			s.announce("incident.escalated", userAgent(u), s.hookIncident(in))
		}
		out = append(out, s.full(in))
	}
	return page(r, "incidents", out)
}

func (s *Server) checkChange(c change) (reply, bool) {
	in := s.byID(c.ID)
	switch {
	case in == nil:
		return notFound(), false
	case c.Type != "incident" && c.Type != "incident_reference":
		return invalid("Type must be incident or incident_reference."), false
	case c.Status != "" && !slices.Contains([]string{Triggered, Acknowledged, Resolved}, c.Status):
		return invalid("Status must be one of triggered, acknowledged, or resolved."), false
	case in.Status == Resolved && c.Status != Resolved:
		return invalid("Incident Already Resolved"), false
	}
	if c.Level != nil {
		if p, _ := s.policy(in.Service.Policy); *c.Level < 1 || *c.Level > len(p.Schedules) {
			return invalid("Escalation level is not a level of the escalation policy."), false
		}
	}
	return reply{}, true
}
