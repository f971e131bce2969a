package pagerduty

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/PagerDuty/go-pagerduty"
)

// User is a person with a PagerDuty account.
type User struct {
	ID    string
	Name  string
	Email string
	URL   string
}

func userOf(u sdk.User) User {
	return User{ID: u.ID, Name: cmp.Or(u.Name, u.Summary), Email: u.Email, URL: u.HTMLURL}
}

// UserByEmail returns the user with that e-mail address. Where there is none the
// error is a *RefusedError with ReasonUser that names the address.
func (c *Client) UserByEmail(ctx context.Context, email string) (User, error) {
	k := &call{name: "find user " + email, from: email, repeatable: true}
	if err := checkFrom(k); err != nil {
		return User{}, err
	}
	var listed *sdk.ListUsersResponse
	err := c.ask(ctx, k, func(ctx context.Context) (err error) {
		listed, err = c.api.ListUsersWithContext(ctx, sdk.ListUsersOptions{Query: email, Limit: 100})
		return err
	})
	if err != nil {
		return User{}, err
	}
	for _, u := range listed.Users { // the query also finds parts of names
		if strings.EqualFold(u.Email, email) {
			return userOf(u), nil
		}
	}
	return User{}, &RefusedError{Call: System + ": " + k.name, Reason: ReasonUser, Advice: noAccount(email)}
}

// User reads a user by the id that webhooks and on-calls name.
func (c *Client) User(ctx context.Context, id string) (User, error) {
	k := &call{name: "read user " + id, repeatable: true}
	if err := checkID(k, "user", id); err != nil {
		return User{}, err
	}
	var got *sdk.User
	err := c.ask(ctx, k, func(ctx context.Context) (err error) {
		got, err = c.api.GetUserWithContext(ctx, id, sdk.GetUserOptions{})
		return err
	})
	if err != nil {
		return User{}, err
	}
	return userOf(*got), nil
}

// Rota names a schedule or an escalation policy by its id, one of the two.
type Rota struct {
	Schedule string
	Policy   string
}

// OnCallUser is a person who is on call.
type OnCallUser struct {
	Name  string
	Email string
	ID    string
	Level int       // of the escalation policy, from 1
	Until time.Time // UTC; zero for a person who is always on call
}

// OnCall returns who is on call now, first those of the lowest level. Nobody is
// an empty list; a schedule or policy that does not exist is a *RefusedError.
func (c *Client) OnCall(ctx context.Context, r Rota) ([]OnCallUser, error) {
	k := &call{name: "read who is on call of " + r.Schedule + r.Policy, repeatable: true}
	o := sdk.ListOnCallOptions{Earliest: true, Limit: 100}
	var err error
	switch {
	case (r.Schedule == "") == (r.Policy == ""):
		return nil, &RefusedError{Call: System + ": " + k.name, Reason: ReasonInput, Advice: "name a schedule or an escalation policy, one of the two"}
	case r.Schedule != "":
		o.ScheduleIDs, err = []string{r.Schedule}, checkID(k, "schedule", r.Schedule)
	default:
		o.EscalationPolicyIDs, err = []string{r.Policy}, checkID(k, "escalation policy", r.Policy)
	}
	if err != nil {
		return nil, err
	}
	shifts, err := c.shifts(ctx, k, o)
	if err != nil {
		return nil, err
	}
	if len(shifts) == 0 {
		return nil, c.exists(ctx, r)
	}
	return c.people(ctx, shifts)
}

// maxPages bounds a list; a page has a hundred entries.
const maxPages = 10

func (c *Client) shifts(ctx context.Context, k *call, o sdk.ListOnCallOptions) ([]sdk.OnCall, error) {
	var all []sdk.OnCall
	for range maxPages {
		var page *sdk.ListOnCallsResponse
		err := c.ask(ctx, k, func(ctx context.Context) (err error) {
			page, err = c.api.ListOnCallsWithContext(ctx, o)
			return err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, page.OnCalls...)
		if !page.More || len(page.OnCalls) == 0 {
			return all, nil
		}
		o.Offset += uint(len(page.OnCalls))
	}
	return nil, fmt.Errorf("pagerduty: %s: more than %d entries; name a smaller schedule or policy", k.name, len(all))
}

// people turns shifts into persons, each once with the lowest level. On-calls
// hold references, so each person is read.
func (c *Client) people(ctx context.Context, shifts []sdk.OnCall) ([]OnCallUser, error) {
	slices.SortStableFunc(shifts, func(a, b sdk.OnCall) int { return cmp.Compare(a.EscalationLevel, b.EscalationLevel) })
	var out []OnCallUser
	for _, s := range shifts {
		if slices.ContainsFunc(out, func(u OnCallUser) bool { return u.ID == s.User.ID }) {
			continue
		}
		u, err := c.User(ctx, s.User.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, OnCallUser{Name: u.Name, Email: u.Email, ID: u.ID, Level: int(s.EscalationLevel), Until: instant(s.End)})
	}
	return out, nil
}

// exists is the error for a schedule or policy that PagerDuty does not know: its
// list of on-calls is then empty, as if nobody were on call.
func (c *Client) exists(ctx context.Context, r Rota) error {
	if r.Schedule != "" {
		k := &call{name: "read schedule " + r.Schedule, repeatable: true}
		return c.ask(ctx, k, func(ctx context.Context) error {
			_, err := c.api.ListOnCallUsersWithContext(ctx, r.Schedule, sdk.ListOnCallUsersOptions{})
			return err
		})
	}
	k := &call{name: "read escalation policy " + r.Policy, repeatable: true}
	return c.ask(ctx, k, func(ctx context.Context) error {
		_, err := c.api.GetEscalationPolicyWithContext(ctx, r.Policy, &sdk.GetEscalationPolicyOptions{})
		return err
	})
}
