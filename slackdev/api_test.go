package slackdev_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"dw/slackdev"

	"github.com/slack-go/slack"
)

// refusal is a call and the error name it must be answered with.
type refusal struct {
	method string
	args   []string
	want   string
}

func TestEveryRefusalHasSlacksName(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) { o.Unlimited = true })
	mine := b.post(t, "text", "root")
	reply := b.post(t, "text", "reply", "thread_ts", mine)
	cases := map[string]refusal{
		"unknown method":        {"chat.startStream", nil, "unknown_method"},
		"no such channel":       {"chat.postMessage", []string{"channel", "C0NOWHERE1", "text", "x"}, "channel_not_found"},
		"no channel":            {"chat.postMessage", []string{"text", "x"}, "channel_not_found"},
		"private, bot not in":   {"chat.postMessage", []string{"channel", secret, "text", "x"}, "not_in_channel"},
		"nothing to say":        {"chat.postMessage", []string{"channel", open}, "no_text"},
		"text too long":         {"chat.postMessage", []string{"channel", open, "text", strings.Repeat("x", 40001)}, "msg_too_long"},
		"no such thread":        {"chat.postMessage", []string{"channel", open, "text", "x", "thread_ts", "1.000001"}, "thread_not_found"},
		"a reply as thread":     {"chat.postMessage", []string{"channel", open, "text", "x", "thread_ts", reply}, "thread_not_found"},
		"blocks no JSON":        {"chat.postMessage", []string{"channel", open, "text", "x", "blocks", "[{"}, "invalid_blocks_format"},
		"blocks no array":       {"chat.postMessage", []string{"channel", open, "text", "x", "blocks", "{}"}, "invalid_blocks_format"},
		"blocks invalid":        {"chat.postMessage", []string{"channel", open, "text", "x", "blocks", `[{"type":"poem"}]`}, "invalid_blocks"},
		"attachments":           {"chat.postMessage", []string{"channel", open, "attachments", `[{"text":"x"}]`}, "invalid_attachments"},
		"metadata no JSON":      {"chat.postMessage", []string{"channel", open, "text", "x", "metadata", "{"}, "invalid_metadata_format"},
		"metadata without type": {"chat.postMessage", []string{"channel", open, "text", "x", "metadata", `{"event_payload":{}}`}, "invalid_metadata_schema"},
		"update unknown":        {"chat.update", []string{"channel", open, "ts", "1.000001", "text", "x"}, "message_not_found"},
		"update too long":       {"chat.update", []string{"channel", open, "ts", mine, "text", strings.Repeat("x", 4001)}, "msg_too_long"},
		"update to a person":    {"chat.update", []string{"channel", ann, "ts", mine, "text", "x"}, "channel_not_found"},
		"whisper to outsider":   {"chat.postEphemeral", []string{"channel", open, "user", guest, "text", "x"}, "user_not_in_channel"},
		"whisper to nobody":     {"chat.postEphemeral", []string{"channel", open, "user", "U0NOBODY01", "text", "x"}, "user_not_found"},
		"permalink of nothing":  {"chat.getPermalink", []string{"channel", open, "message_ts", "1.000001"}, "message_not_found"},
		"no such user":          {"users.info", []string{"user", "U0NOBODY01"}, "user_not_found"},
		"no such email":         {"users.lookupByEmail", []string{"email", "x@acme.example"}, "users_not_found"},
		"email of the deleted":  {"users.lookupByEmail", []string{"email", "gone@acme.example"}, "users_not_found"},
		"email elsewhere":       {"users.lookupByEmail", []string{"email", "fay@other.example"}, "users_not_found"},
		"no email":              {"users.lookupByEmail", nil, "users_not_found"},
		"private channel info":  {"conversations.info", []string{"channel", secret}, "channel_not_found"},
		"private members":       {"conversations.members", []string{"channel", secret}, "channel_not_found"},
		"direct with nobody":    {"conversations.open", nil, "users_list_not_supplied"},
		"direct with unknown":   {"conversations.open", []string{"users", "U0NOBODY01"}, "user_not_found"},
		"direct with deleted":   {"conversations.open", []string{"users", gone}, "user_disabled"},
		"direct with itself":    {"conversations.open", []string{"users", "U0BOT00001"}, "cannot_dm_bot"},
		"history bad limit":     {"conversations.history", []string{"channel", open, "limit", "many"}, "invalid_limit"},
		"history bad cursor":    {"conversations.history", []string{"channel", open, "cursor", "99"}, "invalid_cursor"},
		"replies of nothing":    {"conversations.replies", []string{"channel", open, "ts", "1.000001"}, "thread_not_found"},
		"modal without trigger": {"views.open", []string{"view", modal}, "invalid_arguments"},
		"modal wrong trigger":   {"views.open", []string{"view", modal, "trigger_id", "1.2"}, "invalid_trigger_id"},
		"view no JSON":          {"views.open", []string{"view", "{", "trigger_id", "1.2"}, "invalid_arguments"},
		"view too large":        {"views.open", []string{"view", strings.Repeat("x", 260<<10)}, "view_too_large"},
		"update unknown view":   {"views.update", []string{"view", modal, "view_id", "V0"}, "not_found"},
		"home for nobody":       {"views.publish", []string{"user_id", "U0NOBODY01", "view", home}, "user_not_found"},
		"a modal as home":       {"views.publish", []string{"user_id", ann, "view", modal}, "invalid_arguments"},
		"bot token for socket":  {"apps.connections.open", nil, "not_authed"},
	}
	said, err := b.Say(ann, open, "", "hello @ann <b>")
	if err != nil || said.Text != "hello <@"+ann+"|ann> &lt;b&gt;" || said.BotID != "" {
		t.Fatalf("%+v, %v", said, err)
	}
	cases["update of another's"] = refusal{"chat.update", []string{"channel", open, "ts", said.TS, "text", "x"}, "cant_update_message"}
	before := len(b.Messages(open))
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if a := b.call(t, c.method, c.args...); a.OK || a.Error != c.want {
				t.Errorf("%s answered ok=%v %q %v, want %q", c.method, a.OK, a.Error, a.Errors, c.want)
			}
		})
	}
	if after := len(b.Messages(open)); after != before {
		t.Errorf("refused calls left %d messages", after-before)
	}
}

