package slackdev_test

import (
	"testing"

	"dw/slackdev"
)

// subscribed is a workspace whose app hears everything.
func subscribed(t *testing.T, more ...string) *bundle {
	t.Helper()
	return setup(t, func(o *slackdev.Options) { o.Workspace.Events = more })
}

// inner reads the next event of a connection and acknowledges it.
func (r *raw) inner() map[string]any {
	r.t.Helper()
	f := r.read()
	r.ack(f.ID, "{}")
	event, _ := f.Payload["event"].(map[string]any)
	return event
}

func TestAppHearsWhatItSubscribesTo(t *testing.T) {
	t.Parallel()
	bot := "U0BOT00001"
	cases := map[string]struct {
		subscription, channel, text string
		want                        map[string]any
	}{
		"a message in a public channel":  {"message.channels", open, "hi", map[string]any{"type": "message", "text": "hi", "channel_type": "channel"}},
		"a message in a private channel": {"message.groups", inside, "hi", map[string]any{"type": "message", "channel": inside, "channel_type": "group"}},
		"a mention":                      {"app_mention", open, "ask @dw now", map[string]any{"type": "app_mention", "text": "ask <@" + bot + "|dw> now"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := subscribed(t, c.subscription)
			r := b.dial(t).hello()
			// What the app does not subscribe to or may not see comes first; the event
			// read is then the one that was wanted.
			if _, err := b.Say(ann, secret, "", "@dw in a channel without the bot"); err != nil {
				t.Fatal(err)
			}
			other := map[string]string{open: inside, inside: open}[c.channel]
			if _, err := b.Say(ann, other, "", "elsewhere"); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Say(ann, c.channel, "", c.text); err != nil {
				t.Fatal(err)
			}
			got := r.inner()
			for key, want := range c.want {
				if got[key] != want {
					t.Errorf("%s is %v, want %v", key, got[key], want)
				}
			}
			if got["user"] != ann || got["ts"] == "" {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestInviteAndRemove(t *testing.T) {
	t.Parallel()
	b := subscribed(t, "member_joined_channel")
	r := b.dial(t).hello()
	if a := b.call(t, "chat.postMessage", "channel", secret, "text", "x"); a.Error != "not_in_channel" {
		t.Fatalf("%+v", a)
	}
	if err := b.Invite(secret, "U0BOT00001"); err != nil {
		t.Fatal(err)
	}
	if e := r.inner(); e["type"] != "member_joined_channel" || e["user"] != "U0BOT00001" || e["channel"] != secret {
		t.Errorf("told %v", e)
	}
	if a := b.call(t, "chat.postMessage", "channel", secret, "text", "x"); !a.OK {
		t.Errorf("a member: %+v", a)
	}
	if err := b.Remove(secret, "U0BOT00001"); err != nil {
		t.Fatal(err)
	}
	if a := b.call(t, "chat.postMessage", "channel", secret, "text", "x"); a.Error != "not_in_channel" {
		t.Errorf("removed: %+v", a)
	}
}

func TestPublicChannelNeedsMembershipOrItsScope(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scopes []string
		want   string
	}{
		"chat:write alone":             {[]string{"chat:write", "channels:join"}, "not_in_channel"},
		"with chat:write.public":       {[]string{"chat:write", "chat:write.public"}, ""},
		"no list, so everything holds": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(o *slackdev.Options) { o.Workspace.Scopes = c.scopes })
			if err := b.Remove(open, "U0BOT00001"); err != nil {
				t.Fatal(err)
			}
			if a := b.call(t, "chat.postMessage", "channel", open, "text", "x"); a.Error != c.want {
				t.Errorf("%+v", a)
			}
			if c.want == "" {
				return
			}
			if a := b.call(t, "conversations.join", "channel", open); !a.OK {
				t.Fatalf("join: %+v", a)
			}
			if a := b.call(t, "chat.postMessage", "channel", open, "text", "x"); !a.OK {
				t.Errorf("after the join: %+v", a)
			}
		})
	}
}

func TestArchivedChannel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ts := b.post(t, "text", "x")
	if err := b.Archive(open); err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]answer{
		"post":   b.call(t, "chat.postMessage", "channel", open, "text", "x"),
		"update": b.call(t, "chat.update", "channel", open, "ts", ts, "text", "y"),
		"join":   b.call(t, "conversations.join", "channel", open),
	} {
		if a.Error != "is_archived" {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := b.call(t, "conversations.history", "channel", open); !a.OK {
		t.Errorf("an archived channel can be read: %+v", a)
	}
}

func TestDeactivatedPersonCannotAct(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := b.Deactivate(ann); err != nil {
		t.Fatal(err)
	}
	if out, err := b.Command(b.ctx, ann, open, "x"); err == nil {
		t.Errorf("%+v", out)
	}
	if a := b.call(t, "users.lookupByEmail", "email", "ann@acme.example"); a.Error != "users_not_found" {
		t.Errorf("%+v", a)
	}
	if a := b.call(t, "conversations.open", "users", ann); a.Error != "user_disabled" {
		t.Errorf("%+v", a)
	}
}

// TestSharedChannelGetsANewID: a private channel's id starts with C after its
// first share; messages and response URLs move with it.
func TestSharedChannelGetsANewID(t *testing.T) {
	t.Parallel()
	b := subscribed(t, "channel_id_changed")
	r := b.dial(t).hello()
	if a := b.call(t, "chat.postMessage", "channel", inside, "text", "before"); !a.OK {
		t.Fatal(a)
	}
	link, _ := b.command(t, r, ann, inside)["response_url"].(string)
	id, err := b.Share(inside)
	if err != nil || id == inside || id[0] != 'C' {
		t.Fatalf("%s, %v", id, err)
	}
	if e := r.inner(); e["old_channel_id"] != inside || e["new_channel_id"] != id {
		t.Errorf("told %v", e)
	}
	if a := b.call(t, "conversations.info", "channel", inside); a.Error != "channel_not_found" {
		t.Errorf("the old id: %+v", a)
	}
	if m := b.Messages(id); len(m) != 1 || m[0].Text != "before" || m[0].Channel != id {
		t.Errorf("messages %+v", m)
	}
	if a := b.hook(t, link, `{"response_type":"in_channel","text":"after"}`); !a.OK || len(b.Messages(id)) != 2 {
		t.Errorf("a response_url from before: %+v", a)
	}
	if again, err := b.Share(open); err != nil || again != open {
		t.Errorf("a public channel keeps its id: %s, %v", again, err)
	}
}
