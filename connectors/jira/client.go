// Package jira opens issues and service requests, finds them again, links,
// comments and moves them, on Jira Cloud (REST v3, documents in ADF) and on Data
// Center (REST v2, wiki text). Requests are built and decoded by go-jira and
// travel under the connectors' one HTTP policy. Jira has no idempotency key: no
// issue, request or comment is ever sent twice; each carries a tag to be found by.
package jira

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	gojira "github.com/andygrunwald/go-jira"

	"dw/connectors/internal/rest"
)

// System is the name of the system in errors, logs and receipts.
const System = "jira"

// DefaultFindDays is how far back Find looks where Options say nothing.
const DefaultFindDays = 30

// Options configure a client.
type Options struct {
	BaseURL   string // https://site.atlassian.net, https://api.atlassian.com/ex/jira/CLOUDID, or a Data Center server's
	SiteURL   string // of the pages that people open; empty is BaseURL
	Cloud     bool   // REST v3 and ADF; false is Data Center: REST v2 and wiki text
	Email     string // of the API token's account; empty sends Token as a bearer
	Token     string // API token, OAuth token, or personal access token
	Timeout   time.Duration
	Retries   int // of calls that may be repeated; negative: none
	FindDays  int // zero is DefaultFindDays
	Log       *slog.Logger
	Transport http.RoundTripper // nil is http.DefaultTransport
	Now       func() time.Time  // for the time at which a call may be tried again
}

// Client speaks to one Jira. It is safe for concurrent use.
type Client struct {
	opts   Options
	jira   *gojira.Client
	redact func(string) string // takes the token out of foreign text

	mu     sync.Mutex
	recent []int64 // ids of the issues created last, which the index may not know yet
}

// New builds a client without asking the server. A missing token or clock, an
// odd URL and negative days are errors.
func New(o Options) (*Client, error) {
	if o.Now == nil {
		return nil, errors.New("jira: Now is needed")
	}
	if o.Token == "" {
		return nil, errors.New("jira: a token is needed: an API token with its e-mail on Cloud, a personal access token on Data Center")
	}
	if o.FindDays < 0 {
		return nil, errors.New("jira: the days that Find looks back must not be negative")
	}
	policy, err := newPolicy(o)
	if err != nil {
		return nil, err
	}
	client, err := gojira.NewClient(policy, o.BaseURL)
	if err != nil {
		return nil, errors.New("jira: its URL cannot be read") // err would repeat it
	}
	if o.SiteURL == "" {
		o.SiteURL = o.BaseURL
	}
	if o.FindDays == 0 {
		o.FindDays = DefaultFindDays
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{jira: client, redact: strings.NewReplacer(o.Token, "[redacted]", authorization(o), "[redacted]").Replace}
	o.Token = ""
	c.opts = o
	return c, nil
}

// newPolicy puts the connectors' HTTP policy under go-jira.
func newPolicy(o Options) (*policy, error) {
	c, err := rest.New(rest.Options{
		System: System, BaseURL: o.BaseURL, Secrets: []rest.Secret{{Header: "Authorization", Value: authorization(o)}},
		Timeout: o.Timeout, Retries: o.Retries, Log: o.Log, Transport: o.Transport,
	})
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, errors.New("jira: its URL cannot be read")
	}
	return &policy{rest: c, prefix: strings.TrimSuffix(base.EscapedPath(), "/")}, nil
}

// authorization is basic where an e-mail is given, else a bearer.
func authorization(o Options) string {
	if o.Email == "" {
		return "Bearer " + o.Token
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(o.Email+":"+o.Token))
}

// api is the path below the REST version that the server speaks. Elements are
// escaped here.
func (c *Client) api(elements ...string) string {
	version := "2"
	if c.opts.Cloud {
		version = "3"
	}
	return "rest/api/" + version + joined(elements)
}

// desk is a path of the service desk API.
func desk(elements ...string) string { return "rest/servicedeskapi" + joined(elements) }

func joined(elements []string) string {
	var b strings.Builder
	for _, e := range elements {
		b.WriteString("/" + url.PathEscape(e))
	}
	return b.String()
}

// browse is the page of an issue.
func (c *Client) browse(key string) string {
	return strings.TrimSuffix(c.opts.SiteURL, "/") + "/browse/" + url.PathEscape(key)
}

// maxRecent is what one search takes as reconcileIssues.
const maxRecent = 50

// created remembers an issue for Find.
func (c *Client) created(id string) {
	var n int64
	if _, err := fmt.Sscan(id, &n); err != nil {
		return // an id that is no number cannot be reconciled
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recent = append(c.recent, n)
	c.recent = c.recent[max(0, len(c.recent)-maxRecent):]
}
