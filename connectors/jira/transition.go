package jira

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"dw/workflows"
)

// move is a transition that an issue offers now.
type move struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	To   struct {
		Name     string `json:"name"`
		Category struct {
			Key  string `json:"key"`
			Name string `json:"name"`
		} `json:"statusCategory"`
	} `json:"to"`
	Fields map[string]struct {
		Name     string `json:"name"`
		Required bool   `json:"required"`
		Default  bool   `json:"hasDefaultValue"`
	} `json:"fields"`
}

func (m move) String() string { return m.Name + " (to " + m.To.Name + ")" }

// Transition moves an issue to a status, named by the transition, by the status, or
// by its category ("new", "indeterminate", "done"). An issue that is there already
// stays as it is. A move that is not offered, is ambiguous, or asks for fields is a
// *TransitionError that lists what is possible. Where no answer came, the issue is
// read back.
func (c *Client) Transition(ctx context.Context, key, to string) error {
	now, err := c.Get(ctx, key)
	if err != nil {
		return err
	}
	if there(now, to) {
		return nil
	}
	moves, err := c.moves(ctx, key)
	if err != nil {
		return err
	}
	m, err := choose(now, to, moves)
	if err != nil {
		return err
	}
	err = c.transition(ctx, key, m)
	if _, doubt := errors.AsType[*workflows.UnclearError](err); !doubt {
		return err
	}
	if after, readErr := c.Get(ctx, key); readErr == nil && after.Status == m.To.Name && after.Status != now.Status {
		return nil
	}
	return err
}

// CheckMove looks for a move on the newest issue of a project, since Jira tells
// moves of issues only. It returns that issue's key, "" in a project without
// issues. A move that it does not offer, which another issue may, is a
// *TransitionError.
func (c *Client) CheckMove(ctx context.Context, project, to string) (string, error) {
	if !projectKey.MatchString(project) {
		return "", fmt.Errorf("jira: check moves: %q is no project key; one looks like OPS", project)
	}
	p, err := c.searchFor(ctx, "find an issue of "+project, fmt.Sprintf("project = %q ORDER BY created DESC", project), "", 0)
	if err != nil || len(p.Issues) == 0 {
		return "", err
	}
	now := c.issue(p.Issues[0])
	if there(now, to) {
		return now.Key, nil
	}
	moves, err := c.moves(ctx, now.Key)
	if err != nil {
		return now.Key, err
	}
	_, err = choose(now, to, moves)
	return now.Key, err
}

func there(i Issue, to string) bool {
	return strings.EqualFold(i.Status, to) || strings.EqualFold(i.Category, to)
}

func (c *Client) moves(ctx context.Context, key string) ([]move, error) {
	var out struct {
		Transitions []move `json:"transitions"`
	}
	err := c.send(ctx, call{
		name: "read the moves of " + key, key: key, method: http.MethodGet, path: c.api("issue", key, "transitions"),
		query: url.Values{"expand": {"transitions.fields"}},
	}, nil, &out)
	return out.Transitions, err
}

// choose finds the one move by name, else the one to the status, else the one into
// the category.
func choose(now Issue, to string, moves []move) (move, error) {
	refuse := &TransitionError{Key: now.Key, From: now.Status, To: to, Why: "there is no such move"}
	for _, m := range moves {
		refuse.Possible = append(refuse.Possible, m.String())
	}
	for _, name := range []func(move) []string{
		func(m move) []string { return []string{m.Name, m.ID} },
		func(m move) []string { return []string{m.To.Name} },
		func(m move) []string { return []string{m.To.Category.Key, m.To.Category.Name} },
	} {
		fit := slices.DeleteFunc(slices.Clone(moves), func(m move) bool {
			return !slices.ContainsFunc(name(m), func(s string) bool { return strings.EqualFold(s, to) })
		})
		switch {
		case len(fit) > 1:
			refuse.Why = "more than one move leads there; name one in the settings"
			return move{}, refuse
		case len(fit) == 1:
			if need := fit[0].needs(); len(need) > 0 {
				refuse.Why = fmt.Sprintf("its screen asks for %s; move it in Jira, or take them off the screen", strings.Join(need, ", "))
				return move{}, refuse
			}
			return fit[0], nil
		}
	}
	return move{}, refuse
}

// needs names the fields that a move's screen asks for.
func (m move) needs() []string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(m.Fields)) {
		if f := m.Fields[id]; f.Required && !f.Default {
			out = append(out, f.Name+" ("+id+")")
		}
	}
	return out
}

// transition sends by go-jira's own call where its fixed route, REST v2, is the
// right one.
func (c *Client) transition(ctx context.Context, key string, m move) error {
	q := call{name: "move " + key + " by " + m.Name, key: key, method: http.MethodPost, path: c.api("issue", key, "transitions"), changes: true}
	if c.opts.Cloud {
		return c.send(ctx, q, map[string]any{"transition": map[string]any{"id": m.ID}}, nil)
	}
	return c.through(ctx, q, func(ctx context.Context) error {
		_, err := c.jira.Issue.DoTransitionWithContext(ctx, key, m.ID) //nolint:bodyclose // bytes in memory
		return err
	})
}
