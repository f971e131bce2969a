package jira

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// foundIssue is an issue as read and search answer it.
type foundIssue struct {
	ID     string `json:"id"`
	Key    string `json:"key"`
	Fields struct {
		Summary     string          `json:"summary"`
		Description json.RawMessage `json:"description"`
		Status      struct {
			Name     string `json:"name"`
			Category struct {
				Key string `json:"key"`
			} `json:"statusCategory"`
		} `json:"status"`
	} `json:"fields"`
	Properties map[string]json.RawMessage `json:"properties"`
}

func (c *Client) issue(i foundIssue) Issue {
	out := Issue{
		Key: i.Key, ID: i.ID, URL: c.browse(i.Key), Summary: i.Fields.Summary,
		Status: i.Fields.Status.Name, Category: i.Fields.Status.Category.Key,
	}
	if json.Unmarshal(i.Properties[property], &out.Tag) != nil {
		out.Tag = Tag{} // absent, or another's
	}
	return out
}

// Get reads an issue by the key or id that its creation answered. An issue that is
// no longer there is a *DeletedError. One that was moved answers with its new key.
func (c *Client) Get(ctx context.Context, key string) (Issue, error) {
	if err := checkKey(key); err != nil {
		return Issue{}, err
	}
	q := call{name: "read issue " + key, key: key, method: http.MethodGet, path: c.api("issue", key), query: url.Values{
		"fields": {"summary,status"}, "properties": {property},
	}}
	var out foundIssue
	if err := c.send(ctx, q, nil, &out); err != nil {
		return Issue{}, err
	}
	if out.Key == "" {
		return Issue{}, fmt.Errorf("jira: %s: the answer names no issue", q.name)
	}
	return c.issue(out), nil
}

// Account reads the name of the account that dw uses, to prove the connection.
func (c *Client) Account(ctx context.Context) (string, error) {
	var out struct {
		DisplayName string `json:"displayName"`
		Name        string `json:"name"`
	}
	q := call{name: "read own account", method: http.MethodGet, path: c.api("myself")}
	if err := c.send(ctx, q, nil, &out); err != nil {
		return "", err
	}
	if out.DisplayName == "" {
		out.DisplayName = out.Name
	}
	if out.DisplayName == "" {
		return "", fmt.Errorf("jira: %s: the answer names no account", q.name)
	}
	return out.DisplayName, nil
}
