package jira

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"dw/connectors/internal/rest"
)

// guessedWait is how long to wait after a 429 that does not say.
const guessedWait = time.Minute

// refused reads a refusal and adds what to do.
func (c *Client) refused(q call, r *rest.RefusedError) error {
	said, fields := refusal(c.redact(r.Text))
	if r.Status == http.StatusNotFound && q.key != "" {
		return &DeletedError{Call: System + ": " + q.name, Key: q.key, Said: said}
	}
	e := &RefusedError{Call: System + ": " + q.name, Status: r.Status, Said: said, Fields: fields}
	e.Do = c.advice(r.Status)
	if r.Status == http.StatusTooManyRequests {
		e.RetryAt, e.Do = c.retryAt(r.RetryAfter)
	}
	return e
}

// advice is what a person can do about a status.
func (c *Client) advice(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "The token of dw's Jira account is wrong or has expired (Atlassian API tokens live a year at most): ask the admin of dw to make a new one and put it in the configuration"
	case http.StatusForbidden:
		return "The account of dw lacks the right: ask the Jira admin for Browse Projects, Create Issues, Add Comments, Link Issues and Transition Issues in the project"
	case http.StatusGone:
		if c.opts.Cloud {
			return "Jira removed this route: update dw"
		}
		return "Jira Cloud removed this route, and dw is set up for Data Center: set jira.cloud to true, with the account's e-mail and API token"
	case http.StatusRequestEntityTooLarge:
		return "The text is too long for Jira: shorten it"
	}
	if status >= 300 && status < 400 {
		return "Jira points elsewhere: correct its base URL in the configuration"
	}
	return ""
}

// retryAt reads Retry-After, in seconds or as a date.
func (c *Client) retryAt(header string) (time.Time, string) {
	now := c.opts.Now()
	if seconds, err := strconv.ParseUint(strings.TrimSpace(header), 10, 31); err == nil {
		at := now.Add(time.Duration(seconds) * time.Second)
		return at, "Too many calls: Jira asks to wait until " + at.UTC().Format("15:04:05 UTC")
	}
	if at, err := http.ParseTime(header); err == nil {
		return at, "Too many calls: Jira asks to wait until " + at.UTC().Format("2 Jan 15:04:05 UTC")
	}
	at := now.Add(guessedWait)
	return at, "Too many calls, and Jira does not say for how long: try again after " + at.UTC().Format("15:04:05 UTC")
}

// refusal reads the error forms of the platform ({errorMessages, errors}) and of
// the service desk ({errorMessage}). Text that is neither is returned as it is.
func refusal(text string) (string, map[string]string) {
	var form struct {
		ErrorMessages []string       `json:"errorMessages"`
		Errors        map[string]any `json:"errors"`
		ErrorMessage  string         `json:"errorMessage"`
	}
	if json.Unmarshal([]byte(text), &form) != nil {
		return text, nil
	}
	said := form.ErrorMessages
	if form.ErrorMessage != "" {
		said = append(said, form.ErrorMessage)
	}
	var fields map[string]string
	for name, words := range form.Errors {
		if fields == nil {
			fields = map[string]string{}
		}
		fields[name] = fmt.Sprint(words)
	}
	if len(said) == 0 && len(fields) == 0 {
		return text, nil
	}
	return strings.Join(said, "; "), fields
}