const (
	modal = `{"type":"modal","callback_id":"reject","notify_on_close":true,"title":{"type":"plain_text","text":"Reject"},
		"submit":{"type":"plain_text","text":"Send"},"private_metadata":"p1","blocks":[
		{"type":"input","block_id":"why","label":{"type":"plain_text","text":"Why"},
			"element":{"type":"plain_text_input","action_id":"text","min_length":3}},
		{"type":"input","block_id":"kind","optional":true,"label":{"type":"plain_text","text":"Kind"},
			"element":{"type":"static_select","action_id":"pick","options":[
				{"text":{"type":"plain_text","text":"Wrong cause"},"value":"cause"}]}},
		{"type":"input","block_id":"tell","optional":true,"label":{"type":"plain_text","text":"Tell"},
			"element":{"type":"checkboxes","action_id":"who","options":[
				{"text":{"type":"plain_text","text":"Deputy"},"value":"deputy"},
				{"text":{"type":"plain_text","text":"Copy"},"value":"cc"}]}}]}`
	home = `{"type":"home","blocks":[{"type":"section","text":{"type":"mrkdwn","text":"*Open approvals*: none"}},
		{"type":"actions","block_id":"h","elements":[
			{"type":"button","action_id":"reload","text":{"type":"plain_text","text":"Reload"}}]}]}`
)

func TestTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cases := map[string]struct{ method, form, header, want string }{
		"bot token as field":         {"auth.test", botToken, "", ""},
		"bot token in the header":    {"auth.test", "", botToken, ""},
		"none":                       {"auth.test", "", "", "not_authed"},
		"wrong":                      {"auth.test", "xoxb-other", "", "invalid_auth"},
		"app token for the Web API":  {"auth.test", "", appToken, "not_allowed_token_type"},
		"app token in the header":    {"apps.connections.open", "", appToken, ""},
		"app token as field":         {"apps.connections.open", appToken, "", "not_authed"},
		"bot token for a connection": {"apps.connections.open", "", botToken, "not_allowed_token_type"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			body := strings.NewReader("token=" + c.form)
			r, err := http.NewRequestWithContext(b.ctx, http.MethodPost, b.APIURL()+c.method, body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if c.header != "" {
				r.Header.Set("Authorization", "Bearer "+c.header)
			}
			if a := b.send(t, r); a.OK != (c.want == "") || a.Error != c.want {
				t.Errorf("ok=%v error %q, want %q", a.OK, a.Error, c.want)
			}
		})
	}
}

func TestSlackGoReadsThePeopleAndChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	auth, err := b.api.AuthTestContext(b.ctx)
	if err != nil || auth.UserID != "U0BOT00001" || auth.TeamID != "T0TEAM0001" || auth.BotID != "B0BOT00001" {
		t.Errorf("auth.test: %+v, %v", auth, err)
	}
	u, err := b.api.GetUserByEmailContext(b.ctx, "ANN@acme.example")
	if err != nil || u.ID != ann || u.TZ != "Europe/Berlin" || u.TZOffset != 3600 {
		t.Errorf("lookupByEmail: %+v, %v", u, err)
	}
	g, err := b.api.GetUserInfoContext(b.ctx, guest)
	if err != nil || !g.IsRestricted || g.IsUltraRestricted || g.Deleted {
		t.Errorf("guest: %+v, %v", g, err)
	}
	f, err := b.api.GetUserInfoContext(b.ctx, foreign)
	if err != nil || !f.IsStranger || f.TeamID != "T0OTHER001" || f.Profile.Email != "" {
		t.Errorf("foreign: %+v, %v", f, err)
	}
	c, err := b.api.GetConversationInfoContext(b.ctx, &slack.GetConversationInfoInput{ChannelID: inside})
	if err != nil || !c.IsPrivate || !c.IsMember || c.Name != "inside" {
		t.Errorf("conversations.info: %+v, %v", c, err)
	}
	members, _, err := b.api.GetUsersInConversationContext(b.ctx, &slack.GetUsersInConversationParameters{ChannelID: open})
	if err != nil || len(members) != 3 {
		t.Errorf("members: %v, %v", members, err)
	}
	dm, _, _, err := b.api.OpenConversationContext(b.ctx, &slack.OpenConversationParameters{Users: []string{bob}})
	if err != nil || dm.ID[0] != 'D' {
		t.Fatalf("conversations.open: %+v, %v", dm, err)
	}
	where, _, err := b.api.PostMessageContext(b.ctx, bob, slack.MsgOptionText("psst", false))
	if err != nil || where != dm.ID || b.Messages(dm.ID)[0].Text != "psst" {
		t.Errorf("a message to a person went to %q, %v", where, err)
	}
}

func TestSlackGoReadsBackWhatItPosted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	meta := slack.MsgOptionMetadata(slack.SlackMetadata{EventType: "card", EventPayload: map[string]any{"id": "i1"}})
	blocks := slack.MsgOptionBlocks(slack.NewSectionBlock(slack.NewTextBlockObject("mrkdwn", "*x*", false, false), nil, nil))
	_, root, err := b.api.PostMessageContext(b.ctx, open, slack.MsgOptionText("root", false), blocks, meta)
	if err != nil {
		t.Fatal(err)
	}
	_, first, err := b.api.PostMessageContext(b.ctx, open, slack.MsgOptionText("one", false), slack.MsgOptionTS(root))
	if err != nil {
		t.Fatal(err)
	}
	h, err := b.api.GetConversationHistoryContext(b.ctx,
		&slack.GetConversationHistoryParameters{ChannelID: open, IncludeAllMetadata: true})
	if err != nil || len(h.Messages) != 1 {
		t.Fatalf("history: %+v, %v", h, err)
	}
	m := h.Messages[0]
	if m.Timestamp != root || m.Metadata.EventPayload["id"] != "i1" || m.ReplyCount != 1 || m.BotID != "B0BOT00001" {
		t.Errorf("root: %+v", m)
	}
	if s, ok := m.Blocks.BlockSet[0].(*slack.SectionBlock); !ok || s.BlockID == "" {
		t.Errorf("block without an id: %+v", m.Blocks.BlockSet[0])
	}
	r, _, _, err := b.api.GetConversationRepliesContext(b.ctx,
		&slack.GetConversationRepliesParameters{ChannelID: open, Timestamp: root})
	if err != nil || len(r) != 2 || r[1].Timestamp != first || r[1].ThreadTimestamp != root {
		t.Errorf("replies: %+v, %v", r, err)
	}
	if r[0].Metadata.EventType != "" {
		t.Error("metadata was shown to a call that did not ask for it")
	}
	link, err := b.api.GetPermalinkContext(b.ctx, &slack.PermalinkParameters{Channel: open, Ts: first})
	want := "https://acme.slack.com/archives/" + open + "/p" + strings.Replace(first, ".", "", 1)
	if err != nil || !strings.HasPrefix(link, want+"?") || !strings.Contains(link, "thread_ts="+root) {
		t.Errorf("permalink %q, %v", link, err)
	}
}

