package demo

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dw/internal/fakes/jira"
	"dw/internal/fakes/pagerduty"
)

// TestMissingOrDoubledBreaksThePromise: what is not there, or there twice, in
// PagerDuty or Jira makes the story's promise fail.
func TestMissingOrDoubledBreaksThePromise(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	o := Options{Dir: filepath.Join(t.TempDir(), "demo"), Variant: variantLate, Auto: true, Out: &out, history: testHistory(t)}
	err := withConductor(t.Context(), o, func(ctx context.Context, c *conductor) error {
		return c.withDW(ctx, func(ctx context.Context, stopDW func() error) error {
			if err := c.play(ctx); err != nil {
				return err
			}
			if err := stopDW(); err != nil {
				return err
			}
			if _, broken, err := c.ending(ctx); broken != nil || err != nil {
				t.Fatalf("the story did not hold as it was played: %v, %v", broken, err)
			}
			c.spoilEach(t)
			return nil
		})
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
}

// spoilEach spoils one thing after the other and asks for the promise each time.
func (c *conductor) spoilEach(t *testing.T) {
	t.Helper()
	page, issue := c.pager.Incidents()[0], c.tracker.Issues()[0]
	note := page.Notes[0]
	pager, tracker := c.pager, c.tracker
	noPages, err := pagerduty.New(pagerduty.Options{Now: time.Now, NewID: func() string { return "P1" }})
	if err != nil {
		t.Fatal(err)
	}
	noTickets, err := jira.New(jira.Options{Token: "x", Now: time.Now, Projects: []jira.Project{{ID: "1", Key: "X"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(noPages.Close)
	t.Cleanup(noTickets.Close)
	for _, step := range []struct {
		want  string
		spoil func()
	}{
		{"PagerDuty has 0 pages", func() { c.pager = noPages }},
		{"the note " + markOf(note) + " stands twice", func() {
			c.pager = pager
			c.send(t, pager, "/incidents/"+page.ID+"/notes", "Token token="+c.tokens.pager, map[string]any{"note": map[string]any{"content": note.Content}})
		}},
		{"PagerDuty has 2 pages", func() {
			c.send(t, pager, "/v2/enqueue", "", map[string]any{
				"routing_key": c.tokens.route, "event_action": "trigger", "dedup_key": page.Key,
				"payload": map[string]any{"summary": page.Title, "source": page.Source, "severity": page.Severity},
			})
		}},
		{"Jira has 0 tickets", func() { c.tracker = noTickets }},
		{"Jira has 2 tickets", func() {
			c.tracker = tracker
			c.send(t, tracker, "/rest/api/3/issue", "Basic "+base64.StdEncoding.EncodeToString([]byte(trackerEmail+":"+c.tokens.tracker)), map[string]any{
				"fields": map[string]any{"project": map[string]any{"key": trackerProject}, "issuetype": map[string]any{"id": issue.Type}, "summary": issue.Summary()},
			})
		}},
	} {
		step.spoil()
		_, broken, err := c.ending(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if broken == nil || !strings.Contains(broken.Error(), step.want) {
			t.Errorf("the promise is broken by %v, want %q", broken, step.want)
		}
	}
}

// send makes a call to a stand-in beside dw.
func (c *conductor) send(t *testing.T, to http.Handler, path, authorization string, body any) {
	t.Helper()
	content, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, bytes.NewReader(content))
	r.Header.Set("Authorization", authorization)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("From", ownerEmail)
	w := httptest.NewRecorder()
	to.ServeHTTP(w, r)
	if w.Code >= http.StatusBadRequest {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
}
