package jira_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"dw/connectors/jira"
	fake "dw/internal/fakes/jira"
)

// TestAnswerOfFiveMegabytes: an answer over the limit is no answer. What only reads
// fails and says why; what changes something is unclear, and is not sent again.
func TestAnswerOfFiveMegabytes(t *testing.T) {
	t.Parallel()
	large := []byte(`{"id":"1","key":"OPS-1","fields":{"summary":"` + strings.Repeat("x", 5<<20) + `"}}`)
	text := jira.Document(jira.Paragraph(jira.Text("x")))
	for name, tc := range map[string]struct {
		call    func(context.Context, *jira.Client) error
		method  string
		unclear bool
	}{
		"read": {func(ctx context.Context, c *jira.Client) error { _, err := c.Get(ctx, "OPS-1"); return err }, http.MethodGet, false},
		"comment": {func(ctx context.Context, c *jira.Client) error {
			_, err := c.Comment(ctx, "OPS-1", text, "")
			return err
		}, http.MethodPost, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == tc.method {
					calls.Add(1)
				}
				_, _ = w.Write(large) // the client hangs up at its limit
			})
			err := tc.call(t.Context(), client)
			if err == nil || !strings.Contains(err.Error(), "the answer is larger than the limit of 4194304 bytes") {
				t.Errorf("%v, want the limit", err)
			}
			if isUnclear(err) != tc.unclear || calls.Load() != 1 {
				t.Errorf("unclear %v after %d calls, want %v after one", isUnclear(err), calls.Load(), tc.unclear)
			}
		})
	}
}

// TestCreateAnsweredByFiveMegabytes: the issue is there, its answer cannot be read,
// and looking for it finds the one.
func TestCreateAnsweredByFiveMegabytes(t *testing.T) {
	t.Parallel()
	v := start(t, func(_ *fake.Options, asks *jira.Options) { asks.Transport = padded{asks.Transport} })
	if _, err := v.client.Create(t.Context(), ticket(nil)); !isUnclear(err) || !strings.Contains(err.Error(), "larger than the limit") {
		t.Errorf("%v, want an unclear outcome that names the limit", err)
	}
	if len(v.Issues()) != 1 || v.Calls("createIssue") != 1 {
		t.Errorf("%d issues after %d calls, want one after one", len(v.Issues()), v.Calls("createIssue"))
	}
}

// padded makes the answer to a creation larger than any that is read.
type padded struct{ http.RoundTripper }

// RoundTrip meets http.RoundTripper.
func (p padded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := p.RoundTripper.RoundTrip(r)
	if err == nil && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/issue") {
		res.Body = &longBody{ReadCloser: res.Body, rest: 5 << 20}
	}
	return res, err
}

// longBody reads spaces after the end of a body.
type longBody struct {
	io.ReadCloser
	rest int
}

func (b *longBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if !errors.Is(err, io.EOF) || b.rest <= 0 {
		return n, err
	}
	for i := range p[n:] {
		p[n+i] = ' '
	}
	b.rest -= len(p) - n
	return len(p), nil
}

// TestOldSearchOfCloud: Cloud answers 410 to the search of Data Center. What a
// person can do about it is said, and no "not found" is made of it.
func TestOldSearchOfCloud(t *testing.T) {
	t.Parallel()
	v := run(t, false, func(held *fake.Options, asks *jira.Options) {
		held.Cloud, held.Email, asks.Email = true, "dw@example.com", "dw@example.com"
	})
	_, found, err := v.client.Find(t.Context(), "INC-7", "jira:OPS")
	refused, ok := errors.AsType[*jira.RefusedError](err)
	if !ok || found || refused.Status != http.StatusGone {
		t.Fatalf("found %v, %v; want a refusal with 410", found, err)
	}
	for _, says := range []string{"find the ticket of INC-7", "410", "has been removed", "set jira.cloud to true"} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
	}
	if v.Calls("oldSearch") != 1 {
		t.Errorf("%d calls of the old search, want one", v.Calls("oldSearch"))
	}
}
