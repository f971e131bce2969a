package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"dw/bot"
	"dw/slackdev"
	"dw/workflows"
)

// threads is a Deliverer with one incident, whose card is posted, against a
// workspace of the test's own.
func threads(t *testing.T) (*slackdev.Server, *Deliverer) {
	t.Helper()
	server, client := workspace(t, slackdev.Options{Unlimited: true})
	root, err := client.Post(context.Background(), "C0DATA", bot.Message{Text: "incident"}, bot.PostOptions{})
	if err != nil {
		t.Fatal(err)
	}
	state := &one{incident: workflows.Incident{ID: "INC-1", Card: workflows.MessageRef{Channel: "C0DATA", TS: root}, Rev: 1}}
	return server, &Deliverer{
		Poster: client, OpenDM: client.OpenDM, Placer: state, Loader: state, Zone: time.UTC, Now: time.Now,
		Policy: func(string) (workflows.Policy, bool) { return workflows.Policy{Channel: "C0DATA"}, true },
		Logger: slog.New(slog.DiscardHandler),
	}
}

// say delivers the note of a revision.
func say(d *Deliverer, rev, n int) error {
	payload, err := json.Marshal(workflows.ThreadNote{Incident: "INC-1", Text: fmt.Sprintf("note %d.%d", rev, n)})
	if err != nil {
		return err
	}
	return d.Deliver(context.Background(), workflows.Effect{
		Kind: workflows.EffectThreadNote, Key: fmt.Sprintf("slack.note/INC-1/%d/%d", rev, n), Payload: payload,
	})
}

func read(server *slackdev.Server) []string {
	var texts []string
	for _, m := range server.Messages("C0DATA")[1:] {
		texts = append(texts, m.Text)
	}
	return texts
}

// TestThreadKeepsItsOrderOverAnOutage: notes that could not be posted go before
// younger ones, whichever effect comes back first, and each once.
func TestThreadKeepsItsOrderOverAnOutage(t *testing.T) {
	t.Parallel()
	server, d := threads(t)
	server.FailFor(slackdev.EveryMethod, time.Hour, slackdev.FaultStatus(http.StatusInternalServerError))
	for _, rev := range []int{9, 10, 11} {
		if err := say(d, rev, 0); err == nil {
			t.Fatalf("note %d was delivered to a Slack that answers 500", rev)
		}
	}
	server.Heal()
	for _, note := range [][2]int{{10, 1}, {11, 0}, {9, 0}, {10, 0}, {10, 1}} {
		if err := say(d, note[0], note[1]); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := read(server), []string{"note 9.0", "note 10.0", "note 10.1", "note 11.0"}; !slices.Equal(got, want) {
		t.Fatalf("the thread reads %q, want %q", got, want)
	}
}

// TestRefusedNoteHoldsNobodyUp: a note that Slack refuses is reported by its own
// effect, and the others are posted.
func TestRefusedNoteHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	server, d := threads(t)
	server.Fail("chat.postMessage", 2, slackdev.FaultError("msg_too_long"))
	if err := say(d, 1, 0); err == nil {
		t.Fatal("a refused note was delivered")
	}
	if err := say(d, 2, 0); err != nil {
		t.Fatal(err)
	}
	if got := read(server); !slices.Equal(got, []string{"note 2.0"}) {
		t.Fatalf("the thread reads %q", got)
	}
}
