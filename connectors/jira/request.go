package jira

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// ServiceRequest is a request to raise at a service desk.
type ServiceRequest struct {
	ServiceDesk string // id, or key or name of its project
	RequestType string // id or name
	Summary     string
	Description Doc // sent as plain text
	Fields      map[string]any
	OnBehalfOf  string // account id of the customer; empty is dw's account
	Incident    string
	Target      string
}

func (r ServiceRequest) check() error {
	switch {
	case r.ServiceDesk == "" || r.RequestType == "":
		return errors.New("jira: raise request: a service desk and a request type are needed")
	case oneLine(r.Summary) == "":
		return errors.New("jira: raise request: a summary is needed")
	}
	return Tag{Incident: r.Incident, Target: r.Target}.check()
}

// form is what a request type asks for.
type form struct {
	Fields     []formField `json:"requestTypeFields"`
	OnBehalfOf bool        `json:"canRaiseOnBehalfOf"`
}

type formField struct {
	field
	Visible *bool `json:"visible"`
	Default []any `json:"defaultValues"`
	Preset  []any `json:"presetValues"`
	Schema  struct {
		Type   string `json:"type"`
		Items  string `json:"items"`
		Custom string `json:"custom"`
	} `json:"jiraSchema"`
	Valid []struct {
		Label string `json:"label"`
	} `json:"validValues"`
}

// Request raises a service request. The desk, the type and its form are read first,
// so that what is unknown or missing is named before anything is created. It is sent
// once; after a *workflows.UnclearError, look with Find before anything else.
func (c *Client) Request(ctx context.Context, r ServiceRequest) (Issue, error) {
	name := "raise request at " + r.ServiceDesk
	body, err := c.prepareRequest(ctx, name, r)
	if err != nil {
		return Issue{}, err
	}
	var out struct {
		ID    string `json:"issueId"`
		Key   string `json:"issueKey"`
		Links struct {
			Web string `json:"web"`
		} `json:"_links"`
	}
	q := call{name: name, method: http.MethodPost, path: desk("request"), changes: true}
	if err := c.send(ctx, q, body, &out); err != nil {
		return Issue{}, err
	}
	if out.Key == "" || out.ID == "" {
		return Issue{}, c.unclear(q, errors.New("the answer names no request"))
	}
	c.created(out.ID)
	if out.Links.Web == "" {
		out.Links.Web = c.browse(out.Key)
	}
	c.tagRequest(ctx, out.Key, Tag{Incident: r.Incident, Target: r.Target})
	return Issue{Key: out.Key, ID: out.ID, URL: out.Links.Web}, nil
}

// CheckRequest says what would stand against a request, as Request does, and
// raises nothing.
func (c *Client) CheckRequest(ctx context.Context, r ServiceRequest) error {
	_, err := c.prepareRequest(ctx, "check requests at "+r.ServiceDesk, r)
	return err
}

// prepareRequest reads the desk, the type and its form, and fills it.
func (c *Client) prepareRequest(ctx context.Context, name string, r ServiceRequest) (map[string]any, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	deskID, typeID, err := c.findRequestType(ctx, name, r)
	if err != nil {
		return nil, err
	}
	return c.requestBody(ctx, name, r, deskID, typeID)
}

// tagRequest sets the entity property of a request, which cannot be set when it is
// raised. The request stands and carries the mark in its text whether this works or
// not, so a failure is only told to the operator.
func (c *Client) tagRequest(ctx context.Context, key string, t Tag) {
	q := call{name: "tag " + key, key: key, method: http.MethodPut, path: c.api("issue", key, "properties", property), changes: true, repeatable: true}
	if err := c.send(ctx, q, t, nil); err != nil {
		c.opts.Log.WarnContext(ctx, "request raised without its entity property", "incident", t.Incident, "issue", key, "error", err)
	}
}

