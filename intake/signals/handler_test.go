package signals_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dw/intake"
	"dw/intake/signals"
)

const (
	token  = "token-of-sixteen-and-more"
	next   = "token-that-comes-next"
	newKey = "new-key-of-sixteen-chars"
	oldKey = "old-key-of-sixteen-chars"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// ledger remembers signals by event, and knows the asset orders alone.
type ledger struct {
	seen map[string]signals.Signal
	err  error
}

func (l *ledger) RecordSignal(_ context.Context, source string, s signals.Signal) (signals.Outcome, string, error) {
	if l.err != nil {
		return "", "", l.err
	}
	if _, ok := l.seen[s.Event(source)]; ok {
		return signals.Known, "", nil
	}
	l.seen[s.Event(source)] = s
	if len(s.Named) == 0 || s.Named[0] != "orders" {
		return signals.Unknown, "unknown asset", nil
	}
	return signals.Recorded, "", nil
}

func handler(t *testing.T, tool string, keys ...string) (*signals.Handler, *ledger) {
	t.Helper()
	l := &ledger{seen: map[string]signals.Signal{}}
	h, err := signals.New(signals.Options{
		Source: signals.Source{Name: "prod", Tool: tool, Tokens: []string{token, next}, Keys: keys}, Recorder: l, Now: func() time.Time { return noon },
	})
	if err != nil {
		t.Fatal(err)
	}
	return h, l
}

func post(h http.Handler, body string, header map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/intake/signals/prod", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func bearer() map[string]string { return map[string]string{"Authorization": "Bearer " + token} }

func soda(at, table string) string {
	return fmt.Sprintf(`{"scanStartTimestamp":%q,"checks":[{"name":"rows","table":%q,"outcome":"fail"}]}`, at, table)
}

func answerOf(t *testing.T, w *httptest.ResponseRecorder) signals.Answer {
	t.Helper()
	var a signals.Answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return a
}

func TestRepeatsAreDropped(t *testing.T) {
	t.Parallel()
	h, _ := handler(t, signals.Soda)
	body := soda("2026-03-04T11:00:00Z", "orders")
	if a := answerOf(t, post(h, body, bearer())); a.Recorded != 1 || a.Known != 0 {
		t.Errorf("first: %+v", a)
	}
	if a := answerOf(t, post(h, body, bearer())); a.Recorded != 0 || a.Known != 1 {
		t.Errorf("again: %+v", a)
	}
	if a := answerOf(t, post(h, soda("2026-03-04T11:30:00Z", "orders"), bearer())); a.Recorded != 1 {
		t.Errorf("the next scan: %+v", a)
	}
}

func TestAnUnknownAssetIsSaid(t *testing.T) {
	t.Parallel()
	h, _ := handler(t, signals.Soda)
	a := answerOf(t, post(h, soda("2026-03-04T11:00:00Z", "oders"), bearer()))
	if a.Recorded != 1 || len(a.Unknown) != 1 || a.Unknown[0].Check != "oders/rows" || a.Unknown[0].Problem != "unknown asset" {
		t.Errorf("%+v", a)
	}
}

func TestWhoMaySend(t *testing.T) {
	t.Parallel()
	body := string(readPayload(t, "monte_carlo_created.json"))
	vendor := func(key, signed string) map[string]string {
		sent, err := signals.SignMonteCarlo(key, []byte(signed))
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{signals.MonteCarloHeader: sent}
	}
	for name, tc := range map[string]struct {
		header map[string]string
		want   int
	}{
		"token":                     {bearer(), 200},
		"the token that comes next": {map[string]string{"Authorization": "Bearer " + next}, 200},
		"the tool's signature":      {vendor(newKey, body), 200},
		"with the old key":          {vendor(oldKey, body), 200},
		"dw's own signature":        {map[string]string{intake.SignatureHeader: intake.Sign(newKey, []byte(body))}, 200},
		"nothing":                   {nil, 401},
		"wrong token":               {map[string]string{"Authorization": "Bearer " + token + "x"}, 401},
		"a foreign key":             {vendor("a-key-that-is-not-known", body), 401},
		"signature of another body": {vendor(newKey, `{"type":"x"}`), 401},
		"signature that is no hex":  {map[string]string{signals.MonteCarloHeader: "zz"}, 401},
		"a key as a token":          {map[string]string{"Authorization": "Bearer " + newKey}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, l := handler(t, signals.MonteCarlo, newKey, oldKey)
			w := post(h, body, tc.header)
			if w.Code != tc.want || (len(l.seen) == 1) != (tc.want == 200) {
				t.Errorf("%d %s with %d recorded, want %d", w.Code, w.Body, len(l.seen), tc.want)
			}
			for _, secret := range []string{token, next, newKey, oldKey} {
				if strings.Contains(w.Body.String(), secret) {
					t.Errorf("the answer holds a secret: %s", w.Body)
				}
			}
		})
	}
}

// A tool that signs in no way of its own is not let in by a header of another's.
func TestAnotherToolsSignatureIsNone(t *testing.T) {
	t.Parallel()
	body := `{"checks":[],"type":"x"}`
	sent, err := signals.SignMonteCarlo(newKey, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	h, _ := handler(t, signals.Soda, newKey)
	if w := post(h, body, map[string]string{signals.MonteCarloHeader: sent}); w.Code != http.StatusUnauthorized {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	ten := `{"checks":[` + strings.Repeat(" ", 10<<20) + `]}`
	for name, tc := range map[string]struct {
		body   string
		header map[string]string
		code   int
		words  string
	}{
		"10 MB":         {ten, bearer(), 413, "larger than 8388608 bytes"},
		"another type":  {`{}`, map[string]string{"Authorization": "Bearer " + token, "Content-Type": "text/plain"}, 415, "application/json"},
		"no JSON":       {`<x>`, bearer(), 400, "not what Soda sends"},
		"half a result": {`{"checks":[{"name":"a","table":"orders","outcome":"fail"},{"outcome":"fail"}]}`, bearer(), 400, "check 2: name is missing"},
		"the future":    {soda("2026-03-04T12:30:00Z", "orders"), bearer(), 400, "result 1 lies in the future"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, l := handler(t, signals.Soda)
			w := post(h, tc.body, tc.header)
			if w.Code != tc.code || !strings.Contains(w.Body.String(), tc.words) || len(l.seen) != 0 {
				t.Errorf("%d %s with %d recorded, want %d that says %q and none", w.Code, w.Body, len(l.seen), tc.code, tc.words)
			}
		})
	}
}

// A signed body could be sent again by whoever saw it: what is older than dw
// remembers is not taken. A token's holder may speak of an alert that began long
// ago.
func TestASignedStatementMayNotBeOld(t *testing.T) {
	t.Parallel()
	body := soda(noon.Add(-signals.MaxAge-time.Minute).Format(time.RFC3339), "orders")
	h, l := handler(t, signals.Soda, newKey)
	a := answerOf(t, post(h, body, map[string]string{intake.SignatureHeader: intake.Sign(newKey, []byte(body))}))
	if a.Old != 1 || a.Recorded != 0 || len(l.seen) != 0 {
		t.Errorf("%+v with %d recorded", a, len(l.seen))
	}
	h, _ = handler(t, signals.Soda)
	if a := answerOf(t, post(h, body, bearer())); a.Recorded != 1 {
		t.Errorf("by a token: %+v", a)
	}
}

func TestAStoreThatFailsAsksToSendAgain(t *testing.T) {
	t.Parallel()
	h, l := handler(t, signals.Soda)
	l.err = errors.New("disk of db7 is full")
	w := post(h, soda("2026-03-04T11:00:00Z", "orders"), bearer())
	if w.Code != 500 || !strings.Contains(w.Body.String(), "send the same request again") || strings.Contains(w.Body.String(), "db7") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestSourcesThatWouldLetAnybodyIn(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]signals.Source{
		"no secret":    {Name: "a", Tool: signals.Soda},
		"short token":  {Name: "a", Tool: signals.Soda, Tokens: []string{"short"}},
		"short key":    {Name: "a", Tool: signals.Soda, Tokens: []string{token}, Keys: []string{"short"}},
		"unknown tool": {Name: "a", Tool: "nagios", Tokens: []string{token}},
	} {
		if _, err := signals.New(signals.Options{Source: s, Recorder: &ledger{}, Now: time.Now}); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
