package jira

import (
	"encoding/json"
	"net/http"
	"slices"
)

// deskPage is a page of the service desk API.
func deskPage(q request, values []any) reply {
	part, from, size := window(q, "start", "limit", values)
	return reply{http.StatusOK, map[string]any{
		"size": len(part), "start": from, "limit": size, "isLastPage": from+len(part) >= len(values), "values": part,
	}}
}

func (s *Server) desks(q request) reply {
	var out []any
	for _, d := range s.opts.Desks {
		p, _ := s.project(d.Project) // a desk without a project shows no name
		out = append(out, map[string]any{"id": d.ID, "projectId": p.ID, "projectName": p.Name, "projectKey": d.Project})
	}
	return deskPage(q, out)
}

func (s *Server) desk(id string) (Desk, bool) {
	i := slices.IndexFunc(s.opts.Desks, func(d Desk) bool { return d.ID == id })
	if i < 0 {
		return Desk{}, false
	}
	return s.opts.Desks[i], true
}

func (d Desk) requestType(id string) (RequestType, bool) {
	i := slices.IndexFunc(d.Types, func(t RequestType) bool { return t.ID == id })
	if i < 0 {
		return RequestType{}, false
	}
	return d.Types[i], true
}

func (s *Server) requestTypes(q request) reply {
	d, ok := s.desk(q.vars["desk"])
	if !ok {
		return refuseDesk(http.StatusNotFound, "The Service Desk you are trying to view does not exist.")
	}
	var out []any
	for _, t := range d.Types {
		out = append(out, map[string]any{"id": t.ID, "name": t.Name, "issueTypeId": t.IssueType, "serviceDeskId": d.ID})
	}
	return deskPage(q, out)
}

func (s *Server) form(q request) reply {
	d, _ := s.desk(q.vars["desk"]) // an unknown desk has no types
	t, ok := d.requestType(q.vars["type"])
	if !ok {
		return refuseDesk(http.StatusNotFound, "The request type does not exist.")
	}
	fields := []any{}
	for _, f := range t.Fields {
		valid := []any{}
		for _, v := range f.Allowed {
			valid = append(valid, map[string]any{"value": v, "label": v, "children": []any{}})
		}
		fields = append(fields, map[string]any{
			"fieldId": f.ID, "name": f.Name, "required": f.Required, "visible": !f.Hidden, "validValues": valid,
			"jiraSchema": map[string]any{"type": f.Type},
		})
	}
	return reply{http.StatusOK, map[string]any{"requestTypeFields": fields, "canRaiseOnBehalfOf": d.OnBehalf, "canAddRequestParticipants": d.OnBehalf}}
}

// raise opens a request. Its texts are plain, and are stored as the platform shows
// them.
func (s *Server) raise(q request) reply {
	var in struct {
		Desk     string                     `json:"serviceDeskId"`
		Type     string                     `json:"requestTypeId"`
		Fields   map[string]json.RawMessage `json:"requestFieldValues"`
		OnBehalf string                     `json:"raiseOnBehalfOf"`
	}
	if json.Unmarshal(q.body, &in) != nil {
		return refuseDesk(http.StatusBadRequest, "Your request could not be created. Please check the fields have been correctly filled in.")
	}
	d, _ := s.desk(in.Desk) // an unknown desk has no types
	t, ok := d.requestType(in.Type)
	p, found := s.project(d.Project)
	if !ok || !found {
		return refuseDesk(http.StatusBadRequest, "The request type does not exist.")
	}
	if in.OnBehalf != "" && !d.OnBehalf {
		return refuseDesk(http.StatusForbidden, "You do not have permission to raise requests on behalf of others.")
	}
	texts := Server{opts: Options{Cloud: false}} // rich fields of a request are plain text
	for id, words := range texts.judge(t.Fields, in.Fields) {
		return refuseDesk(http.StatusBadRequest, id+": "+words)
	}
	i := s.add(p, t.IssueType, in.Fields)
	i.Request = true
	i.Fields["description"] = asADF(PlainText(i.Fields["description"]))
	return reply{http.StatusCreated, map[string]any{
		"issueId": i.ID, "issueKey": i.Key, "requestTypeId": t.ID, "serviceDeskId": d.ID,
		"_links": map[string]any{"web": q.base + "/servicedesk/customer/portal/" + d.ID + "/" + i.Key},
	}}
}

// asADF is a plain text as the platform's REST v3 shows it.
func asADF(text string) json.RawMessage {
	content := []any{}
	if text != "" {
		content = append(content, map[string]any{"type": "paragraph", "content": []any{map[string]any{"type": "text", "text": text}}})
	}
	raw, err := json.Marshal(map[string]any{"type": "doc", "version": 1, "content": content})
	if err != nil {
		return nil // a text always encodes
	}
	return raw
}
