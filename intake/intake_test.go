package intake_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dw/diagnosis"
	"dw/intake"
)

const (
	token  = "token-of-sixteen-and-more"
	newKey = "new-key-of-sixteen-chars"
	oldKey = "old-key-of-sixteen-chars"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// ledger is a service that remembers events by system and id.
type ledger struct {
	seen map[string]diagnosis.ChangeEvent
	err  error
}

func (l *ledger) RecordChange(_ context.Context, c diagnosis.ChangeEvent) (bool, error) {
	if l.err != nil {
		return false, l.err
	}
	key := c.System + "\x00" + c.ID
	if _, ok := l.seen[key]; ok {
		return false, nil
	}
	l.seen[key] = c
	return true, nil
}

func handler(t *testing.T) (*intake.Handler, *ledger, *bytes.Buffer) {
	t.Helper()
	l, log := &ledger{seen: map[string]diagnosis.ChangeEvent{}}, &bytes.Buffer{}
	h, err := intake.New(intake.Options{
		Changes: l, Tokens: []string{token, "token-that-comes-next"}, Keys: []string{newKey, oldKey}, Now: func() time.Time { return noon },
		Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return h, l, log
}

func event(id string) string {
	return fmt.Sprintf(`{"id":%q,"system":"ci","kind":"deploy","asset":"bridge","at":"2026-03-04T10:55:00Z","text":"a & b"}`, id)
}

func post(h http.Handler, body string, header map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/intake/changes", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func bearer() map[string]string { return map[string]string{"Authorization": "Bearer " + token} }

func TestRecordsAndDropsRepeats(t *testing.T) {
	t.Parallel()
	h, l, _ := handler(t)
	for _, tc := range []struct{ body, want string }{
		{event("1"), `{"recorded":1,"known":0}`},
		{event("1"), `{"recorded":0,"known":1}`},
		{"[" + event("1") + "," + event("2") + "," + event("2") + "]", `{"recorded":1,"known":2}`},
		{"[]", `{"recorded":0,"known":0}`},
	} {
		if w := post(h, tc.body, bearer()); w.Code != 200 || strings.TrimSpace(w.Body.String()) != tc.want {
			t.Errorf("%s: %d %s, want %s", tc.body, w.Code, w.Body, tc.want)
		}
	}
	got := l.seen["ci\x001"]
	if got.Asset != "bridge" || got.Text != "a & b" || !got.At.Equal(time.Date(2026, 3, 4, 10, 55, 0, 0, time.UTC)) || len(l.seen) != 2 {
		t.Errorf("recorded %+v of %d", got, len(l.seen))
	}
}

func TestWhoMaySend(t *testing.T) {
	t.Parallel()
	body := event("1")
	sig := func(key, signed string) map[string]string {
		return map[string]string{intake.SignatureHeader: intake.Sign(key, []byte(signed))}
	}
	for name, tc := range map[string]struct {
		header map[string]string
		want   int
	}{
		"token":                   {bearer(), 200},
		"scheme in small letters": {map[string]string{"Authorization": "bearer " + token}, 200},
		"new key":                 {sig(newKey, body), 200},
		"old key, while rotating": {sig(oldKey, body), 200},
		"nothing":                 {nil, 401},
		"wrong token":             {map[string]string{"Authorization": "Bearer " + token + "x"}, 401},
		"token cut short":         {map[string]string{"Authorization": "Bearer " + token[:5]}, 401},
		"empty token":             {map[string]string{"Authorization": "Bearer "}, 401},
		"basic":                   {map[string]string{"Authorization": "Basic " + token}, 401},
		"key as a token":          {map[string]string{"Authorization": "Bearer " + newKey}, 401},
		"foreign key":             {sig("a-key-that-is-not-known", body), 401},
		"signature of another":    {sig(newKey, event("2")), 401},
		"no version":              {map[string]string{intake.SignatureHeader: strings.TrimPrefix(intake.Sign(newKey, []byte(body)), "v1=")}, 401},
		"cut signature":           {map[string]string{intake.SignatureHeader: intake.Sign(newKey, []byte(body))[:20]}, 401},
		"empty signature":         {map[string]string{intake.SignatureHeader: "v1="}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, l, _ := handler(t)
			w := post(h, body, tc.header)
			if w.Code != tc.want || (len(l.seen) == 1) != (tc.want == 200) {
				t.Errorf("%d %s with %d recorded, want %d", w.Code, w.Body, len(l.seen), tc.want)
			}
			for _, secret := range []string{token, newKey, oldKey} {
				if strings.Contains(w.Body.String(), secret) {
					t.Errorf("the answer holds a secret: %s", w.Body)
				}
			}
		})
	}
}

func TestTwoSignaturesAreRefused(t *testing.T) {
	t.Parallel()
	h, _, _ := handler(t)
	r := httptest.NewRequest(http.MethodPost, "/intake/changes", strings.NewReader(event("1")))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Add(intake.SignatureHeader, intake.Sign(newKey, []byte(event("1"))))
	r.Header.Add(intake.SignatureHeader, "v1=00")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 401 {
		t.Errorf("status %d, want 401", w.Code)
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	with := func(key, value string) string {
		var m map[string]any
		if err := json.Unmarshal([]byte(event("1")), &m); err != nil {
			t.Fatal(err)
		}
		if m[key] = value; value == "" {
			delete(m, key)
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, tc := range map[string]struct {
		body string
		code int
		want string
	}{
		"empty":              {"", 400, "the body is empty"},
		"not JSON":           {"hello", 400, "not a change event"},
		"unknown key":        {with("colour", "red"), 400, `unknown field \"colour\"`},
		"something after it": {event("1") + event("2"), 400, "something follows"},
		"null":               {"null", 400, "event 1: id is missing"},
		"a number":           {"12", 400, "not a change event"},
		"no id":              {with("id", ""), 400, "event 1: id is missing"},
		"no system":          {with("system", ""), 400, "system is missing"},
		"no asset":           {with("asset", ""), 400, "asset is missing"},
		"blank asset":        {with("asset", "  "), 400, "asset is missing"},
		"no time":            {with("at", ""), 400, "at is missing"},
		"not a time":         {with("at", "yesterday"), 400, "not a change event"},
		"tomorrow":           {with("at", "2026-03-05T12:00:00Z"), 400, "event 1: at lies in the future"},
		"unknown kind":       {with("kind", "party"), 400, `kind \"party\" is not one of deploy, merge, config, schema`},
		"long name":          {with("id", strings.Repeat("x", 300)), 400, "id has 300 bytes"},
		"NUL":                {with("text", "a\x00b"), 400, "text holds control characters"},
		"script as a url":    {with("url", "javascript:alert(1)"), 400, "url is not an http or https address"},
		"not UTF-8":          {"{\"id\":\"\xff\"}", 400, "not UTF-8"},
		"second is bad":      {"[" + event("1") + "," + with("id", "") + "]", 400, "event 2: id is missing"},
		"too many":           {"[" + strings.Repeat(event("1")+",", 1000) + event("1") + "]", 400, "1001 events"},
		"too large":          {with("text", strings.Repeat("x", 1<<20)), 413, "larger than 1048576 bytes"},
		"5 MB":               {many(1250), 413, "larger than 1048576 bytes: send fewer events"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, l, _ := handler(t)
			w := post(h, tc.body, bearer())
			if w.Code != tc.code || !strings.Contains(w.Body.String(), tc.want) {
				t.Errorf("%d %s, want %d that says %q", w.Code, w.Body, tc.code, tc.want)
			}
			if len(l.seen) != 0 {
				t.Errorf("%d events of a refused request were recorded", len(l.seen))
			}
		})
	}
}

// many is an array of good events of 4,000 bytes each.
func many(n int) string {
	var events []string
	for i := range n {
		events = append(events, strings.Replace(event(fmt.Sprint(i)), "a & b", strings.Repeat("x", 3900), 1))
	}
	return "[" + strings.Join(events, ",") + "]"
}

// TestTooLargeThenInParts does what the refusal says: nothing of the large request
// was recorded, and a part that is sent twice is recorded once.
func TestTooLargeThenInParts(t *testing.T) {
	t.Parallel()
	h, l, _ := handler(t)
	for _, step := range []struct {
		body string
		code int
		want string
	}{
		{many(1250), 413, "send fewer events"},
		{many(200), 200, `"recorded":200,"known":0`},
		{many(250), 200, `"recorded":50,"known":200`},
	} {
		if w := post(h, step.body, bearer()); w.Code != step.code || !strings.Contains(w.Body.String(), step.want) {
			t.Errorf("%d bytes: %d %s, want %d that says %q", len(step.body), w.Code, w.Body, step.code, step.want)
		}
	}
	if len(l.seen) != 250 {
		t.Errorf("%d events are recorded, want 250", len(l.seen))
	}
}

func TestOtherRequests(t *testing.T) {
	t.Parallel()
	h, _, _ := handler(t)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/intake/changes", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST" {
		t.Errorf("GET: %d", w.Code)
	}
	if w := post(h, event("1"), map[string]string{"Authorization": "Bearer " + token, "Content-Type": "text/plain"}); w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("text: %d", w.Code)
	}
	if w := post(h, event("1"), map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json; charset=utf-8"}); w.Code != 200 {
		t.Errorf("with a charset: %d", w.Code)
	}
}

func TestAFailingServiceIsNoSuccess(t *testing.T) {
	t.Parallel()
	h, l, log := handler(t)
	l.err = errors.New("disk is full")
	w := post(h, event("1"), bearer())
	if w.Code != 500 || strings.Contains(w.Body.String(), "disk") || !strings.Contains(w.Body.String(), "send the same request again") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "disk is full") {
		t.Errorf("log: %s", log)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return noon }
	for name, o := range map[string]intake.Options{
		"no service":  {Tokens: []string{token}, Now: now},
		"no clock":    {Changes: &ledger{}, Tokens: []string{token}},
		"no secret":   {Changes: &ledger{}, Now: now},
		"empty token": {Changes: &ledger{}, Now: now, Tokens: []string{""}},
		"short key":   {Changes: &ledger{}, Now: now, Keys: []string{"short"}},
	} {
		if _, err := intake.New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestLoadChanges(t *testing.T) {
	t.Parallel()
	got, err := intake.LoadChanges(strings.NewReader(event("1") + "\n\n" + event("2") + "\r\n"))
	if err != nil || len(got) != 2 || got[1].ID != "2" {
		t.Errorf("loaded %+v, %v", got, err)
	}
	got, err = intake.LoadChanges(strings.NewReader(event("1") + "\n{}\n" + event("2") + "\nhello\n"))
	if err == nil || got != nil || !strings.Contains(err.Error(), "line 2: event 1: id is missing") || !strings.Contains(err.Error(), "line 4: ") {
		t.Errorf("loaded %v, %v", got, err)
	}
	if _, err := intake.LoadChanges(strings.NewReader(event("1") + "\n" + strings.Repeat("x", 2<<20))); err == nil || !strings.Contains(err.Error(), "line 2: read change events") {
		t.Errorf("a very long line: %v", err)
	}
	if got, err := intake.LoadChanges(strings.NewReader("")); err != nil || len(got) != 0 {
		t.Errorf("an empty file: %v, %v", got, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(event("1")))
	f.Add([]byte("[" + event("1") + "]"))
	f.Add([]byte("[null]"))
	f.Add([]byte(`{"id":"\u0000"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		events, err := intake.Decode(body)
		if err != nil {
			if events != nil {
				t.Fatal("events beside an error")
			}
			return
		}
		for _, e := range events {
			if e.ID == "" || e.System == "" || e.Asset == "" || e.At.IsZero() {
				t.Fatalf("accepted %+v", e)
			}
		}
		text, err := json.Marshal(events)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := intake.Decode(text); err != nil || len(again) != len(events) {
			t.Fatalf("what was accepted is refused the second time: %v", err)
		}
	})
}
