package jira

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// create opens an issue, or says what is wrong with each field as the real one does.
func (s *Server) create(q request) reply {
	var in struct {
		Fields     map[string]json.RawMessage `json:"fields"`
		Properties []struct {
			Key   string          `json:"key"`
			Value json.RawMessage `json:"value"`
		} `json:"properties"`
	}
	if json.Unmarshal(q.body, &in) != nil || in.Fields == nil {
		return refuse(http.StatusBadRequest, "Invalid request payload. Refer to the REST API documentation and try again.")
	}
	p, t, bad := s.place(in.Fields)
	if len(bad) > 0 {
		return refuseFields(bad)
	}
	if bad = s.judge(t.Fields, in.Fields, "project", "issuetype"); len(bad) > 0 {
		return refuseFields(bad)
	}
	i := s.add(p, t.ID, in.Fields)
	for _, property := range in.Properties {
		i.Properties[property.Key] = property.Value
	}
	return reply{http.StatusCreated, map[string]any{"id": i.ID, "key": i.Key, "self": q.base + "/rest/api/3/issue/" + i.ID}}
}

// place finds the project and the type that a new issue names.
func (s *Server) place(fields map[string]json.RawMessage) (Project, IssueType, map[string]string) {
	var name struct{ ID, Key, Name string }
	read := func(field string) bool {
		name = struct{ ID, Key, Name string }{}
		return json.Unmarshal(fields[field], &name) == nil
	}
	p, ok := Project{}, read("project")
	if ok {
		p, ok = s.project(name.ID + name.Key)
	}
	if !ok {
		return p, IssueType{}, map[string]string{"project": "valid project is required"}
	}
	if read("issuetype") {
		for _, t := range p.Types {
			if t.ID == name.ID || name.ID == "" && t.Name == name.Name {
				return p, t, nil
			}
		}
	}
	return p, IssueType{}, map[string]string{"issuetype": "Specify a valid issue type"}
}

// judge says what is wrong with each field of a screen.
func (s *Server) judge(screen []Field, fields map[string]json.RawMessage, always ...string) map[string]string {
	bad := map[string]string{}
	for id, value := range fields {
		at := slices.IndexFunc(screen, func(f Field) bool { return f.ID == id })
		switch {
		case slices.Contains(always, id):
		case at < 0:
			bad[id] = "Field '" + id + "' cannot be set. It is not on the appropriate screen, or unknown."
		default:
			if words := s.judgeValue(screen[at], value); words != "" {
				bad[id] = words
			}
		}
	}
	for _, f := range screen {
		if _, set := fields[f.ID]; f.Required && !f.Default && !f.Hidden && !set {
			bad[f.ID] = f.Name + " is required."
		}
	}
	return bad
}

func (s *Server) judgeValue(f Field, value json.RawMessage) string {
	switch {
	case f.ID == "summary":
		return judgeSummary(value)
	case f.ID == "description" || strings.HasSuffix(f.Custom, ":textarea"):
		return s.rich(value)
	}
	var text string
	var number float64
	var option struct{ Value, Name, AccountID string }
	var list []json.RawMessage
	switch f.Type {
	case "option", "priority", "user":
		if json.Unmarshal(value, &option) != nil {
			return "Specify a valid 'id' or 'name' for " + f.Name
		}
		if chosen := option.Value + option.Name; len(f.Allowed) > 0 && !slices.Contains(f.Allowed, chosen) {
			return "Option value '" + chosen + "' is not valid"
		}
	case "number":
		if json.Unmarshal(value, &number) != nil {
			return "Operation value must be a number"
		}
	case "array":
		if json.Unmarshal(value, &list) != nil {
			return "data was not an array"
		}
	default:
		if json.Unmarshal(value, &text) != nil {
			return "Operation value must be a string"
		}
	}
	return ""
}

func judgeSummary(value json.RawMessage) string {
	var text string
	switch {
	case json.Unmarshal(value, &text) != nil:
		return "Operation value must be a string"
	case strings.TrimSpace(text) == "":
		return "You must specify a summary of the issue."
	case strings.ContainsAny(text, "\r\n"):
		return "The summary is invalid because it contains newline characters."
	case len([]rune(text)) > 255:
		return "Summary can't exceed 255 characters."
	}
	return ""
}
