package pagerduty

import (
	"encoding/json"
	"net/http"
	"strings"
)

func (n Note) full() object {
	return object{
		"id": n.ID, "user": n.User.reference(), "channel": object{"summary": "The PagerDuty website or APIs"},
		"content": n.Content, "created_at": stamp(n.At), "updated_at": stamp(n.At),
	}
}

// listNotes lists the newest first, as the vendor does.
func (s *Server) listNotes(r *http.Request, _ []byte) reply {
	in := s.byID(r.PathValue("id"))
	if in == nil {
		return notFound()
	}
	notes := []object{}
	for i := range in.Notes {
		notes = append(notes, in.Notes[len(in.Notes)-1-i].full())
	}
	return reply{http.StatusOK, object{"notes": notes}}
}

// createNote adds a note each time it is asked to.
func (s *Server) createNote(r *http.Request, body []byte) reply {
	u, no, ok := s.from(r)
	if !ok {
		return no
	}
	in := s.byID(r.PathValue("id"))
	if in == nil {
		return notFound()
	}
	var req struct {
		Note *struct {
			Content string `json:"content"`
		} `json:"note"`
	}
	if err := json.Unmarshal(body, &req); err != nil || req.Note == nil {
		return invalid("Note must be an object.")
	}
	if strings.TrimSpace(req.Note.Content) == "" {
		return invalid("Content cannot be empty.")
	}
	return reply{http.StatusOK, object{"note": s.annotate(in, u, req.Note.Content).full()}}
}
