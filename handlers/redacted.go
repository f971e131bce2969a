package handlers

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/slack-go/slack"

	"dw/bot"
	"dw/receipts"
)

// Redacted is the client by which dw speaks in Slack: it takes secrets out of every
// message before it is sent.
type Redacted struct {
	*bot.Client

	Redactor *receipts.Redactor
}

// Post sends m without secrets; see bot.Client.
func (c Redacted) Post(ctx context.Context, channel string, m bot.Message, o bot.PostOptions) (string, error) {
	m, err := withoutSecrets(c.Redactor, m)
	if err != nil {
		return "", err
	}
	return c.Client.Post(ctx, channel, m, o)
}

// Update replaces a message by m without secrets; see bot.Client.
func (c Redacted) Update(ctx context.Context, channel, ts string, m bot.Message) error {
	m, err := withoutSecrets(c.Redactor, m)
	if err != nil {
		return err
	}
	return c.Client.Update(ctx, channel, ts, m)
}

// PostEphemeral tells one person m without secrets; see bot.Client.
func (c Redacted) PostEphemeral(ctx context.Context, channel, user string, m bot.Message, threadTS string) error {
	m, err := withoutSecrets(c.Redactor, m)
	if err != nil {
		return err
	}
	return c.Client.PostEphemeral(ctx, channel, user, m, threadTS)
}

// Respond answers with m without secrets; see bot.Client.
func (c Redacted) Respond(ctx context.Context, responseURL string, m bot.Message, replace bool) error {
	m, err := withoutSecrets(c.Redactor, m)
	if err != nil {
		return err
	}
	return c.Client.Respond(ctx, responseURL, m, replace)
}

// withoutSecrets returns m as it was where no rule applies, which costs one
// encoding of its blocks.
func withoutSecrets(r *receipts.Redactor, m bot.Message) (bot.Message, error) {
	m.Text, _ = r.Text(m.Text)
	if len(m.Blocks) == 0 {
		return m, nil
	}
	raw, err := json.Marshal(m.Blocks)
	if err != nil {
		return m, fmt.Errorf("encode a message to look for secrets: %w", err)
	}
	var blocks any
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return m, fmt.Errorf("read a message to look for secrets: %w", err)
	}
	if !redactJSON(r, blocks) {
		return m, nil
	}
	if raw, err = json.Marshal(blocks); err != nil {
		return m, fmt.Errorf("encode a message without secrets: %w", err)
	}
	var clean slack.Blocks
	if err := json.Unmarshal(raw, &clean); err != nil {
		return m, fmt.Errorf("read a message without secrets: %w", err)
	}
	m.Blocks = clean.BlockSet
	return m, nil
}

// redactJSON changes the strings of a decoded value in place and reports whether
// it changed any.
func redactJSON(r *receipts.Redactor, v any) (changed bool) {
	redact := func(member any) any {
		text, is := member.(string)
		if !is {
			changed = redactJSON(r, member) || changed
			return member
		}
		text, found := r.Text(text)
		changed = changed || found != nil
		return text
	}
	switch v := v.(type) {
	case []any:
		for n := range v {
			v[n] = redact(v[n])
		}
	case map[string]any:
		for key := range v {
			v[key] = redact(v[key])
		}
	}
	return changed
}
