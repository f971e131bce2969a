package rest

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// repeatable is the context key of Call.Idempotent.
type repeatable struct{}

// checkRetry repeats only calls that may be repeated, and gives up where the
// target asks for a longer wait than allowed.
func (c *Client) checkRetry(ctx context.Context, res *http.Response, err error) (bool, error) {
	if ok, _ := ctx.Value(repeatable{}).(bool); !ok {
		return false, nil
	}
	again, checkErr := retryablehttp.DefaultRetryPolicy(ctx, res, err)
	if !again || res == nil {
		return again, checkErr
	}
	return !c.waitsTooLong(res), nil
}

// waitsTooLong reads Retry-After in seconds; the date form is left to the
// backoff, which is bounded by the context.
func (c *Client) waitsTooLong(res *http.Response) bool {
	seconds, err := strconv.ParseInt(res.Header.Get("Retry-After"), 10, 64)
	return err == nil && time.Duration(seconds)*time.Second > c.opts.MaxWait
}
