package bot

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/slack-go/slack"
)

const (
	methodPost      = "chat.postMessage"
	methodUpdate    = "chat.update"
	methodEphemeral = "chat.postEphemeral"

	// metadataType marks dw's own messages.
	metadataType = "dw_message"
	metadataKey  = "key"
)

// errNoAnswer is the cause of an UnclearError after an answer that says neither
// yes nor no, such as the {} of a proxy.
var errNoAnswer = errors.New("the answer lacks what Slack always sends")

// Message is what a person reads: Blocks where they can be shown, Text in
// notifications and where they cannot. Both must be escaped already. No Blocks
// means a message of text alone.
type Message struct {
	// Text is mrkdwn, at most 4,000 characters to be safe.
	Text string
	// Blocks are at most 50.
	Blocks []slack.Block
}

// PostOptions are the particulars of a new message.
type PostOptions struct {
	// ThreadTS is the ts of the thread's root; empty posts to the channel.
	ThreadTS string
	// Key marks the message so that [Client.FindByKey] can find it. Every member
	// and app can read it: no secrets.
	Key string
	// Urgent lets the message pass those that are not.
	Urgent bool
}

// Post sends a new message and returns its ts. It is sent at most once: after an
// *UnclearError the caller looks with FindByKey before it posts again. Links are
// not unfurled and names are not linked.
func (c *Client) Post(ctx context.Context, channel string, m Message, o PostOptions) (string, error) {
	if err := encodable(methodPost, m); err != nil {
		return "", err
	}
	options := append(content(m), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl())
	if o.ThreadTS != "" {
		options = append(options, slack.MsgOptionTS(o.ThreadTS))
	}
	if o.Key != "" {
		options = append(options, slack.MsgOptionMetadata(slack.SlackMetadata{
			EventType: metadataType, EventPayload: map[string]any{metadataKey: o.Key},
		}))
	}
	var ts string
	err := c.do(ctx, request{method: methodPost, channel: channel, urgent: o.Urgent, call: func(ctx context.Context) (err error) {
		_, ts, err = c.api.PostMessageContext(ctx, channel, options...)
		return answered(ts, err)
	}})
	return ts, err
}

// Update replaces a message of dw's own, blocks included. It waits for other
// updates, whose limit is the workspace's, and not for posts, and goes in the
// order of the calls; whoever must not see an older state last calls it for one
// message at a time. channel must be the id that holds the message (D… for a
// direct message). It may be repeated.
func (c *Client) Update(ctx context.Context, channel, ts string, m Message) error {
	if err := encodable(methodUpdate, m); err != nil {
		return err
	}
	return c.do(ctx, request{method: methodUpdate, safe: true, call: func(ctx context.Context) error {
		_, done, _, err := c.api.UpdateMessageContext(ctx, channel, ts, content(m)...)
		return answered(done, err)
	}})
}

// PostEphemeral shows a message to one member of a channel. Slack does not store
// it and may not deliver it: never the only copy of anything.
func (c *Client) PostEphemeral(ctx context.Context, channel, user string, m Message, threadTS string) error {
	if err := encodable(methodEphemeral, m); err != nil {
		return err
	}
	options := content(m)
	if threadTS != "" {
		options = append(options, slack.MsgOptionTS(threadTS))
	}
	return c.do(ctx, request{method: methodEphemeral, call: func(ctx context.Context) error {
		done, err := c.api.PostEphemeralContext(ctx, channel, user, options...)
		return answered(done, err)
	}})
}

// encodable refuses blocks that cannot be written as JSON. Found later, inside
// slack-go, the same would look like a call with an unclear end.
func encodable(method string, m Message) error {
	if _, err := json.Marshal(m.Blocks); err != nil {
		return refusal(method, "invalid_blocks", err.Error())
	}
	return nil
}

// content returns the options for text and blocks. An explicit empty list of
// blocks clears those that were there.
func content(m Message) []slack.MsgOption {
	return []slack.MsgOption{
		slack.MsgOptionText(m.Text, false), slack.MsgOptionBlocks(m.Blocks...), slack.MsgOptionParse(false),
	}
}

// answered makes an answer without its main value an error: slack-go takes one
// without "ok" and "error" for success.
func answered(value string, err error) error {
	if err == nil && value == "" {
		return errNoAnswer
	}
	return err
}
