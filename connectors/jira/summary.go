package jira

import (
	"context"
	"errors"
	"net/http"
)

// SetSummary changes the title of an issue or a request, on one line and cut to
// 255 characters. It may be repeated. It leaves everything else as it is.
func (c *Client) SetSummary(ctx context.Context, key, summary string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	summary = oneLine(summary)
	if summary == "" {
		return errors.New("jira: set the title of " + key + ": a summary is needed")
	}
	q := call{name: "set the title of " + key, key: key, method: http.MethodPut, path: c.api("issue", key), changes: true, repeatable: true}
	return c.send(ctx, q, map[string]any{"fields": map[string]any{"summary": summary}}, nil)
}
