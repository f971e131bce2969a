package bot

import (
	"context"

	"github.com/slack-go/slack"
)

// OpenView opens a modal for a trigger that is at most three seconds old and
// returns the modal's id. Open a plain one first and fill it by UpdateView.
func (c *Client) OpenView(ctx context.Context, triggerID string, v slack.ModalViewRequest) (string, error) {
	var id string
	err := c.do(ctx, request{method: "views.open", call: func(ctx context.Context) error {
		resp, err := c.api.OpenViewContext(ctx, triggerID, v)
		if err == nil {
			id = resp.ID
		}
		return answered(id, err)
	}})
	return id, err
}

// UpdateView replaces an open modal. hash, when set, makes Slack refuse with
// hash_conflict if the modal was changed since.
func (c *Client) UpdateView(ctx context.Context, viewID, hash string, v slack.ModalViewRequest) error {
	return c.do(ctx, request{method: "views.update", safe: hash == "", call: func(ctx context.Context) error {
		resp, err := c.api.UpdateViewContext(ctx, v, "", hash, viewID)
		return viewDone(resp, err)
	}})
}

// PublishHome replaces the Home tab of one person.
func (c *Client) PublishHome(ctx context.Context, user string, v slack.HomeTabViewRequest) error {
	return c.do(ctx, request{method: "views.publish", safe: true, call: func(ctx context.Context) error {
		resp, err := c.api.PublishViewContext(ctx, slack.PublishViewContextRequest{UserID: user, View: v})
		return viewDone(resp, err)
	}})
}

func viewDone(resp *slack.ViewResponse, err error) error {
	if err == nil && !resp.Ok {
		return errNoAnswer
	}
	return err
}
