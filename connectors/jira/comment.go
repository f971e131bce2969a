package jira

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	gojira "github.com/andygrunwald/go-jira"
)

// Comment adds a comment and returns its id. The mark, which may be empty, is put at
// its end to find it by. It is sent once; after a *workflows.UnclearError, look with
// FindComment before anything else.
func (c *Client) Comment(ctx context.Context, key string, d Doc, mark string) (string, error) {
	if err := checkKey(key); err != nil {
		return "", err
	}
	if len(d.blocks) == 0 {
		return "", errors.New("jira: comment on " + key + ": it has no text")
	}
	if d = d.cut(); mark != "" {
		d = d.with(Paragraph(Text(mark)))
	}
	q := call{name: "comment on " + key, key: key, method: http.MethodPost, path: c.api("issue", key, "comment"), changes: true}
	id, err := c.comment(ctx, q, d)
	if err == nil && id == "" {
		return "", c.unclear(q, errors.New("the answer names no comment"))
	}
	return id, err
}

// comment sends by go-jira's own call where its text form is the right one.
func (c *Client) comment(ctx context.Context, q call, d Doc) (string, error) {
	if c.opts.Cloud {
		var out struct{ ID string }
		err := c.send(ctx, q, map[string]any{"body": d}, &out)
		return out.ID, err
	}
	var id string
	err := c.through(ctx, q, func(ctx context.Context) error {
		out, _, err := c.jira.Issue.AddCommentWithContext(ctx, q.key, &gojira.Comment{Body: d.Wiki()}) //nolint:bodyclose // bytes in memory
		if err == nil {
			id = out.ID
		}
		return err
	})
	return id, err
}

// FindComment looks for the comment of an issue that carries the mark, among the
// newest thousand; false where there is none.
func (c *Client) FindComment(ctx context.Context, key, mark string) (string, bool, error) {
	if err := checkKey(key); err != nil {
		return "", false, err
	}
	if mark == "" {
		return "", false, errors.New("jira: find comment on " + key + ": a mark is needed")
	}
	for read := 0; read < pages*pageSize; {
		var out struct {
			Comments []struct {
				ID   string          `json:"id"`
				Body json.RawMessage `json:"body"`
			} `json:"comments"`
			Total int `json:"total"`
		}
		err := c.send(ctx, call{name: "find comment on " + key, key: key, method: http.MethodGet, path: c.api("issue", key, "comment"), query: url.Values{
			"orderBy": {"-created"}, "startAt": {strconv.Itoa(read)}, "maxResults": {strconv.Itoa(pageSize)},
		}}, nil, &out)
		if err != nil {
			return "", false, err
		}
		for _, comment := range out.Comments {
			if strings.Contains(flat(comment.Body), mark) {
				return comment.ID, true, nil
			}
		}
		if read += len(out.Comments); len(out.Comments) == 0 || read >= out.Total {
			break
		}
	}
	return "", false, nil
}
