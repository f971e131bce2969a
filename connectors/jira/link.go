package jira

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	gojira "github.com/andygrunwald/go-jira"

	"dw/workflows"
)

// RemoteLink is a link from an issue to a page, for example of a receipt.
type RemoteLink struct {
	GlobalID string // one issue has one link of an id
	URL      string
	Title    string
	Summary  string
}

func (l RemoteLink) check() error {
	u, err := url.Parse(l.URL)
	switch {
	case l.GlobalID == "" || len(l.GlobalID) > 255:
		return errors.New("jira: link: a global id of at most 255 characters is needed")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("jira: link: its URL must be http://host or https://host")
	case oneLine(l.Title) == "":
		return errors.New("jira: link: a title is needed")
	}
	return nil
}

func (l RemoteLink) body() *gojira.RemoteLink {
	return &gojira.RemoteLink{GlobalID: l.GlobalID, Object: &gojira.RemoteLinkObject{
		URL: l.URL, Title: oneLine(l.Title), Summary: oneLine(l.Summary),
	}}
}

// Link adds a link to an issue, or changes the one with the same global id. It may
// be repeated. Where no answer came it reads the link back; it is a
// *workflows.UnclearError only where that cannot tell either.
func (c *Client) Link(ctx context.Context, key string, l RemoteLink) error {
	if err := errors.Join(checkKey(key), l.check()); err != nil {
		return err
	}
	err := c.link(ctx, key, l)
	if _, doubt := errors.AsType[*workflows.UnclearError](err); !doubt {
		return err
	}
	have, ok, readErr := c.ReadLink(ctx, key, l.GlobalID)
	want := l.body().Object
	if readErr != nil || !ok || have.URL != want.URL || have.Title != want.Title || have.Summary != want.Summary {
		return err
	}
	return nil
}

// link sends by go-jira's own call where its fixed route, REST v2, is the right
// one.
func (c *Client) link(ctx context.Context, key string, l RemoteLink) error {
	q := call{name: "link " + key + " to " + l.GlobalID, key: key, method: http.MethodPost, path: c.api("issue", key, "remotelink"), changes: true, repeatable: true}
	if c.opts.Cloud {
		var out struct{ ID int64 }
		return c.send(ctx, q, l.body(), &out)
	}
	return c.through(ctx, q, func(ctx context.Context) error {
		_, _, err := c.jira.Issue.AddRemoteLinkWithContext(ctx, key, l.body()) //nolint:bodyclose // bytes in memory
		return err
	})
}

// ReadLink reads a link of an issue by its global id; false where there is none.
func (c *Client) ReadLink(ctx context.Context, key, globalID string) (RemoteLink, bool, error) {
	if err := checkKey(key); err != nil {
		return RemoteLink{}, false, err
	}
	q := call{name: "read link " + globalID + " of " + key, method: http.MethodGet, path: c.api("issue", key, "remotelink"), query: url.Values{"globalId": {globalID}}}
	var out gojira.RemoteLink
	err := c.send(ctx, q, nil, &out)
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Status == http.StatusNotFound {
		return RemoteLink{}, false, nil
	}
	if err != nil {
		return RemoteLink{}, false, err
	}
	if out.GlobalID != globalID || out.Object == nil {
		return RemoteLink{}, false, fmt.Errorf("jira: %s: the answer is another link", q.name)
	}
	return RemoteLink{GlobalID: out.GlobalID, URL: out.Object.URL, Title: out.Object.Title, Summary: out.Object.Summary}, true, nil
}