// findRequestType looks the ids of a desk and a type up.
func (c *Client) findRequestType(ctx context.Context, name string, r ServiceRequest) (deskID, typeID string, err error) {
	type entry struct {
		ID         string `json:"id"`
		Name       string `json:"name"`
		ProjectKey string `json:"projectKey"`
		Project    string `json:"projectName"`
	}
	pick := func(kind, want, path string) (string, error) {
		entries, err := listed[entry](ctx, c, name+": read each "+kind, path)
		if err != nil {
			return "", err
		}
		var names []string
		for _, e := range entries {
			for _, s := range []string{e.ID, e.Name, e.ProjectKey, e.Project} {
				if s != "" && strings.EqualFold(s, want) {
					return e.ID, nil
				}
			}
			if names = append(names, e.Name); e.ProjectKey != "" {
				names[len(names)-1] = e.ProjectKey + " (" + e.Project + ")"
			}
		}
		return "", &UnknownError{Call: System + ": " + name, Kind: kind, Name: want, Near: nearest(want, names)}
	}
	if deskID, err = pick("service desk", r.ServiceDesk, desk("servicedesk")); err != nil {
		return "", "", err
	}
	typeID, err = pick("request type", r.RequestType, desk("servicedesk", deskID, "requesttype"))
	return deskID, typeID, err
}

// listed reads every page of a listing of the service desk API.
func listed[T any](ctx context.Context, c *Client, name, path string) ([]T, error) {
	var out []T
	for range pages {
		var p struct {
			Values []T  `json:"values"`
			Last   bool `json:"isLastPage"`
		}
		q := call{name: name, method: http.MethodGet, path: path, query: url.Values{"start": {strconv.Itoa(len(out))}, "limit": {strconv.Itoa(pageSize)}}}
		if err := c.send(ctx, q, nil, &p); err != nil {
			return nil, err
		}
		if out = append(out, p.Values...); p.Last || len(p.Values) == 0 {
			return out, nil
		}
	}
	return nil, fmt.Errorf("jira: %s: more than %d entries", name, pages*pageSize)
}

// requestBody fills the form of a request type.
func (c *Client) requestBody(ctx context.Context, name string, r ServiceRequest, deskID, typeID string) (map[string]any, error) {
	var f form
	q := call{name: name + ": read its form", method: http.MethodGet, path: desk("servicedesk", deskID, "requesttype", typeID, "field")}
	if err := c.send(ctx, q, nil, &f); err != nil {
		return nil, err
	}
	if r.OnBehalfOf != "" && !f.OnBehalfOf {
		return nil, fmt.Errorf("jira: %s: the account of dw may not raise requests for others; nothing was created. Make it an agent of the service desk, or set no customer", name)
	}
	fields, err := c.requestFields(name, r, f)
	if err != nil {
		return nil, err
	}
	body := map[string]any{"serviceDeskId": deskID, "requestTypeId": typeID, "requestFieldValues": fields}
	if r.OnBehalfOf != "" {
		body["raiseOnBehalfOf"] = r.OnBehalfOf
	}
	return body, nil
}

func (c *Client) requestFields(name string, r ServiceRequest, f form) (map[string]any, error) {
	var have []field
	own := map[string]any{}
	tag := Tag{Incident: r.Incident, Target: r.Target}
	for _, ff := range f.Fields {
		have = append(have, ff.plain())
		switch ff.ID {
		case "summary":
			own["summary"] = oneLine(r.Summary)
		case "description":
			own["description"] = r.Description.cut().with(tag.line()).Plain()
		}
	}
	if own["description"] == nil {
		return nil, &FieldsError{Call: System + ": " + name, Wrong: []string{"Description is not in the form, so that the request could not say what is wrong nor be found again"}}
	}
	return c.fill(name, have, own, r.Fields)
}

// plain is a field of a form as one of the create metadata. Rich text is not for
// the service desk API.
func (f formField) plain() field {
	out := f.field
	out.Schema.Type, out.Schema.Items = f.Schema.Type, f.Schema.Items
	out.Default = len(f.Default)+len(f.Preset) > 0 || f.Visible != nil && !*f.Visible
	for _, v := range f.Valid {
		if name, err := json.Marshal(map[string]string{"value": v.Label}); err == nil { // a text always encodes
			out.Allowed = append(out.Allowed, name)
		}
	}
	return out
}
