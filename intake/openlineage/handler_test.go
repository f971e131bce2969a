package openlineage_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dw/intake/openlineage"
	"dw/lineage"
)

const token = "token-of-sixteen-and-more"

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// keeper builds a graph of all that it is given.
type keeper struct {
	stated lineage.Statements
	err    error
}

func (k *keeper) RecordLineage(_ context.Context, s lineage.Statements) error {
	if k.err != nil {
		return k.err
	}
	k.stated.Assets = append(k.stated.Assets, s.Assets...)
	k.stated.Edges = append(k.stated.Edges, s.Edges...)
	return nil
}

func handler(t *testing.T, k *keeper) *openlineage.Handler {
	t.Helper()
	h, err := openlineage.New(openlineage.Options{Graph: k, Tokens: []string{"another-token-of-dw", token}, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func event(at, input string) string {
	return `{"eventType":"COMPLETE","eventTime":"` + at + `","run":{"runId":"r"},"job":{"namespace":"cron","name":"etl"},
		"inputs":[{"namespace":"postgres://db:5432","name":"` + input + `"}]}`
}

func post(h http.Handler, body io.Reader, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/intake/openlineage", body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestTakesIn(t *testing.T) {
	t.Parallel()
	k := &keeper{}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(event("2026-03-04T11:00:00Z", "shop.raw.c")))
	_ = z.Close()
	for _, body := range []io.Reader{
		strings.NewReader(event("2026-03-04T11:00:00Z", "shop.raw.a")),
		strings.NewReader("[" + event("2026-03-04T11:00:00Z", "shop.raw.b") + "]"),
		&packed,
	} {
		if w := post(handler(t, k), body, nil); w.Code != http.StatusOK || w.Body.String() != `{"assets":2,"edges":1}`+"\n" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	var from []string
	for _, e := range k.stated.Edges {
		from = append(from, string(e.From)+" > "+string(e.To))
	}
	want := "postgres://db:5432/shop.raw.a > job://cron/etl, postgres://db:5432/shop.raw.b > job://cron/etl, postgres://db:5432/shop.raw.c > job://cron/etl"
	if got := strings.Join(from, ", "); got != want {
		t.Errorf("got %s", got)
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	good := event("2026-03-04T11:00:00Z", "a.b.c")
	for name, tc := range map[string]struct {
		body   string
		change func(*http.Request)
		status int
		want   string
	}{
		"no token":         {good, func(r *http.Request) { r.Header.Del("Authorization") }, 401, "Bearer TOKEN"},
		"a wrong token":    {good, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"x") }, 401, "Bearer TOKEN"},
		"two tokens":       {good, func(r *http.Request) { r.Header.Add("Authorization", "Bearer x") }, 401, "Bearer TOKEN"},
		"GET":              {"", func(r *http.Request) { r.Method = http.MethodGet }, 405, "use POST"},
		"another form":     {good, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415, "application/json"},
		"too large":        {"[" + strings.Repeat(" ", openlineage.MaxBody) + "]", nil, 413, "larger than 8388608 bytes"},
		"one of two bad":   {"[" + good + `,{"job":{"name":"x"}}]`, nil, 400, "event 2: job.namespace is missing"},
		"not yet":          {event("2026-03-04T12:11:00Z", "a.b.c"), nil, 400, "in the future"},
		"a bomb, unpacked": {bomb(), nil, 413, "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &keeper{}
			w := post(handler(t, k), strings.NewReader(tc.body), tc.change)
			if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.want) {
				t.Errorf("%d %s, want %d %q", w.Code, w.Body, tc.status, tc.want)
			}
			if len(k.stated.Assets) > 0 {
				t.Error("something was recorded")
			}
		})
	}
}

// bomb is small, and larger than the limit when unpacked.
func bomb() string {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("["))
	_, _ = z.Write(bytes.Repeat([]byte(" "), openlineage.MaxBody))
	_ = z.Close()
	return packed.String()
}

// TestStoreFails: the sender is told to send again, and nothing of the reason.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	w := post(handler(t, &keeper{err: errors.New("disk full at /secret")}), strings.NewReader(event("2026-03-04T11:00:00Z", "a.b.c")), nil)
	if w.Code != 500 || !strings.Contains(w.Body.String(), "send the same request again") || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return noon }
	for name, o := range map[string]openlineage.Options{
		"no keeper":     {Tokens: []string{token}, Now: now},
		"no clock":      {Graph: &keeper{}, Tokens: []string{token}},
		"no token":      {Graph: &keeper{}, Now: now},
		"a short token": {Graph: &keeper{}, Tokens: []string{token, "short"}, Now: now},
	} {
		if _, err := openlineage.New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
