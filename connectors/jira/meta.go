package jira

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// pages bounds every listing: 10 pages of 100.
const (
	pages    = 10
	pageSize = 100
)

// issueType is one of those that a project takes.
type issueType struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// field is what the create metadata say about a field.
type field struct {
	ID      string `json:"fieldId"`
	Name    string `json:"name"`
	Needed  bool   `json:"required"`
	Default bool   `json:"hasDefaultValue"`
	Schema  struct {
		Type   string `json:"type"`
		Items  string `json:"items"`
		Custom string `json:"custom"`
	} `json:"schema"`
	Allowed []json.RawMessage `json:"allowedValues"`
}

// choices are the names of the allowed values.
func (f field) choices() []string {
	var out []string
	for _, raw := range f.Allowed {
		var v struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		}
		if json.Unmarshal(raw, &v) != nil {
			continue // a form that dw does not know is not judged
		}
		if v.Value == "" {
			v.Value = v.Name
		}
		if v.Value != "" {
			out = append(out, v.Value)
		}
	}
	return out
}

// String names a field for a person: "Severity (customfield_10042; one of: High,
// Low)".
func (f field) String() string {
	text := f.Name + " (" + f.ID
	if c := f.choices(); len(c) > 0 {
		text += "; one of: " + strings.Join(c[:min(len(c), 10)], ", ")
	}
	return text + ")"
}

// page is a page of create metadata: Cloud names its list, Data Center says
// values.
type page[T any] struct {
	IssueTypes []T  `json:"issueTypes"`
	Fields     []T  `json:"fields"`
	Values     []T  `json:"values"`
	Total      *int `json:"total"`
	Last       bool `json:"isLast"`
}

// all reads every page of a listing.
func all[T any](ctx context.Context, c *Client, q call) ([]T, error) {
	var out []T
	for range pages {
		q.query = url.Values{"startAt": {strconv.Itoa(len(out))}, "maxResults": {strconv.Itoa(pageSize)}}
		var p page[T]
		if err := c.send(ctx, q, nil, &p); err != nil {
			return nil, err
		}
		got := slices.Concat(p.IssueTypes, p.Fields, p.Values)
		out = append(out, got...)
		if len(got) == 0 || p.Last || p.Total != nil && len(out) >= *p.Total || p.Total == nil && len(got) < pageSize {
			return out, nil
		}
	}
	return nil, fmt.Errorf("jira: %s: more than %d entries", q.name, pages*pageSize)
}

// findIssueType looks an issue type up by name or id. An unknown project is
// answered with the near ones.
func (c *Client) findIssueType(ctx context.Context, name, project, want string) (issueType, error) {
	types, err := all[issueType](ctx, c, call{
		name: name + ": read its issue types", method: http.MethodGet, path: c.api("issue", "createmeta", project, "issuetypes"),
	})
	if refused, ok := errors.AsType[*RefusedError](err); ok && (refused.Status == http.StatusNotFound || refused.Status == http.StatusBadRequest) {
		return issueType{}, c.unknownProject(ctx, name, project)
	}
	if err != nil {
		return issueType{}, err
	}
	var names []string
	for _, t := range types {
		if t.ID == want || strings.EqualFold(t.Name, want) {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return issueType{}, &UnknownError{Call: System + ": " + name, Kind: "issue type", Name: want, Near: nearest(want, names)}
}

// unknownProject is the error of a project that is not there, or the reason why
// the projects cannot be read either.
func (c *Client) unknownProject(ctx context.Context, name, project string) error {
	type named struct {
		Key  string `json:"key"`
		Name string `json:"name"`
	}
	q := call{name: name + ": read the projects", method: http.MethodGet, path: c.api("project", "search")}
	var projects []named
	var err error
	if c.opts.Cloud {
		projects, err = all[named](ctx, c, q)
	} else {
		q.path = c.api("project") // all of them at once
		err = c.send(ctx, q, nil, &projects)
	}
	if err != nil {
		return fmt.Errorf("jira: there is no project %q that dw can use, and the others cannot be read: %w", project, err)
	}
	var names []string
	for _, p := range projects {
		names = append(names, p.Key+" ("+p.Name+")")
	}
	return &UnknownError{Call: System + ": " + name, Kind: "project", Name: project, Near: nearest(project, names)}
}

// fieldsOf reads what an issue type asks for.
func (c *Client) fieldsOf(ctx context.Context, name, project string, t issueType) ([]field, error) {
	return all[field](ctx, c, call{
		name: name + ": read its fields", method: http.MethodGet, path: c.api("issue", "createmeta", project, "issuetypes", t.ID),
	})
}
