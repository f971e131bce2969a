package rest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dw/connectors/internal/rest"
)

// answers is a target without sockets, so that its hours can be virtual.
type answers struct {
	status, asked int
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	a.asked++
	return &http.Response{StatusCode: a.status, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// TestBreaker: a target that does not answer is left alone and tried once every
// pause; one answer, also a refusal, closes the breaker; a caller that gave up
// does not count.
func TestBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		target := &answers{status: http.StatusBadGateway}
		c, err := rest.New(rest.Options{
			System: "vendor", BaseURL: "https://vendor.example", Retries: -1, Trip: 3, Pause: time.Minute, Transport: target,
		})
		if err != nil {
			t.Fatal(err)
		}
		call := func() error {
			_, err := c.Do(t.Context(), rest.Call{Name: "ask", Method: http.MethodPost, Path: "/"})
			return err
		}
		expect := func(when, want string, asked int) {
			t.Helper()
			err := call()
			if kind(err) != want || target.asked != asked {
				t.Errorf("%s: %v (%s), asked %d times; want %s after %d", when, err, kind(err), target.asked, want, asked)
			}
			if want == "unavailable" && !strings.Contains(err.Error(), "3 calls in a row had no answer, so one is tried every 1m0s") {
				t.Errorf("%s: the error does not say why: %v", when, err)
			}
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for range 5 {
			if _, err := c.Do(gone, rest.Call{Name: "ask", Method: http.MethodGet, Path: "/"}); err == nil {
				t.Error("a call whose caller is gone succeeds")
			}
		}
		for n := range 3 {
			expect("while it is tried", "unclear", n+1)
		}
		expect("after three", "unavailable", 3)
		time.Sleep(time.Minute + time.Second)
		expect("after the pause", "unclear", 4)
		expect("still down", "unavailable", 4)
		time.Sleep(time.Minute + time.Second)
		target.status = http.StatusForbidden
		expect("a refusal is an answer", "refused", 5)
		expect("so it is closed", "refused", 6)
	})
}
