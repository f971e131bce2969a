package slackdev_test

import (
	"strings"
	"testing"
	"time"

	"dw/slackdev"
)

// trigger clicks a button and returns the trigger id that the app got.
func (b *bundle) trigger(t *testing.T, r *raw) string {
	t.Helper()
	id, _ := b.command(t, r, ann, open)["trigger_id"].(string)
	return id
}

// openModal opens the reject modal for ann and returns its id.
func (b *bundle) openModal(t *testing.T, r *raw) string {
	t.Helper()
	if a := b.call(t, "views.open", "trigger_id", b.trigger(t, r), "view", modal); !a.OK {
		t.Fatalf("views.open: %+v", a)
	}
	views := b.Views(ann)
	return views[len(views)-1].ID
}

func TestTriggerWorksOnceAndForThreeSeconds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.dial(t).hello()
	first, second := b.trigger(t, r), b.trigger(t, r)
	if a := b.call(t, "views.open", "trigger_id", first, "view", modal); !a.OK {
		t.Fatalf("%+v", a)
	}
	if a := b.call(t, "views.open", "trigger_id", first, "view", modal); a.Error != "exchanged_trigger_id" {
		t.Errorf("second use: %+v", a)
	}
	b.clock.Advance(3*time.Second + time.Millisecond)
	if a := b.call(t, "views.open", "trigger_id", second, "view", modal); a.Error != "expired_trigger_id" {
		t.Errorf("after three seconds: %+v", a)
	}
	if n := len(b.Views(ann)); n != 1 {
		t.Errorf("%d modals", n)
	}
}

func TestSubmissionCarriesTheState(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.dial(t).hello()
	view := b.openModal(t, r)
	got := r.app(`{}`)
	out, err := b.Submit(b.ctx, ann, view, map[string]map[string]any{
		"why": {"text": "not this cause"}, "kind": {"pick": "cause"}, "tell": {"who": []string{"cc", "deputy"}},
	})
	if err != nil || !out.Acked || out.Error != "" {
		t.Fatalf("%+v, %v", out, err)
	}
	f := <-got
	if f.Payload["type"] != "view_submission" || !f.Accepts {
		t.Errorf("%+v", f)
	}
	body, _ := f.Payload["view"].(map[string]any)
	state, _ := body["state"].(map[string]any)
	if body["private_metadata"] != "p1" || body["callback_id"] != "reject" || body["id"] != view {
		t.Errorf("view: %v", body)
	}
	want := map[string]string{
		"why": `"not this cause"`, "kind": `"cause"`, "tell": `"cc"`,
	}
	values, _ := state["values"].(map[string]any)
	for block, part := range want {
		if s := mustJSON(t, values[block]); !strings.Contains(s, part) {
			t.Errorf("state of %s: %s", block, s)
		}
	}
	if len(b.Views(ann)) != 0 {
		t.Error("an empty ack must close the modal")
	}
}

func TestClientRefusesIncompleteInput(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.dial(t).hello()
	view := b.openModal(t, r)
	cases := map[string]string{
		"": "Please complete this required field.", "ab": "Please enter at least 3 characters.",
	}
	for text, complaint := range cases {
		out, err := b.Submit(b.ctx, ann, view, map[string]map[string]any{"why": {"text": text}})
		if err != nil || out.Acked || out.Error != slackdev.RequiredField {
			t.Errorf("%q: %+v, %v", text, out, err)
		}
		if got := b.Views(ann)[0].Errors["why"]; got != complaint {
			t.Errorf("%q: shown %q", text, got)
		}
	}
	bad := map[string]map[string]any{"kind": {"pick": "other"}}
	if out, err := b.Submit(b.ctx, ann, view, bad); err == nil {
		t.Errorf("an option that does not exist: %+v", out)
	}
	if out, err := b.Submit(b.ctx, bob, view, nil); err == nil {
		t.Errorf("bob submitted ann's modal: %+v", out)
	}
}

