package jira

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// link adds a remote link, or changes the one with the same global id: the one call
// of Jira that is idempotent.
func (s *Server) link(q request) reply {
	return s.at(q, func(i *Issue) reply {
		var in struct {
			GlobalID string `json:"globalId"`
			Object   struct{ URL, Title, Summary string }
		}
		if json.Unmarshal(q.body, &in) != nil {
			return refuse(http.StatusBadRequest, "Invalid request payload. Refer to the REST API documentation and try again.")
		}
		bad := map[string]string{}
		if in.Object.URL == "" {
			bad["url"] = "'url' is required."
		}
		if in.Object.Title == "" {
			bad["title"] = "'title' is required."
		}
		if len(in.GlobalID) > 255 {
			bad["globalId"] = "'globalId' can't exceed 255 characters."
		}
		if len(bad) > 0 {
			return refuseFields(bad)
		}
		l, status := s.upsert(i, Link{GlobalID: in.GlobalID, URL: in.Object.URL, Title: in.Object.Title, Summary: in.Object.Summary})
		return reply{status, map[string]any{"id": l.ID, "self": l.self(q.base, i)}}
	})
}

func (s *Server) upsert(i *Issue, l Link) (Link, int) {
	for n, have := range i.Links {
		if l.GlobalID != "" && have.GlobalID == l.GlobalID {
			l.ID = have.ID
			i.Links[n] = l
			return l, http.StatusOK
		}
	}
	s.ids++
	l.ID = s.ids
	i.Links = append(i.Links, l)
	return l, http.StatusCreated
}

func (l Link) self(base string, i *Issue) string {
	return base + "/rest/api/3/issue/" + i.ID + "/remotelink/" + strconv.Itoa(l.ID)
}

func (l Link) view(base string, i *Issue) map[string]any {
	return map[string]any{
		"id": l.ID, "self": l.self(base, i), "globalId": l.GlobalID,
		"object": map[string]any{"url": l.URL, "title": l.Title, "summary": l.Summary},
	}
}

// readLink answers one link where a global id is asked for, else all of them.
func (s *Server) readLink(q request) reply {
	return s.at(q, func(i *Issue) reply {
		want := q.query("globalId")
		all := []any{}
		for _, l := range i.Links {
			if want != "" && l.GlobalID == want {
				return reply{http.StatusOK, l.view(q.base, i)}
			}
			all = append(all, l.view(q.base, i))
		}
		if want != "" {
			return refuse(http.StatusNotFound, "A remote link with the given global id '"+want+"' does not exist.")
		}
		return reply{http.StatusOK, all}
	})
}
