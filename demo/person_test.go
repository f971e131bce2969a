package demo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dw/slackdev"
)

// TestRejected plays as a person who rejects the change: the story says what
// that means and ends, and nothing outside was touched.
func TestRejected(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	o := Options{Dir: filepath.Join(t.TempDir(), "demo"), Out: &out, history: testHistory(t)}
	err := withConductor(t.Context(), o, func(ctx context.Context, c *conductor) error {
		return c.withDW(ctx, func(ctx context.Context, _ func() error) error {
			person := make(chan error, 1)
			go func() { person <- rejectChange(ctx, c) }()
			if err := errors.Join(c.play(ctx), <-person); err != nil {
				return err
			}
			incident, _ := incidentCard(c.slack.Snapshot())
			c.opensPage(t, incident)
			if !c.over || incident.is("Resolved") {
				t.Errorf("over %v, the incident says %q", c.over, incident.header)
			}
			if encodes, err := pipelineEncodes(c.repo.pipeline()); encodes || err != nil {
				t.Errorf("the pipeline was changed although it was rejected (%v)", err)
			}
			if s, _ := c.dagster.Schedule(jobPayout + scheduleSuffix); !s.Running {
				t.Error("the schedule was paused after the story had ended")
			}
			return nil
		})
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if !strings.Contains(out.String(), "The incident stays open") {
		t.Errorf("the story does not say what a rejection means:\n%s", out.String())
	}
}

// opensPage follows the link of the card to the page and holds that it leads to the
// incident, which the owner acknowledged there.
func (c *conductor) opensPage(t *testing.T, incident card) {
	t.Helper()
	link := regexp.MustCompile(`http://127\.0\.0\.1:\d+/\S+`).FindString(lineOf(incident.whole, "Page: "))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("the link %q of the card: %v\n%s", link, err, incident.whole)
	}
	defer res.Body.Close() //nolint:errcheck // only read
	page, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"<b>acknowledged</b>", "acknowledge by " + ownerEmail, incident.id(), "First harm"} {
		if !strings.Contains(string(page), says) {
			t.Errorf("the page at %s does not say %q: %s", link, says, page)
		}
	}
}

// rejectChange approves P1 and P3 and rejects P2 with a reason, as the owner.
func rejectChange(ctx context.Context, c *conductor) error {
	var p plan
	err := c.slack.Wait(ctx, func(s slackdev.Snapshot) bool {
		var ok bool
		p, ok = planCards(s, c.repo.pipelineName(), c.repo.modelName())
		return ok
	})
	if err != nil {
		return err
	}
	if err := errors.Join(c.click(ctx, ownerID, p.hold, buttonApprove), c.click(ctx, ownerID, p.recover, buttonApprove),
		c.click(ctx, ownerID, p.change, "dw_reject")); err != nil {
		return err
	}
	var view slackdev.View
	err = c.slack.Wait(ctx, func(s slackdev.Snapshot) bool {
		if open := s.Modals[ownerID]; len(open) > 0 {
			view = open[0]
		}
		return view.ID != ""
	})
	if err != nil {
		return err
	}
	outcome, err := c.slack.Submit(ctx, ownerID, view.ID, map[string]map[string]any{"reason": {"reason_text": "the subject is wrong"}})
	if err == nil && outcome.Error != "" {
		err = errors.New(outcome.Error)
	}
	return err
}
