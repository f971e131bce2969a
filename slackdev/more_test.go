package slackdev_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"dw/slackdev"

	"github.com/gorilla/websocket"
)

func TestRefusalsOfTheSmallMethods(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) { o.Unlimited = true })
	ts := b.post(t, "text", "x")
	said, err := b.Say(ann, open, "", "mine")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]refusal{
		"api.test asked to fail":  {"api.test", []string{"error", "my_error"}, "my_error"},
		"another bot":             {"bots.info", []string{"bot", "B0OTHER001"}, "bot_not_found"},
		"a type of no channel":    {"conversations.list", []string{"types", "secret_channel"}, "invalid_types"},
		"join a private one":      {"conversations.join", []string{"channel", inside}, "method_not_supported_for_channel_type"},
		"join an unseen one":      {"conversations.join", []string{"channel", secret}, "channel_not_found"},
		"delete nothing":          {"chat.delete", []string{"channel", open, "ts", "1.000001"}, "message_not_found"},
		"delete a person's":       {"chat.delete", []string{"channel", open, "ts", said.TS}, "cant_delete_message"},
		"react with no name":      {"reactions.add", []string{"channel", open, "timestamp", ts, "name", "no name"}, "invalid_name"},
		"react to nothing":        {"reactions.add", []string{"channel", open, "name", "eyes"}, "no_item_specified"},
		"react to a bad time":     {"reactions.add", []string{"channel", open, "name", "eyes", "timestamp", "now"}, "bad_timestamp"},
		"react to a lost one":     {"reactions.add", []string{"channel", open, "name", "eyes", "timestamp", "1.000001"}, "message_not_found"},
		"take back no reaction":   {"reactions.remove", []string{"channel", open, "name", "eyes", "timestamp", ts}, "no_reaction"},
		"members of no group":     {"usergroups.users.list", []string{"usergroup", "S0"}, "no_such_subteam"},
		"information on no file":  {"files.info", []string{"file", "F0"}, "file_not_found"},
		"delete of no file":       {"files.delete", []string{"file", "F0"}, "file_not_found"},
		"direct messages, joined": {"conversations.join", []string{"channel", ann}, "channel_not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			if a := b.call(t, c.method, c.args...); a.OK || a.Error != c.want {
				t.Errorf("%s answered ok=%v %q, want %q", c.method, a.OK, a.Error, c.want)
			}
		})
	}
	if len(b.Messages(open)) != 2 {
		t.Error("a refused call changed something")
	}
}

func TestReactionsAndDelete(t *testing.T) {
	t.Parallel()
	b := setup(t)
	root := b.post(t, "text", "root")
	reply := b.post(t, "text", "reply", "thread_ts", root)
	react := []string{"channel", open, "timestamp", root, "name", "eyes"}
	if a := b.call(t, "reactions.add", react...); !a.OK {
		t.Fatal(a)
	}
	if a := b.call(t, "reactions.add", react...); a.Error != "already_reacted" {
		t.Errorf("%+v", a)
	}
	if m := b.Messages(open)[0]; len(m.Reactions) != 1 || m.Reactions[0].Name != "eyes" {
		t.Errorf("%+v", m)
	}
	if _, _, page := b.get(t, at(ann, open, "")); !strings.Contains(page, "👀 1") {
		t.Error("the page does not show the reaction")
	}
	if a := b.call(t, "reactions.remove", react...); !a.OK || len(b.Messages(open)[0].Reactions) != 0 {
		t.Errorf("%+v, %+v", a, b.Messages(open)[0])
	}
	if a := b.call(t, "chat.delete", "channel", open, "ts", reply); !a.OK {
		t.Fatal(a)
	}
	if m := b.Messages(open); len(m) != 1 || m[0].ReplyCount != 0 {
		t.Errorf("after the delete: %+v", m)
	}
}

func TestListOfChannelsHidesPrivateOnes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for types, want := range map[string]string{
		"": open, "public_channel": open, "private_channel": inside, "public_channel,private_channel": open + " " + inside, "mpim": "",
	} {
		answer := b.body(t, "conversations.list", []string{"types", types})
		channels, _ := answer["channels"].([]any)
		var ids []string
		for _, c := range channels {
			channel, _ := c.(map[string]any)
			id, _ := channel["id"].(string)
			ids = append(ids, id)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("types %q: %s, want %s", types, got, want)
		}
	}
}

func TestUserGroups(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) {
		o.Workspace.Groups = []slackdev.Group{{ID: "S0DATA", Handle: "data-eng", Name: "Data", Users: []string{ann, bob}}}
	})
	groups, err := b.api.GetUserGroupsContext(b.ctx)
	if err != nil || len(groups) != 1 || groups[0].Handle != "data-eng" || groups[0].UserCount != 2 || len(groups[0].Users) != 0 {
		t.Errorf("%+v, %v", groups, err)
	}
	users, err := b.api.GetUserGroupMembersContext(b.ctx, "S0DATA")
	if err != nil || strings.Join(users, " ") != ann+" "+bob {
		t.Errorf("%v, %v", users, err)
	}
}