func TestOneMessageASecondAfterABurst(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) { o.Burst = 3 })
	for range 3 {
		b.post(t, "text", "x")
	}
	a := b.call(t, "chat.postMessage", "channel", open, "text", "x")
	if a.Error != "ratelimited" || a.status != http.StatusTooManyRequests || a.retryAfter != "1" {
		t.Errorf("fourth at once: %+v", a)
	}
	if a := b.call(t, "chat.postMessage", "channel", inside, "text", "x"); !a.OK {
		t.Errorf("another channel: %+v", a)
	}
	b.clock.Advance(time.Second)
	b.post(t, "text", "x")
	if n := len(b.Messages(open)); n != 4 {
		t.Errorf("%d messages", n)
	}
}

func TestMethodTiers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 20 {
		if a := b.call(t, "usergroups.list"); !a.OK {
			t.Fatalf("call %d: %+v", i, a)
		}
	}
	if a := b.call(t, "usergroups.list"); a.Error != "ratelimited" || a.retryAfter != "3" {
		t.Errorf("call 21 of a minute: %+v", a)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Fail("chat.postMessage", 1, slackdev.FaultError("fatal_error"))
	b.Fail("chat.postMessage", 1, slackdev.FaultRateLimit(2500*time.Millisecond))
	if a := b.call(t, "chat.postMessage", "channel", open, "text", "x"); a.Error != "fatal_error" {
		t.Errorf("first: %+v", a)
	}
	if a := b.call(t, "chat.postMessage", "channel", open, "text", "x"); a.status != 429 || a.retryAfter != "3" {
		t.Errorf("second: %+v", a)
	}
	b.Fail("chat.postMessage", 1, slackdev.FaultStatus(500))
	if _, _, err := b.api.PostMessageContext(b.ctx, open, slack.MsgOptionText("x", false)); err == nil ||
		!strings.Contains(fmt.Sprint(err), "500") {
		t.Errorf("third: %v", err)
	}
	if n := len(b.Messages(open)); n != 0 {
		t.Fatalf("%d messages after three failures without effect", n)
	}
	b.Fail("chat.postMessage", 1, slackdev.FaultLost())
	if _, _, err := b.api.PostMessageContext(b.ctx, open, slack.MsgOptionText("kept", false)); err == nil {
		t.Error("the lost answer arrived")
	}
	if m := b.Messages(open); len(m) != 1 || m[0].Text != "kept" {
		t.Errorf("a lost answer must leave its effect: %+v", m)
	}
	b.post(t, "text", "well again")
}

func TestTimestampsAreUniqueWhileTheClockStands(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) { o.Unlimited = true })
	last := ""
	for range 20 {
		ts := b.post(t, "text", "x")
		if ts <= last || len(ts) != len("1772366400.000001") {
			t.Fatalf("timestamp %q after %q", ts, last)
		}
		last = ts
	}
}

func TestNewNamesEveryWrongField(t *testing.T) {
	t.Parallel()
	w := workspace()
	w.Domain, w.Command = "", "dw"
	w.Users = append(w.Users, slackdev.User{ID: ann, TZ: "Mars/Olympus"})
	w.Channels[0].Members = []string{"U0NOBODY01"}
	_, err := slackdev.New(slackdev.Options{Workspace: w})
	for _, want := range []string{"Domain is empty", `"dw" must start with a slash`, ann, "Mars/Olympus", "U0NOBODY01"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
}
