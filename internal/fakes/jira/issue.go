package jira

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// at runs a handler on the issue of the path.
func (s *Server) at(q request, f func(*Issue) reply) reply {
	i := s.byKey(q.vars["key"])
	if i == nil {
		return refuse(http.StatusNotFound, "Issue does not exist or you do not have permission to see it.")
	}
	return f(i)
}

func (s *Server) get(q request) reply {
	return s.at(q, func(i *Issue) reply {
		return reply{http.StatusOK, i.view(q.base, strings.Split(q.query("fields"), ","), strings.Split(q.query("properties"), ","))}
	})
}

// edit changes fields that are on the screen of the issue's type.
func (s *Server) edit(q request) reply {
	return s.at(q, func(i *Issue) reply {
		var in struct {
			Fields map[string]json.RawMessage `json:"fields"`
		}
		if json.Unmarshal(q.body, &in) != nil || len(in.Fields) == 0 {
			return refuse(http.StatusBadRequest, "one of 'fields' or 'update' required")
		}
		p, _ := s.project(i.Project) // an issue is always in one
		t, _ := p.issueType(i.Type)
		screen := make([]Field, 0, len(t.Fields))
		for _, f := range t.Fields {
			_, given := in.Fields[f.ID]
			f.Required = f.Required && given // what is left out stays
			screen = append(screen, f)
		}
		if bad := s.judge(screen, in.Fields); len(bad) > 0 {
			return refuseFields(bad)
		}
		maps.Copy(i.Fields, in.Fields)
		return reply{status: http.StatusNoContent}
	})
}

// view is an issue with the fields and properties that were asked for.
func (i *Issue) view(base string, fields, properties []string) map[string]any {
	shown := map[string]any{}
	all := slices.Contains(fields, "*all") || slices.Equal(fields, []string{""})
	for id, value := range i.Fields {
		if all || slices.Contains(fields, id) {
			shown[id] = value
		}
	}
	if all || slices.Contains(fields, "status") {
		shown["status"] = map[string]any{"name": i.Status, "id": "3", "statusCategory": category(i.Category)}
	}
	out := map[string]any{"id": i.ID, "key": i.Key, "self": base + "/rest/api/3/issue/" + i.ID, "fields": shown}
	have := map[string]any{}
	for _, key := range properties {
		if value, ok := i.Properties[key]; ok {
			have[key] = value
		}
	}
	if len(have) > 0 {
		out["properties"] = have
	}
	return out
}

// category is a status category with the name that people see.
func category(key string) map[string]any {
	names := map[string]string{"new": "To Do", "indeterminate": "In Progress", "done": "Done"}
	ids := map[string]int{"new": 2, "indeterminate": 4, "done": 3}
	return map[string]any{"id": ids[key], "key": key, "name": names[key]}
}

func (s *Server) setProperty(q request) reply {
	return s.at(q, func(i *Issue) reply {
		if !json.Valid(q.body) || len(q.body) > 32768 {
			return refuse(http.StatusBadRequest, "The property value must be valid JSON of at most 32768 bytes.")
		}
		status := http.StatusOK
		if _, had := i.Properties[q.vars["property"]]; !had {
			status = http.StatusCreated
		}
		i.Properties[q.vars["property"]] = q.body
		return reply{status, map[string]any{}}
	})
}

func (s *Server) addComment(q request) reply {
	return s.at(q, func(i *Issue) reply {
		var in struct {
			Body json.RawMessage `json:"body"`
		}
		if json.Unmarshal(q.body, &in) != nil || len(in.Body) == 0 {
			return refuseFields(map[string]string{"comment": "Comment body can not be empty!"})
		}
		if words := s.rich(in.Body); words != "" {
			return refuseFields(map[string]string{"comment": words})
		}
		c := Comment{ID: s.nextID(), Body: in.Body}
		i.Comments = append(i.Comments, c)
		return reply{http.StatusCreated, c.view(q.base, i.ID)}
	})
}

func (c Comment) view(base, issue string) map[string]any {
	return map[string]any{"self": base + "/rest/api/3/issue/" + issue + "/comment/" + c.ID, "id": c.ID, "body": c.Body}
}

// comments lists the comments, the newest first as dw asks.
func (s *Server) comments(q request) reply {
	return s.at(q, func(i *Issue) reply {
		var values []any
		for _, c := range i.Comments {
			values = append(values, c.view(q.base, i.ID))
		}
		if q.query("orderBy") == "-created" {
			slices.Reverse(values)
		}
		part, from, size := window(q, "startAt", "maxResults", values)
		return reply{http.StatusOK, map[string]any{"startAt": from, "maxResults": size, "total": len(values), "comments": part}}
	})
}

func (s *Server) moves(q request) reply {
	return s.at(q, func(i *Issue) reply {
		out := []any{}
		for _, m := range s.opts.Moves {
			if m.from(i.Status) {
				out = append(out, m.view(q.query("expand") == "transitions.fields"))
			}
		}
		return reply{http.StatusOK, map[string]any{"expand": "transitions", "transitions": out}}
	})
}

func (m Move) from(status string) bool {
	return len(m.From) == 0 || slices.Contains(m.From, status)
}

func (m Move) view(fields bool) map[string]any {
	out := map[string]any{
		"id": m.ID, "name": m.Name, "hasScreen": len(m.Needs) > 0, "isAvailable": true,
		"to": map[string]any{"id": "3", "name": m.To, "statusCategory": category(m.Category)},
	}
	if fields {
		needs := map[string]any{}
		for _, f := range m.Needs {
			meta := f.meta()
			delete(meta, "fieldId") // is the key here
			needs[f.ID] = meta
		}
		out["fields"] = needs
	}
	return out
}

func (s *Server) move(q request) reply {
	return s.at(q, func(i *Issue) reply {
		var in struct {
			Transition struct{ ID string }
			Fields     map[string]json.RawMessage
		}
		if json.Unmarshal(q.body, &in) != nil || in.Transition.ID == "" {
			return refuse(http.StatusBadRequest, "Missing 'transition' identifier")
		}
		for _, m := range s.opts.Moves {
			if m.ID != in.Transition.ID || !m.from(i.Status) {
				continue
			}
			if bad := s.judge(m.Needs, in.Fields); len(bad) > 0 {
				return refuseFields(bad)
			}
			i.Status, i.Category = m.To, m.Category
			return reply{status: http.StatusNoContent}
		}
		return refuse(http.StatusBadRequest, "It seems that you have tried to perform an operation which you are not permitted to perform.")
	})
}
