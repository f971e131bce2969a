// Package dagster speaks the GraphQL API of Dagster: it launches jobs, finds
// them again by their tag, reads their state, and reads, pauses and resumes
// schedules. Dagster has no idempotency key, so no launch is ever sent twice.
package dagster

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"dw/connectors/internal/rest"
	"dw/workflows"
)

//go:embed queries/*.graphql
var queries embed.FS

// System is the name of the system in actions.
const System = "dagster"

// TagKey is the key of the tag that dw puts on each run.
const TagKey = "dw/step"

// Options configure a client.
type Options struct {
	URL        string // of the server, "/graphql" is added: http://host:3000 or https://org.dagster.cloud/prod
	Token      string // sent as Dagster-Cloud-Api-Token; empty for a server without one
	Location   string // of jobs whose action names none
	Repository string // of jobs whose action names none; empty is __repository__
	Timeout    time.Duration
	Retries    int // of reads only; negative: none
	Log        *slog.Logger
	Transport  http.RoundTripper
	Now        func() time.Time
}

// Client meets workflows.Actuator and workflows.Observer.
type Client struct {
	opts Options
	rest *rest.Client
}

var (
	_ workflows.Actuator = (*Client)(nil)
	_ workflows.Observer = (*Client)(nil)
)

// New builds a client without asking the server.
func New(o Options) (*Client, error) {
	if o.Now == nil {
		return nil, errors.New("dagster: Now is needed")
	}
	if o.Repository == "" {
		o.Repository = "__repository__" // what code locations without named repositories have
	}
	var secrets []rest.Secret
	if o.Token != "" {
		secrets = append(secrets, rest.Secret{Header: "Dagster-Cloud-Api-Token", Value: o.Token})
	}
	c, err := rest.New(rest.Options{
		System: System, BaseURL: strings.TrimSuffix(o.URL, "/graphql"), Secrets: secrets, Timeout: o.Timeout,
		Retries: o.Retries, Log: o.Log, Transport: o.Transport,
	})
	if err != nil {
		return nil, err
	}
	o.Token = ""
	return &Client{opts: o, rest: c}, nil
}

// envelope is the outer form of every answer.
type envelope struct {
	Data   json.RawMessage `json:"data"`
	Errors []struct {
		Message string `json:"message"`
	} `json:"errors"`
}

// query is one call: the file of its text, its variables, and whether it
// changes something.
type query struct {
	name   string // for errors: "launch job nightly"
	file   string
	vars   map[string]any
	change bool
}

// ask sends one query and decodes its data into out. After a change, anything
// but a clear answer is a *workflows.UnclearError.
func (c *Client) ask(ctx context.Context, q query, out any) error {
	text, err := queries.ReadFile("queries/" + q.file + ".graphql")
	if err != nil {
		return fmt.Errorf("dagster: read query %s: %w", q.file, err)
	}
	body, err := json.Marshal(map[string]any{"query": string(text), "variables": q.vars})
	if err != nil {
		return fmt.Errorf("dagster: %s: encode variables: %w", q.name, err)
	}
	res, err := c.rest.Do(ctx, rest.Call{Name: q.name, Method: http.MethodPost, Path: "graphql", Body: body, Idempotent: !q.change})
	if unclear, ok := errors.AsType[*rest.UnclearError](err); ok {
		return &workflows.UnclearError{Call: unclear.Call, Err: unclear.Err}
	}
	if err != nil {
		return err
	}
	return q.decode(res.Body, out)
}

// decode reads an answer. Errors at the top may come after the effect, for
// example from a database time-out.
func (q query) decode(body []byte, out any) error {
	var e envelope
	err := json.Unmarshal(body, &e)
	switch {
	case err != nil:
		err = fmt.Errorf("the answer is not GraphQL: %w", err)
	case len(e.Errors) > 0:
		err = errors.New(e.Errors[0].Message)
	case len(e.Data) == 0 || string(e.Data) == "null":
		err = errors.New("the answer has no data")
	default:
		if err = json.Unmarshal(e.Data, out); err != nil {
			err = fmt.Errorf("the answer has another form: %w", err)
		}
	}
	return q.failed(err)
}

// failed names the call in an error, as unclear where it may have changed
// something.
func (q query) failed(err error) error {
	switch {
	case err == nil:
		return nil
	case q.change:
		return &workflows.UnclearError{Call: System + ": " + q.name, Err: err}
	}
	return fmt.Errorf("%s: %s: %w", System, q.name, err)
}

// AnswerError is a member of an answer's union that says no.
type AnswerError struct {
	Call     string
	Typename string // "PipelineNotFoundError"
	Message  string
}

func (e *AnswerError) Error() string {
	text := e.Call + ": " + e.Typename
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// member is what the error members of all unions have between them.
type member struct {
	Typename          string `json:"__typename"`
	Message           string `json:"message"`
	PipelineName      string `json:"pipelineName"`
	InvalidStepKey    string `json:"invalidStepKey"`
	StepKey           string `json:"stepKey"`
	InvalidOutputName string `json:"invalidOutputName"`
	Errors            []struct {
		Message string `json:"message"`
	} `json:"errors"`
}

// expect returns nil where the member is the wanted one. A PythonError after a
// change is unclear: the server may have failed behind the effect.
func (m member) expect(q query, want string) error {
	if m.Typename == want {
		return nil
	}
	err := &AnswerError{Call: System + ": " + q.name, Typename: m.Typename, Message: m.text()}
	if q.change && (m.Typename == "PythonError" || m.Typename == "") {
		return &workflows.UnclearError{Call: err.Call, Err: err}
	}
	return err
}

// text is what the member says, in one line.
func (m member) text() string {
	said := []string{m.Message, m.InvalidStepKey, m.StepKey, m.InvalidOutputName}
	for _, e := range m.Errors {
		said = append(said, e.Message)
	}
	return strings.Join(strings.Fields(strings.Join(said, " ")), " ")
}
