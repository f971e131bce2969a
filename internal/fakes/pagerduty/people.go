package pagerduty

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

func (s *Server) listAbilities(*http.Request, []byte) reply {
	return reply{http.StatusOK, object{"abilities": []string{"sso", "teams"}}}
}

func (u User) full() object {
	o := u.reference()
	o["type"], o["name"], o["email"], o["role"], o["time_zone"] = "user", u.Name, u.Email, "user", "Etc/UTC"
	return o
}

// listUsers finds parts of names and addresses, as the vendor does.
func (s *Server) listUsers(r *http.Request, _ []byte) reply {
	query := strings.ToLower(r.URL.Query().Get("query"))
	var found []any
	for _, u := range s.opts.Users {
		if strings.Contains(strings.ToLower(u.Name+" "+u.Email), query) {
			found = append(found, u.full())
		}
	}
	return page(r, "users", found)
}

func (s *Server) getUser(r *http.Request, _ []byte) reply {
	u := s.user(r.PathValue("id"))
	if u.ID == "" {
		return notFound()
	}
	return reply{http.StatusOK, object{"user": u.full()}}
}

// listOnCalls answers an empty list for a schedule or policy that is not there.
func (s *Server) listOnCalls(r *http.Request, _ []byte) reply {
	schedules, policies := r.URL.Query()["schedule_ids[]"], r.URL.Query()["escalation_policy_ids[]"]
	var found []any
	for _, p := range s.opts.Policies {
		if !admitsAny(policies, p.ID) {
			continue
		}
		for level, id := range p.Schedules {
			x, ok := s.schedule(id)
			if !ok || x.User == "" || !admitsAny(schedules, id) {
				continue
			}
			o := object{
				"escalation_policy": p.reference(), "escalation_level": level + 1, "user": s.user(x.User).reference(),
				"schedule": reference("schedule", "schedules", x.ID, x.Name), "start": stamp(s.opts.Now()),
			}
			if !x.Until.IsZero() {
				o["end"] = stamp(x.Until)
			}
			found = append(found, o)
		}
	}
	return page(r, "oncalls", found)
}

func (s *Server) listScheduleUsers(r *http.Request, _ []byte) reply {
	x, ok := s.schedule(r.PathValue("id"))
	if !ok {
		return notFound()
	}
	users := []object{}
	if x.User != "" {
		users = append(users, s.user(x.User).full())
	}
	return reply{http.StatusOK, object{"users": users}}
}

func (s *Server) getPolicy(r *http.Request, _ []byte) reply {
	p, ok := s.policy(r.PathValue("id"))
	if !ok {
		return notFound()
	}
	rules := []object{}
	for _, id := range p.Schedules {
		x, _ := s.schedule(id)
		rules = append(rules, object{"id": "R" + id, "escalation_delay_in_minutes": 30, "targets": []object{reference("schedule", "schedules", id, x.Name)}})
	}
	o := p.reference()
	o["type"], o["name"], o["escalation_rules"] = "escalation_policy", p.Name, rules
	services := []object{}
	for _, x := range s.opts.Services {
		if x.Policy == p.ID {
			services = append(services, x.reference())
		}
	}
	o["services"], o["num_loops"] = services, 0
	return reply{http.StatusOK, object{"escalation_policy": o}}
}

// listServices shows integrations with their keys where they are asked for. Their
// type stays that of a reference, as the vendor's description has it.
func (s *Server) listServices(r *http.Request, _ []byte) reply {
	var found []any
	for _, x := range s.opts.Services {
		o := x.reference()
		o["type"], o["name"], o["status"], o["alert_creation"] = "service", x.Name, cmp.Or(x.Status, "active"), "create_alerts_and_incidents"
		if p, ok := s.policy(x.Policy); ok {
			o["escalation_policy"] = p.reference()
		}
		i := reference("events_api_v2_inbound_integration", "services/"+x.ID+"/integrations", "I"+x.ID, "dw")
		if slices.Contains(r.URL.Query()["include[]"], "integrations") {
			i["name"], i["integration_key"], i["service"] = "dw", x.RoutingKey, x.reference()
		}
		o["integrations"] = []object{i}
		found = append(found, o)
	}
	return page(r, "services", found)
}

// SetOnCall gives a schedule to another user; "" is nobody. It reports false for
// a schedule that does not exist.
func (s *Server) SetOnCall(schedule, user string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.opts.Schedules, func(x Schedule) bool { return x.ID == schedule })
	if i < 0 {
		return false
	}
	s.opts.Schedules[i].User = user
	return true
}
