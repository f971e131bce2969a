package bot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/slack-go/slack"
)

const methodRespond = "response_url"

// reply is the body of an answer by response_url.
type reply struct {
	Text            string        `json:"text"`
	Blocks          []slack.Block `json:"blocks,omitempty"`
	ResponseType    string        `json:"response_type,omitempty"`
	ReplaceOriginal bool          `json:"replace_original"`
}

// Respond answers a command or click by its response_url, which works where the
// bot is not a member: to the person alone, or, with replace, in place of the
// message that was clicked. The address works 5 times within 30 minutes; it is
// refused unless it is Slack's or lies on the configured API's host.
func (c *Client) Respond(ctx context.Context, responseURL string, m Message, replace bool) error {
	if err := c.checkResponseURL(responseURL); err != nil {
		return err
	}
	r := reply{Text: m.Text, Blocks: m.Blocks, ReplaceOriginal: replace}
	if !replace {
		r.ResponseType = "ephemeral"
	}
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	return c.do(ctx, request{method: methodRespond, call: func(ctx context.Context) error {
		return c.postReply(ctx, responseURL, body)
	}})
}

// checkResponseURL keeps a forged event from making dw call an arbitrary host.
func (c *Client) checkResponseURL(address string) error {
	u, err := url.Parse(address)
	if err == nil && (ofSlack(u) || c.ofAPI(u)) {
		return nil
	}
	return refusal(methodRespond, "invalid_response_url", "not an address of Slack")
}

func ofSlack(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	return u.Scheme == "https" && (strings.HasSuffix(host, ".slack.com") || strings.HasSuffix(host, ".slack-gov.com"))
}

// ofAPI reports that the address is on the server that gets the token anyway.
func (c *Client) ofAPI(u *url.URL) bool {
	base, err := url.Parse(c.raw.base)
	return err == nil && u.Scheme == base.Scheme && u.Host != "" && strings.EqualFold(u.Host, base.Host)
}

func (c *Client) postReply(ctx context.Context, address string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return errors.New("build the answer's request: the address is malformed")
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	resp, err := c.http.Do(req)
	if err != nil {
		return withoutURL(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return replyError(resp, answer)
}

// replyError reads the answer: "ok", or JSON; errors come with a status of 4xx
// and the code as text or as JSON.
func replyError(resp *http.Response, answer []byte) error {
	if err := statusError(resp); err != nil && (resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500) {
		return err
	}
	trimmed := strings.TrimSpace(string(answer))
	if resp.StatusCode == http.StatusOK && (trimmed == "ok" || trimmed == "") {
		return nil
	}
	var head struct {
		OK    flag `json:"ok"`
		Error text `json:"error"`
	}
	switch err := json.Unmarshal(answer, &head); {
	case err == nil && resp.StatusCode == http.StatusOK && bool(head.OK):
		return nil
	case err == nil && head.Error != "":
		return slack.SlackErrorResponse{Err: string(head.Error)}
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone:
		return slack.SlackErrorResponse{Err: "expired_url"}
	}
	if err := statusError(resp); err != nil {
		return err
	}
	return errors.New("the answer is neither ok nor an error")
}
