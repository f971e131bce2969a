package pagerduty_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dw/internal/fakes/pagerduty"
)

// TestSite follows the address that the API gives of an incident to its page, which
// shows the state as it is then, and shows what others sent as text.
func TestSite(t *testing.T) {
	t.Parallel()
	s, err := pagerduty.New(pagerduty.Options{
		Site: "http://site.example", Now: func() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) }, NewID: func() string { return "Q1" },
		Users:    []pagerduty.User{{ID: "PANA", Name: "Ana", Email: "ana@site.example"}},
		Services: []pagerduty.Service{{ID: "PSERV", Name: "Data", RoutingKey: "route"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v2/enqueue", strings.NewReader(`{"routing_key":"route","event_action":"trigger","dedup_key":"INC-1",
		"links":[{"href":"https://chat.example/1"}],"payload":{"summary":"<script>alert(1)</script>","source":"dw","severity":"error","custom_details":{"Cause":"late load"}}}`)))
	if w.Code != http.StatusAccepted {
		t.Fatalf("trigger: %d %s", w.Code, w.Body)
	}
	var answer struct {
		Incident struct {
			URL string `json:"html_url"`
		}
	}
	if _, body := get("/incidents/Q1"); json.Unmarshal([]byte(body), &answer) != nil || !strings.HasPrefix(answer.Incident.URL, "http://site.example/") {
		t.Fatalf("the API gives no page: %s", body)
	}
	path := strings.TrimPrefix(answer.Incident.URL, "http://site.example")
	code, page := get(path)
	for _, says := range []string{"<b>triggered</b>", "INC-1", "severity error", "<dt>Cause</dt><dd>late load</dd>", `href="https://chat.example/1"`, "&lt;script&gt;"} {
		if code != http.StatusOK || !strings.Contains(page, says) {
			t.Errorf("%d, without %q: %s", code, says, page)
		}
	}
	if strings.Contains(page, "<script>") {
		t.Error("the page runs what others sent")
	}
	if err := s.Acknowledge("Q1", "PANA"); err != nil {
		t.Fatal(err)
	}
	if _, page := get(path); !strings.Contains(page, "<b>acknowledged</b>") || !strings.Contains(page, "acknowledge by ana@site.example") {
		t.Errorf("the page does not show who acknowledged: %s", page)
	}
	if code, _ := get(strings.Replace(path, "Q1", "Q2", 1)); code != http.StatusNotFound {
		t.Errorf("an incident that is not there: %d", code)
	}
}
