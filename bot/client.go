package bot

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/slack-go/slack"
)

const (
	defaultMaxWait = time.Minute
	maxTries       = 3
	retryPause     = 250 * time.Millisecond
)

// ClientOptions says how a [Client] works; the zero value is usable.
type ClientOptions struct {
	// APIURL is the base of the Web API; empty means Slack itself.
	APIURL string
	// HTTP makes the calls; nil means [NewHTTPClient].
	HTTP *http.Client
	// MaxWait bounds how long one call may wait for its turn and for Slack's
	// Retry-After together; 0 means one minute.
	MaxWait time.Duration
}

// Client calls Slack's Web API: paced as Slack asks, each failure one of
// [RefusedError], [UnclearError] and [UnsentError]. It is safe for many
// goroutines and starts none of its own that outlives a call.
type Client struct {
	api     *slack.Client
	raw     webAPI
	http    *http.Client
	pacer   *pacer
	maxWait time.Duration

	selfMu sync.Mutex
	self   *Self
}

// NewClient returns a Client that uses the bot token (xoxb-…).
func NewClient(botToken string, o ClientOptions) (*Client, error) {
	if botToken == "" {
		return nil, errors.New("new Slack client: the bot token is empty")
	}
	if o.HTTP == nil {
		o.HTTP = NewHTTPClient()
	}
	if o.MaxWait <= 0 {
		o.MaxWait = defaultMaxWait
	}
	base := apiURL(o.APIURL)
	return &Client{
		api:   slack.New(botToken, slack.OptionAPIURL(base), slack.OptionHTTPClient(o.HTTP)),
		raw:   webAPI{base: base, token: newSecret(botToken), http: o.HTTP},
		http:  o.HTTP,
		pacer: newPacer(), maxWait: o.MaxWait,
	}, nil
}

// Close gives idle connections back.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// request describes one call to be paced and tried.
type request struct {
	method  string
	channel string // of a post, whose lane to take
	urgent  bool   // before those that are not
	safe    bool   // may be repeated after an unclear end
	call    func(context.Context) error
}

// do carries a request out: it waits its turn, honours Retry-After, and repeats
// only what cannot happen twice.
func (c *Client) do(ctx context.Context, r request) error {
	until := time.Now().Add(c.maxWait)
	for try := 1; ; try++ {
		if err := c.await(ctx, r, time.Until(until)); err != nil {
			return err
		}
		err := r.call(ctx)
		if after, limited := rateLimit(err); limited {
			c.slow(r, after)
			continue // await ends it when the wait would be too long
		}
		err = classify(r.method, err)
		if !r.safe || !repeatable(err) || try >= maxTries {
			return err
		}
		if waitFor(ctx, retryPause<<(try-1)) != nil {
			return err
		}
	}
}

// await waits until the request may be sent.
func (c *Client) await(ctx context.Context, r request, wait time.Duration) error {
	start := time.Now()
	after, err := c.pacer.pass(ctx, r.method, wait)
	if l := c.pacer.laneOf(r); err == nil && l != nil {
		after, err = l.take(ctx, r.urgent, wait-time.Since(start))
	}
	if err != nil {
		return &UnsentError{Method: r.method, RetryAfter: after, Err: err}
	}
	return nil
}

// slow notes Slack's Retry-After: a post's limit is its channel's, any other is
// the method's.
func (c *Client) slow(r request, after time.Duration) {
	if r.method == methodPost {
		c.pacer.lane(r.channel).pause(after)
		return
	}
	c.pacer.close(r.method, after)
}
