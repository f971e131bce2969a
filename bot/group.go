package bot

import (
	"context"
	"errors"
)

// ErrNoGroup says that Slack knows no user group by this id.
var ErrNoGroup = errors.New("no such user group in Slack")

// GroupMembers returns the user ids of those who are in a user group (S…) now,
// none for an empty one. ErrNoGroup says that there is no such group; any other
// error, that it could not be read. Source: usergroups.users.list, 20 calls a
// minute, scope usergroups:read.
func (c *Client) GroupMembers(ctx context.Context, group string) ([]string, error) {
	const method = "usergroups.users.list"
	var members []string
	err := c.do(ctx, request{method: method, safe: true, call: func(ctx context.Context) (err error) {
		members, err = c.api.GetUserGroupMembersContext(ctx, group)
		return err
	}})
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Code == "no_such_subteam" {
		return nil, ErrNoGroup
	}
	if err != nil {
		return nil, err
	}
	return members, nil
}
