package bot

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

const (
	findPages = 10
	findLimit = 200
	// findSlack is how far before since the search begins, for clocks that differ.
	findSlack = 5 * time.Minute
)

// NoHistoryError says that dw may not read the channel and so cannot tell
// whether a message is there.
type NoHistoryError struct {
	// Channel is the channel's id.
	Channel string
	// Err is Slack's refusal.
	Err *RefusedError
}

// Error says what is missing and what to do.
func (e *NoHistoryError) Error() string {
	return fmt.Sprintf("cannot look for a message in channel %s: the bot token has no history scope; "+
		"add channels:history (groups:history, im:history for private channels and direct messages) or accept a possible double post", e.Channel)
}

// Unwrap returns Slack's refusal.
func (e *NoHistoryError) Unwrap() error { return e.Err }

// errTooFar is returned when the search gave up before its beginning.
var errTooFar = errors.New("too many newer messages")

// historyPage is what is read of a page of messages; slack-go would decode every
// block of everybody's messages and fail on one it does not know.
type historyPage struct {
	Messages []historyMessage `json:"messages"`
	Meta     struct {
		Cursor text `json:"next_cursor"`
	} `json:"response_metadata"`
}

type historyMessage struct {
	TS       text `json:"ts"`
	User     text `json:"user"`
	BotID    text `json:"bot_id"`
	Metadata struct {
		Type    text `json:"event_type"`
		Payload struct {
			Key text `json:"key"`
		} `json:"event_payload"`
	} `json:"metadata"`
}

// FindByKey looks for a message that [Client.Post] sent with the key, in the
// channel or in the thread, not before since. It serves after an *UnclearError
// only. A post that Slack had not yet carried out when it looks is not found; a
// message of another app with the same key is not taken for dw's own. Without a
// history scope it returns a *NoHistoryError.
func (c *Client) FindByKey(ctx context.Context, channel, key, threadTS string, since time.Time) (string, bool, error) {
	self, err := c.cachedSelf(ctx)
	if err != nil {
		return "", false, err
	}
	method, form := historyQuery(channel, threadTS, since)
	for range findPages {
		var page historyPage
		if err := c.do(ctx, request{method: method, safe: true, call: func(ctx context.Context) error {
			page = historyPage{}
			return c.raw.call(ctx, method, form, &page)
		}}); err != nil {
			return "", false, historyError(channel, err)
		}
		for _, m := range page.Messages {
			if m.has(key) && m.by(self) {
				return string(m.TS), true, nil
			}
		}
		if page.Meta.Cursor == "" {
			return "", false, nil
		}
		form.Set("cursor", string(page.Meta.Cursor))
	}
	return "", false, fmt.Errorf("look for a message in channel %s: %w", channel, errTooFar)
}

func historyQuery(channel, threadTS string, since time.Time) (string, url.Values) {
	form := url.Values{
		"channel": {channel}, "limit": {strconv.Itoa(findLimit)}, "include_all_metadata": {"true"},
		"inclusive": {"true"}, "oldest": {strconv.FormatInt(since.Add(-findSlack).Unix(), 10) + ".000000"},
	}
	if threadTS == "" {
		return "conversations.history", form
	}
	form.Set("ts", threadTS)
	return "conversations.replies", form
}

func historyError(channel string, err error) error {
	if r, ok := errors.AsType[*RefusedError](err); ok && r.Code == "missing_scope" {
		return &NoHistoryError{Channel: channel, Err: r}
	}
	return err
}

func (m historyMessage) has(key string) bool {
	return string(m.Metadata.Type) == metadataType && string(m.Metadata.Payload.Key) == key
}

func (m historyMessage) by(self Self) bool {
	return m.BotID != "" && string(m.BotID) == self.Bot || m.User != "" && string(m.User) == self.User
}
