package rest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dw/connectors/internal/rest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "s3cret-token"

func client(t *testing.T, url string, change func(*rest.Options)) *rest.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	o := rest.Options{
		System: "vendor", BaseURL: url, Secrets: []rest.Secret{{Header: "X-Token", Value: token}},
		MinWait: time.Millisecond, MaxWait: 2 * time.Second, Transport: transport,
	}
	if change != nil {
		change(&o)
	}
	c, err := rest.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func server(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// kind names an error of Do by its type.
func kind(err error) string {
	var refused *rest.RefusedError
	var unclear *rest.UnclearError
	var unavailable *rest.UnavailableError
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &refused):
		return "refused"
	case errors.As(err, &unclear):
		return "unclear"
	case errors.As(err, &unavailable):
		return "unavailable"
	}
	return "other"
}

func TestDoTellsRefusedFromUnclear(t *testing.T) {
	t.Parallel()
	cut := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	}
	status := func(code int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			io.WriteString(w, text)
		}
	}
	for name, tc := range map[string]struct {
		handler    http.HandlerFunc
		idempotent bool
		want       string
		says       string
		calls      int32
	}{
		"answered":               {status(200, `{}`), false, "none", "", 1},
		"refused":                {status(400, "no such job"), false, "refused", "no such job", 1},
		"refused, may repeat":    {status(404, "gone"), true, "refused", "404", 1},
		"too many, not repeated": {status(429, "slow"), false, "refused", "429", 1},
		"too many, repeated":     {status(429, "slow"), true, "refused", "429", 4},
		"broken":                 {status(502, "bad gateway"), false, "unclear", "502", 1},
		"broken, may repeat":     {status(502, "bad gateway"), true, "unavailable", "502", 4},
		"cut":                    {cut, false, "unclear", "EOF", 1},
		"cut, may repeat":        {cut, true, "unavailable", "EOF", 4},
		"too large":              {status(200, strings.Repeat("x", 2000)), false, "unclear", "larger than the limit", 1},
		"too large, may repeat":  {status(200, strings.Repeat("x", 2000)), true, "unavailable", "larger than the limit", 1},
		"sent elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}, false, "refused", "302", 1},
		"echoes the token": {status(400, "bad token "+token), false, "refused", "[redacted]", 1},
		"asks for an hour": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(503)
		}, true, "unavailable", "503", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			s := server(t, func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				if r.Header.Get("X-Token") != token {
					t.Error("the token was not sent")
				}
				tc.handler(w, r)
			})
			_, err := client(t, s.URL, func(o *rest.Options) { o.MaxBody = 1000 }).
				Do(context.Background(), rest.Call{Name: "ask", Method: "POST", Path: "x", Body: []byte(`{}`), Idempotent: tc.idempotent})
			if kind(err) != tc.want || !strings.Contains(fmt.Sprint(err), tc.says) {
				t.Errorf("%s: %v, want %s that says %q", kind(err), err, tc.want, tc.says)
			}
			if strings.Contains(fmt.Sprint(err), token) {
				t.Errorf("the error holds the token: %v", err)
			}
			if calls.Load() != tc.calls {
				t.Errorf("%d calls, want %d", calls.Load(), tc.calls)
			}
		})
	}
}

func TestDoRepeatsUntilAnswered(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != `{"a":1}` {
			t.Errorf("body %q, %v", body, err)
		}
		if calls.Add(1) < 3 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, `{"ok":true}`)
	})
	res, err := client(t, s.URL, nil).Do(context.Background(), rest.Call{Name: "ask", Method: "POST", Path: "x", Body: []byte(`{"a":1}`), Idempotent: true})
	if err != nil || string(res.Body) != `{"ok":true}` || calls.Load() != 3 {
		t.Errorf("answer %q after %d calls: %v", res.Body, calls.Load(), err)
	}
}

func TestDoTimesOut(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := server(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	_, err := client(t, s.URL, func(o *rest.Options) { o.Timeout = 50 * time.Millisecond }).
		Do(context.Background(), rest.Call{Name: "ask", Method: "POST", Path: "x"})
	if kind(err) != "unclear" {
		t.Errorf("%s: %v, want unclear", kind(err), err)
	}
}

func TestDoWithoutAConnectionChangesNothing(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, err = client(t, "http://"+address, nil).Do(context.Background(), rest.Call{Name: "ask", Method: "POST", Path: "x"})
	if kind(err) != "unavailable" || !strings.Contains(fmt.Sprint(err), "vendor: ask") {
		t.Errorf("%s: %v, want unavailable", kind(err), err)
	}
}

func TestNothingPrintsTheToken(t *testing.T) {
	t.Parallel()
	s := server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	var log bytes.Buffer
	c := client(t, s.URL, func(o *rest.Options) {
		o.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Log.Info("configured", "secret", o.Secrets[0], "all", fmt.Sprintf("%v %+v %#v", o.Secrets, o.Secrets, o.Secrets))
	})
	_, err := c.Do(context.Background(), rest.Call{Name: "ask", Method: "GET", Path: "x", Query: map[string][]string{"key": {"query-secret"}}, Idempotent: true})
	if !strings.Contains(log.String(), `"status":500`) {
		t.Errorf("the call is not in the log: %s", log.String())
	}
	for _, secret := range []string{token, "query-secret"} {
		if strings.Contains(log.String()+fmt.Sprint(err), secret) {
			t.Errorf("%s is printed:\n%s\n%v", secret, log.String(), err)
		}
	}
}

func TestNewRefusesOddURLs(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "host", "ftp://host", "http://", "http://user:pass-word@host", "http://user:pass-word@host:x"} {
		_, err := rest.New(rest.Options{System: "vendor", BaseURL: url})
		if err == nil || strings.Contains(err.Error(), "pass-word") {
			t.Errorf("%q: %v", url, err)
		}
	}
}
