package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"
)

// maxAnswer bounds what is read of one answer of the Web API.
const maxAnswer = 8 << 20

// webAPI makes the few calls for which slack-go decodes too strictly or puts the
// token in the wrong place. Its errors have slack-go's types.
type webAPI struct {
	base  string
	token secret
	http  *http.Client
}

// call posts a form with the token in the Authorization header only and decodes
// the answer into out. The answer's own "ok" and "error" are looked at first.
func (w webAPI) call(ctx context.Context, method string, form url.Values, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.base+method, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("build request for %s: %w", method, err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+w.token.reveal())
	resp, err := w.http.Do(req)
	if err != nil {
		return withoutURL(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read answer of %s: %w", method, err)
	}
	if err := statusError(resp); err != nil {
		return err
	}
	return decodeAnswer(method, body, out)
}

func decodeAnswer(method string, body []byte, out any) error {
	var head struct {
		OK    flag `json:"ok"`
		Error text `json:"error"`
		Needs text `json:"needed"`
	}
	if err := json.Unmarshal(body, &head); err != nil {
		return fmt.Errorf("decode answer of %s: %w", method, err)
	}
	if !head.OK {
		return slack.SlackErrorResponse{Err: or(head.Error, "no_reason_given"), Needed: string(head.Needs)}
	}
	if err := json.Unmarshal(body, out); err != nil && !isTypeMismatch(err) {
		return fmt.Errorf("decode answer of %s: %w", method, err)
	}
	return nil
}

// statusError turns a status other than 200 into slack-go's error for it.
func statusError(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusTooManyRequests:
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil || seconds < 0 {
			seconds = 1
		}
		return &slack.RateLimitedError{RetryAfter: time.Duration(seconds) * time.Second}
	default:
		return slack.StatusCodeError{Code: resp.StatusCode, Status: resp.Status}
	}
}

// withoutURL takes the address out of an HTTP client's error: the address of a
// reply or of a socket is itself a credential.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