// TestFailureIsShownAsSlackShowsIt: the warning sign beside the button, for who
// clicked, until a click is taken; the modal stays open and says so.
func TestFailureIsShownAsSlackShowsIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ts := b.post(t, "text", "Pause?", "blocks", approveBlocks)
	if out, err := b.Click(b.ctx, ann, open, ts, "approve"); err != nil || out.Error != slackdev.NotDelivered {
		t.Fatalf("%+v, %v", out, err)
	}
	sign := `class="btn primary failed"`
	if _, _, page := b.get(t, at(ann, open, "")); !strings.Contains(page, sign) {
		t.Error("ann sees no sign")
	}
	if _, _, page := b.get(t, at(bob, open, "")); strings.Contains(page, sign) {
		t.Error("bob sees ann's sign")
	}
	r := b.dial(t).hello()
	view := b.openModal(t, r)
	got := r.app(`{}`)
	if out, err := b.Click(b.ctx, ann, open, ts, "approve"); err != nil || !out.Acked {
		t.Fatalf("%+v, %v", out, err)
	}
	<-got
	if w := b.Snapshot().Warnings; len(w) != 0 {
		t.Errorf("after a click that was taken: %+v", w)
	}
	b.KillSockets()
	b.connected(t, 0)
	values := map[string]map[string]any{"why": {"text": "because"}}
	if out, err := b.Submit(b.ctx, ann, view, values); err != nil || out.Error != slackdev.NotDelivered {
		t.Fatalf("%+v, %v", out, err)
	}
	if _, _, page := b.get(t, at(ann, open, "")); !strings.Contains(page, slackdev.ConnectionTrouble) {
		t.Error("the modal does not say that there was trouble")
	}
	got = b.dial(t).hello().app(`{}`)
	if out, err := b.Submit(b.ctx, ann, view, values); err != nil || !out.Acked || len(b.Views(ann)) != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	<-got
}

func TestTooManyEventsInAnHour(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) { o.EventsPerHour = 2 })
	r := b.dial(t).hello()
	got := r.app(`{}`, `{}`, `{}`, `{}`)
	event := map[string]any{"type": "app_mention", "user": ann, "text": "hi"}
	for i, want := range []string{"", "", slackdev.EventDropped, slackdev.EventDropped} {
		if out, err := b.Event(b.ctx, event); err != nil || out.Error != want {
			t.Fatalf("event %d: %+v, %v", i+1, out, err)
		}
	}
	<-got
	<-got
	limited := <-got
	if limited.Payload["type"] != "app_rate_limited" || limited.Payload["minute_rate_limited"] != float64(b.clock.Now().Truncate(time.Minute).Unix()) {
		t.Errorf("%+v", limited)
	}
	b.clock.Advance(time.Hour)
	if out, err := b.Event(b.ctx, event); err != nil || !out.Acked {
		t.Errorf("in the next hour: %+v, %v", out, err)
	}
	if f := <-got; f.Payload["type"] != "event_callback" {
		t.Errorf("app_rate_limited was told twice in a minute: %+v", f)
	}
}

func TestOldConnectionIsWarned(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) { o.SocketLife = 20 * time.Millisecond })
	r := b.dial(t).hello()
	if f := r.read(); f.Type != "disconnect" || f.Reason != "warning" {
		t.Errorf("%+v", f)
	}
}

func TestDebugReconnectsShortensTheLife(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for query, want := range map[string]float64{"": 18060, "&debug_reconnects=true": 360} {
		_, link, err := b.api.StartSocketModeContext(b.ctx)
		if err != nil {
			t.Fatal(err)
		}
		conn, _, err := websocket.DefaultDialer.DialContext(b.ctx, link+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() }) //nolint:errcheck // the end of the test
		var hello struct {
			Debug struct {
				Life float64 `json:"approximate_connection_time"`
			} `json:"debug_info"`
		}
		if err := conn.ReadJSON(&hello); err != nil || hello.Debug.Life != want {
			t.Errorf("%q: %v, %v", query, hello.Debug.Life, err)
		}
	}
}

// TestOrderlyCloseHasACloseFrame: a client must be able to tell a refresh from a
// broken network.
func TestOrderlyCloseHasACloseFrame(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.dial(t).hello()
	b.Disconnect("refresh_requested")
	r.read()
	_, _, err := r.conn.ReadMessage()
	var closed *websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != websocket.CloseNormalClosure {
		t.Errorf("ended with %v", err)
	}
}

func TestPeopleAreWhatTheyAre(t *testing.T) {
	t.Parallel()
	b := setup(t)
	type facts struct {
		deleted, bot, guest, stranger bool
		team                          string
	}
	for id, want := range map[string]facts{
		ann: {team: "T0TEAM0001"}, guest: {guest: true, team: "T0TEAM0001"}, gone: {deleted: true, team: "T0TEAM0001"},
		foreign: {stranger: true, team: "T0OTHER001"}, "U0BOT00001": {bot: true, team: "T0TEAM0001"},
	} {
		u, err := b.api.GetUserInfoContext(b.ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if got := (facts{u.Deleted, u.IsBot, u.IsRestricted || u.IsUltraRestricted, u.IsStranger, u.TeamID}); got != want {
			t.Errorf("%s: %+v, want %+v", id, got, want)
		}
		if id == foreign && u.Profile.Email != "" {
			t.Error("the address of another company's person is told")
		}
	}
}
