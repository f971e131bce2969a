package jira

import (
	"net/http"
	"strconv"
)

func (s *Server) myself(q request) reply {
	return reply{http.StatusOK, map[string]any{
		"self": q.base + "/rest/api/3/user?accountId=5b10", "accountId": "5b10", "accountType": "app", "active": true, "displayName": "dw",
	}}
}

// window cuts a listing by startAt and maxResults.
func window(q request, start, limit string, values []any) (part []any, from, size int) {
	from, _ = strconv.Atoi(q.query(start)) // nothing and odd text are 0, as on the real one
	size, err := strconv.Atoi(q.query(limit))
	if err != nil || size <= 0 {
		size = 50
	}
	from = min(max(from, 0), len(values))
	part = values[from:min(from+size, len(values))]
	return append([]any{}, part...), from, size
}

// listing is a page of the platform: Cloud names its list, Data Center says values.
func (s *Server) listing(q request, name string, values []any) reply {
	part, from, size := window(q, "startAt", "maxResults", values)
	body := map[string]any{"startAt": from, "maxResults": size, "total": len(values), name: part}
	if !s.opts.Cloud {
		delete(body, name)
		body["values"], body["isLast"] = part, from+len(part) >= len(values)
	}
	return reply{http.StatusOK, body}
}

func noProject(key string) reply {
	return refuse(http.StatusNotFound, "No project could be found with key '"+key+"'.")
}

func (s *Server) issueTypes(q request) reply {
	p, ok := s.project(q.vars["project"])
	if !ok {
		return noProject(q.vars["project"])
	}
	var types []any
	for _, t := range p.Types {
		types = append(types, map[string]any{
			"self": q.base + "/rest/api/3/issuetype/" + t.ID, "id": t.ID, "name": t.Name, "subtask": false, "hierarchyLevel": 0,
		})
	}
	return s.listing(q, "issueTypes", types)
}

func (s *Server) fields(q request) reply {
	p, ok := s.project(q.vars["project"])
	if !ok {
		return noProject(q.vars["project"])
	}
	t, ok := p.issueType(q.vars["type"])
	if !ok {
		return refuse(http.StatusNotFound, "Issue type '"+q.vars["type"]+"' could not be found.")
	}
	fields := []any{
		Field{ID: "project", Name: "Project", Type: "project", Required: true}.meta(),
		Field{ID: "issuetype", Name: "Issue Type", Type: "issuetype", Required: true}.meta(),
	}
	for _, f := range t.Fields {
		fields = append(fields, f.meta())
	}
	return s.listing(q, "fields", fields)
}

// meta is a field in the create metadata.
func (f Field) meta() map[string]any {
	schema := map[string]any{"type": f.Type}
	if f.Items != "" {
		schema["items"] = f.Items
	}
	if f.Custom != "" {
		schema["custom"], schema["customId"] = f.Custom, 10042
	} else {
		schema["system"] = f.ID
	}
	out := map[string]any{
		"fieldId": f.ID, "key": f.ID, "name": f.Name, "required": f.Required, "hasDefaultValue": f.Default,
		"operations": []string{"set"}, "schema": schema,
	}
	if len(f.Allowed) > 0 {
		var values []any
		for n, v := range f.Allowed {
			values = append(values, map[string]any{"id": strconv.Itoa(n + 1), "value": v})
		}
		out["allowedValues"] = values
	}
	return out
}

func (s *Server) everyProject(q request) []any {
	var out []any
	for _, p := range s.opts.Projects {
		out = append(out, map[string]any{"self": q.base + "/rest/api/3/project/" + p.ID, "id": p.ID, "key": p.Key, "name": p.Name})
	}
	return out
}

func (s *Server) projects(q request) reply {
	values := s.everyProject(q)
	part, from, size := window(q, "startAt", "maxResults", values)
	return reply{http.StatusOK, map[string]any{
		"self": q.base + "/rest/api/3/project/search", "startAt": from, "maxResults": size, "total": len(values),
		"isLast": from+len(part) >= len(values), "values": part,
	}}
}

func (s *Server) allProjects(q request) reply { return reply{http.StatusOK, s.everyProject(q)} }
