package metrics_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dw/intake/metrics"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

const token = "0123456789abcdef"

func TestDecode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body    string
		values  int
		refuses string
	}{
		"one":                {`{"metric":"shop.latency_ms","at":"2026-03-04T11:00:00Z","value":12.5}`, 1, ""},
		"several":            {`[{"metric":"a","at":"2026-03-04T12:00:00+01:00","value":0},{"metric":"b","at":"2026-03-04T12:09:00Z","value":-1}]`, 2, ""},
		"nothing":            {` `, 0, "the body is empty"},
		"an empty array":     {`[]`, 0, "the array is empty"},
		"no metric":          {`{"at":"2026-03-04T11:00:00Z","value":1}`, 0, `value 1: metric ""`},
		"a name with spaces": {`{"metric":"a b","at":"2026-03-04T11:00:00Z","value":1}`, 0, "value 1: metric"},
		"great letters":      {`{"metric":"A","at":"2026-03-04T11:00:00Z","value":1}`, 0, "small letters"},
		"a reserved name":    {`{"metric":"sqlite_x","at":"2026-03-04T11:00:00Z","value":1}`, 0, "not sqlite_"},
		"quotes in the name": {`{"metric":"a\"; drop table x","at":"2026-03-04T11:00:00Z","value":1}`, 0, "value 1: metric"},
		"no time":            {`{"metric":"a","value":1}`, 0, "at is missing"},
		"no zone":            {`{"metric":"a","at":"2026-03-04T11:00:00","value":1}`, 0, "no value of a metric"},
		"no value":           {`{"metric":"a","at":"2026-03-04T11:00:00Z"}`, 0, "value is missing"},
		"null":               {`{"metric":"a","at":"2026-03-04T11:00:00Z","value":null}`, 0, "value is missing"},
		"text":               {`{"metric":"a","at":"2026-03-04T11:00:00Z","value":"1"}`, 0, "no value of a metric"},
		"too large":          {`{"metric":"a","at":"2026-03-04T11:00:00Z","value":1e999}`, 0, "no value of a metric"},
		"the future":         {`[{"metric":"a","at":"2026-03-04T11:00:00Z","value":1},{"metric":"a","at":"2026-03-04T12:11:00Z","value":1}]`, 0, "value 2: at lies in the future"},
		"the far past":       {`{"metric":"a","at":"2025-01-01T00:00:00Z","value":1}`, 0, "400 days back"},
		"an unknown key":     {`{"metric":"a","at":"2026-03-04T11:00:00Z","value":1,"unit":"ms"}`, 0, "unknown field"},
		"more":               {`{"metric":"a","at":"2026-03-04T11:00:00Z","value":1} 2`, 0, "something follows"},
		"too many":           {"[" + strings.Repeat(`{},`, metrics.MaxValues) + "{}]", 0, "at most 10000"},
		"no UTF-8":           {"{\"metric\":\"\xff\"}", 0, "not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := metrics.Decode([]byte(c.body), now)
			if len(got) != c.values || (err == nil) != (c.refuses == "") || err != nil && !strings.Contains(err.Error(), c.refuses) {
				t.Errorf("got %+v, %v; want %d values, error %q", got, err, c.values, c.refuses)
			}
		})
	}
}

// kept records what it is handed, or fails.
type kept struct {
	values []metrics.Value
	err    error
}

func (k *kept) RecordMetrics(_ context.Context, values []metrics.Value) (metrics.Answer, error) {
	if k.err != nil {
		return metrics.Answer{}, k.err
	}
	k.values = append(k.values, values...)
	return metrics.Answer{Recorded: len(values)}, nil
}

func TestHandler(t *testing.T) {
	t.Parallel()
	good := `{"metric":"a","at":"2026-03-04T11:00:00Z","value":1}`
	for name, c := range map[string]struct {
		auth, body string
		fails      error
		status     int
		stored     int
		says       string
	}{
		"a value":         {"Bearer " + token, good, nil, 200, 1, `"recorded":1`},
		"no token":        {"", good, nil, 401, 0, "Authorization"},
		"a wrong token":   {"Bearer fedcba9876543210", good, nil, 401, 0, "Authorization"},
		"one bad of two":  {"Bearer " + token, "[" + good + `,{"metric":"a"}]`, nil, 400, 0, "value 2: at is missing"},
		"over a megabyte": {"Bearer " + token, `{"metric":"` + strings.Repeat("a", metrics.MaxBody) + `"}`, nil, 413, 0, "larger than 1048576 bytes"},
		"no database":     {"Bearer " + token, good, errors.New("disk full"), 500, 0, "send the same request again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &kept{err: c.fails}
			h, err := metrics.New(metrics.Options{Recorder: k, Tokens: []string{token}, Now: func() time.Time { return now }})
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/intake/metrics", strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/json")
			if c.auth != "" {
				r.Header.Set("Authorization", c.auth)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.status || len(k.values) != c.stored || !strings.Contains(w.Body.String(), c.says) || strings.Contains(w.Body.String(), "disk") {
				t.Errorf("%d %s, %d stored; want %d, %d, %q", w.Code, w.Body, len(k.values), c.status, c.stored, c.says)
			}
		})
	}
	if _, err := metrics.New(metrics.Options{Recorder: &kept{}, Now: time.Now}); err == nil {
		t.Error("a handler that lets anybody in was made")
	}
}

// FuzzDecode: what is taken in can be written and read again as it is, and every
// value is within the limits.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"metric":"a","at":"2026-03-04T11:00:00Z","value":1}`))
	f.Add([]byte(`[{"metric":"a.b/c:d-e","at":"2026-03-04T12:00:00.123456789+14:00","value":-1e300}]`))
	f.Add([]byte(`[{"metric":"a","at":"0001-01-01T00:00:00Z","value":1}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		values, err := metrics.Decode(body, now)
		if err != nil {
			return
		}
		again, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		read, err := metrics.Decode(again, now)
		if err != nil || len(read) != len(values) {
			t.Fatalf("%s cannot be read again: %v", again, err)
		}
		for i, v := range values {
			if read[i] != v || metrics.CheckName(v.Metric) != nil || v.At.After(now.Add(time.Hour)) || v.At.Before(now.Add(-metrics.MaxAge)) {
				t.Fatalf("value %+v, read again %+v", v, read[i])
			}
		}
	})
}