func TestResponseActions(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		payload, wantError string
		open               int
		check              func(v slackdev.View) bool
	}{
		"errors": {
			`{"response_action":"errors","errors":{"why":"Say more."}}`, "", 1,
			func(v slackdev.View) bool { return v.Errors["why"] == "Say more." },
		},
		"errors elsewhere": {`{"response_action":"errors","errors":{"other":"x"}}`, slackdev.BadAck, 1, nil},
		"no errors":        {`{"response_action":"errors"}`, slackdev.BadAck, 1, nil},
		"update": {
			`{"response_action":"update","view":{"type":"modal","title":{"type":"plain_text","text":"Next"},"blocks":[]}}`, "", 1,
			func(v slackdev.View) bool { return strings.Contains(string(v.Body), "Next") },
		},
		"update with nonsense": {`{"response_action":"update","view":{"type":"modal"}}`, slackdev.BadAck, 1, nil},
		"push": {
			`{"response_action":"push","view":{"type":"modal","title":{"type":"plain_text","text":"Top"},"blocks":[]}}`, "", 2,
			func(v slackdev.View) bool { return v.PreviousID != "" && v.RootID == v.PreviousID },
		},
		"clear":   {`{"response_action":"clear"}`, "", 0, nil},
		"unknown": {`{"response_action":"explode"}`, slackdev.BadAck, 1, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			r := b.dial(t).hello()
			view := b.openModal(t, r)
			r.app(c.payload)
			out, err := b.Submit(b.ctx, ann, view, map[string]map[string]any{"why": {"text": "because"}})
			if err != nil || !out.Acked || out.Error != c.wantError {
				t.Errorf("%+v, %v", out, err)
			}
			views := b.Views(ann)
			if len(views) != c.open || c.check != nil && !c.check(views[len(views)-1]) {
				t.Errorf("views %+v", views)
			}
		})
	}
}

func TestStackOfModalsAndClosing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.dial(t).hello()
	first := b.openModal(t, r)
	for range 2 {
		if a := b.call(t, "views.push", "trigger_id", b.trigger(t, r), "view", modal); !a.OK {
			t.Fatalf("push: %+v", a)
		}
	}
	if a := b.call(t, "views.push", "trigger_id", b.trigger(t, r), "view", modal); a.Error != "push_limit_reached" {
		t.Errorf("fourth: %+v", a)
	}
	if _, err := b.CloseView(b.ctx, ann, first); err == nil {
		t.Error("a modal below the top was closed")
	}
	got := r.app(`{}`)
	if out, err := b.CloseView(b.ctx, ann, b.Views(ann)[2].ID); err != nil || !out.Acked {
		t.Fatalf("%+v, %v", out, err)
	}
	if f := <-got; f.Payload["type"] != "view_closed" || len(b.Views(ann)) != 2 {
		t.Errorf("%v, %d left", f.Payload["type"], len(b.Views(ann)))
	}
}

func TestUpdateOfAView(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.dial(t).hello()
	id := b.openModal(t, r)
	old := b.Views(ann)[0].Hash
	next := `{"type":"modal","title":{"type":"plain_text","text":"Ready"},"blocks":[]}`
	if a := b.call(t, "views.update", "view_id", id, "hash", old, "view", next); !a.OK {
		t.Fatalf("%+v", a)
	}
	if a := b.call(t, "views.update", "view_id", id, "hash", old, "view", next); a.Error != "hash_conflict" {
		t.Errorf("old hash: %+v", a)
	}
	if v := b.Views(ann)[0]; !strings.Contains(string(v.Body), "Ready") || v.Hash == old {
		t.Errorf("%+v", v)
	}
}

func TestHome(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.dial(t).hello()
	got := r.app(`{}`, `{}`)
	if out, err := b.OpenHome(b.ctx, ann); err != nil || !out.Acked {
		t.Fatalf("%+v, %v", out, err)
	}
	event, _ := (<-got).Payload["event"].(map[string]any)
	if event["type"] != "app_home_opened" || event["user"] != ann {
		t.Errorf("event: %v", event)
	}
	if a := b.call(t, "views.publish", "user_id", ann, "view", home); !a.OK {
		t.Fatalf("%+v", a)
	}
	v, ok := b.Home(ann)
	if _, others := b.Home(bob); !ok || others {
		t.Error("the Home is ann's alone")
	}
	if out, err := b.ChooseInView(b.ctx, bob, v.ID, "reload", ""); err == nil {
		t.Errorf("bob pressed a button of ann's Home: %+v", out)
	}
	if out, err := b.ChooseInView(b.ctx, ann, v.ID, "reload", ""); err != nil || !out.Acked {
		t.Fatalf("%+v, %v", out, err)
	}
	if f := <-got; mustJSON(t, f.Payload["container"]) != `{"type":"view","view_id":"`+v.ID+`"}` {
		t.Errorf("container: %v", f.Payload["container"])
	}
}
