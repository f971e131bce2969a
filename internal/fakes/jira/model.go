package jira

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Project takes issues.
type Project struct {
	ID    string
	Key   string
	Name  string
	Types []IssueType
}

// IssueType is one that a project takes. Project and issue type are always on its
// create screen, the rest is in Fields.
type IssueType struct {
	ID     string
	Name   string
	Fields []Field
}

// Field is a field of a create screen or of a request form.
type Field struct {
	ID       string
	Name     string
	Type     string // "string", "option", "array", "number", "user"
	Items    string // of an array
	Custom   string // "com.atlassian.jira.plugin.system.customfieldtypes:textarea"
	Required bool
	Default  bool
	Hidden   bool // of a request form: set by the form, not by people
	Allowed  []string
}

// Desk is a service desk on a project.
type Desk struct {
	ID       string
	Project  string // key
	Types    []RequestType
	OnBehalf bool // dw's account may raise requests for others
}

// RequestType is a form of a service desk.
type RequestType struct {
	ID        string
	Name      string
	IssueType string // id
	Fields    []Field
}

// Move is a transition of the workflow.
type Move struct {
	ID       string
	Name     string
	From     []string // statuses; empty is all
	To       string
	Category string  // "new", "indeterminate" or "done"
	Needs    []Field // of its screen
}

func defaultMoves() []Move {
	return []Move{
		{ID: "11", Name: "Start", From: []string{"To Do"}, To: "In Progress", Category: "indeterminate"},
		{ID: "21", Name: "Resolve", From: []string{"To Do", "In Progress"}, To: "Done", Category: "done"},
		{ID: "31", Name: "Reopen", From: []string{"Done"}, To: "To Do", Category: "new"},
	}
}

// Link is a remote link.
type Link struct {
	ID       int
	GlobalID string
	URL      string
	Title    string
	Summary  string
}

// Comment is a comment.
type Comment struct {
	ID   string
	Body json.RawMessage // ADF, or a JSON string on Data Center
}

// Issue is an issue or a service request as it stands.
type Issue struct {
	ID         string
	Key        string
	Project    string
	Type       string // id
	Request    bool   // raised at a service desk
	Fields     map[string]json.RawMessage
	Properties map[string]json.RawMessage
	Status     string
	Category   string
	Links      []Link
	Comments   []Comment
	Created    time.Time

	deleted bool
	unknown int // searches that do not find it yet
}

// Summary is the summary.
func (i Issue) Summary() string { return PlainText(i.Fields["summary"]) }

// Description is the text of the description.
func (i Issue) Description() string { return PlainText(i.Fields["description"]) }

func (i *Issue) copy() Issue {
	out := *i
	out.Fields, out.Properties = maps.Clone(i.Fields), maps.Clone(i.Properties)
	out.Links, out.Comments = slices.Clone(i.Links), slices.Clone(i.Comments)
	return out
}

// Issues returns a copy of all issues that are not deleted, oldest first.
func (s *Server) Issues() []Issue {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Issue
	for _, i := range s.issues {
		if !i.deleted {
			out = append(out, i.copy())
		}
	}
	return out
}

// Delete deletes an issue, as a person does. It reports false for one that is not
// there.
func (s *Server) Delete(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.byKey(key)
	if i == nil {
		return false
	}
	i.deleted = true
	return true
}

// byKey finds an issue by key, in any case, or by id. The caller holds the lock.
func (s *Server) byKey(key string) *Issue {
	for _, i := range s.issues {
		if !i.deleted && (strings.EqualFold(i.Key, key) || i.ID == key) {
			return i
		}
	}
	return nil
}

func (s *Server) project(key string) (Project, bool) {
	for _, p := range s.opts.Projects {
		if p.Key == strings.ToUpper(key) || p.ID == key {
			return p, true
		}
	}
	return Project{}, false
}

func (p Project) issueType(id string) (IssueType, bool) {
	for _, t := range p.Types {
		if t.ID == id {
			return t, true
		}
	}
	return IssueType{}, false
}

// add stores a new issue. The caller holds the lock.
func (s *Server) add(p Project, typeID string, fields map[string]json.RawMessage) *Issue {
	n := 1
	for _, i := range s.issues {
		if i.Project == p.Key {
			n++
		}
	}
	i := &Issue{
		ID: s.nextID(), Key: p.Key + "-" + strconv.Itoa(n), Project: p.Key, Type: typeID, Fields: fields,
		Properties: map[string]json.RawMessage{}, Status: "To Do", Category: "new", Created: s.opts.Now(), unknown: s.opts.SearchLag,
	}
	s.issues = append(s.issues, i)
	return i
}

func (s *Server) nextID() string {
	s.ids++
	return strconv.Itoa(s.ids)
}
