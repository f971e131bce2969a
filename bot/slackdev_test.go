package bot_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"dw/bot"
	"dw/slackdev"

	"github.com/slack-go/slack"
)

const (
	home    = "T0HOME0001"
	ann     = "U0ANN00001" // a member whose user name is empty
	guest   = "U0GUEST001"
	gone    = "U0GONE0001"
	foreign = "U0FOREIGN1"
	public  = "C0PUBLIC01"
	private = "G0PRIVATE1" // without the bot
	botUser = "U0BOT00001"
	group   = "S0LEADS001"
)

// workspace is a local Slack with a Client and a Socket against it.
type workspace struct {
	*slackdev.Server
	client *bot.Client
	ctx    context.Context
	events chan bot.Event
	ended  chan error

	mu     sync.Mutex
	handle func(ctx context.Context, e bot.Event) (any, error)
}

// Handle notes the event and does what the test set.
func (w *workspace) Handle(ctx context.Context, e bot.Event) (any, error) {
	w.mu.Lock()
	handle := w.handle
	w.mu.Unlock()
	w.events <- e
	if handle == nil {
		return nil, nil
	}
	return handle(ctx, e)
}

func (w *workspace) on(handle func(ctx context.Context, e bot.Event) (any, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handle = handle
}

func join(t *testing.T, connections int) *workspace {
	t.Helper()
	server, err := slackdev.New(slackdev.Options{Unlimited: true, Workspace: slackdev.Workspace{
		TeamID: home, Domain: "acme", BotToken: "xoxb-dev", AppToken: "xapp-dev",
		BotUserID: botUser, BotID: "B0BOT00001", AppID: "A0APP00001",
		Users: []slackdev.User{
			{ID: ann, RealName: "Ann Ode", Email: "ann@acme.example", TZ: "Europe/Berlin"},
			{ID: guest, Name: "gus", Restricted: true},
			{ID: gone, Name: "gone", Deleted: true},
			{ID: foreign, Name: "fay", TeamID: "T0OTHER001", Stranger: true},
		},
		Channels: []slackdev.Channel{
			{ID: public, Name: "data", Members: []string{botUser, ann, guest}},
			{ID: private, Name: "secret", Private: true, Members: []string{ann}},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	w := &workspace{Server: server, ctx: ctx, events: make(chan bot.Event, 1024), ended: make(chan error, 1)}
	if w.client, err = bot.NewClient("xoxb-dev", bot.ClientOptions{APIURL: server.APIURL()}); err != nil {
		t.Fatal(err)
	}
	socket, err := bot.NewSocket("xapp-dev", bot.SocketOptions{
		APIURL: server.APIURL(), Handler: w, Log: slog.New(slog.DiscardHandler),
		Now: time.Now, Rand: func() float64 { return 0.5 }, Connections: connections,
	})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); w.ended <- socket.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done; w.client.Close() })
	w.connected(t, connections)
	return w
}

// connected waits until the workspace sees that many sockets.
func (w *workspace) connected(t *testing.T, n int) {
	t.Helper()
	if err := w.Wait(w.ctx, func(s slackdev.Snapshot) bool { return s.Sockets == n }); err != nil {
		t.Fatal(err)
	}
}

func card(state string) bot.Message {
	button := slack.NewButtonBlockElement("approve", "p1:abc", slack.NewTextBlockObject(slack.PlainTextType, "Approve", false, false))
	return bot.Message{Text: state, Blocks: []slack.Block{
		slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, state, false, false), nil, nil),
		slack.NewActionBlock("decide", button),
	}}
}

func TestClickRoundTrip(t *testing.T) {
	t.Parallel()
	w := join(t, 1)
	ts, err := w.client.Post(w.ctx, public, card("open"), bot.PostOptions{Key: "card:p1"})
	if err != nil {
		t.Fatal(err)
	}
	w.on(func(ctx context.Context, e bot.Event) (any, error) {
		a := e.(bot.Action)
		return nil, w.client.Update(ctx, a.Channel, a.MessageTS, bot.Message{Text: "approved by <@" + a.User + ">"})
	})
	out, err := w.Click(w.ctx, ann, public, ts, "approve")
	if err != nil || !out.Acked {
		t.Fatalf("click ended in %+v, %v", out, err)
	}
	a := (<-w.events).(bot.Action)
	if a.User != ann || a.Team != home || a.InstallTeam != home || a.Channel != public || a.MessageTS != ts ||
		a.ActionID != "approve" || a.BlockID != "decide" || a.Value != "p1:abc" || a.AppID != "A0APP00001" ||
		a.TriggerID == "" || a.ResponseURL == "" || a.ActionTS == "" || a.Envelope == "" || a.ReceivedAt.IsZero() {
		t.Fatalf("the handler got %+v", a)
	}
	if m := w.Messages(public)[0]; m.Text != "approved by <@"+ann+">" || len(m.Blocks) > len("[]") {
		t.Fatalf("the card reads %q with blocks %s", m.Text, m.Blocks)
	}
}

func TestFailedClickIsShownAndCanBeRepeated(t *testing.T) {
	t.Parallel()
	w := join(t, 1)
	ts, err := w.client.Post(w.ctx, public, card("open"), bot.PostOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.on(func(context.Context, bot.Event) (any, error) { return nil, errors.New("disk full") })
	if out, err := w.Click(w.ctx, ann, public, ts, "approve"); err != nil || out.Acked || out.Error != slackdev.NotAcked {
		t.Fatalf("click ended in %+v, %v, want Slack's own error", out, err)
	}
	w.on(nil)
	if out, err := w.Click(w.ctx, ann, public, ts, "approve"); err != nil || !out.Acked {
		t.Fatalf("second click ended in %+v, %v", out, err)
	}
}

func TestCommandAndAnswer(t *testing.T) {
	t.Parallel()
	w := join(t, 1)
	w.on(func(ctx context.Context, e bot.Event) (any, error) {
		return nil, w.client.Respond(ctx, e.(bot.Command).ResponseURL, bot.Message{Text: "all is well"}, false)
	})
	out, err := w.Command(w.ctx, ann, private, "/dw status now") // where the bot is no member
	if err != nil || !out.Acked {
		t.Fatalf("command ended in %+v, %v", out, err)
	}
	c := (<-w.events).(bot.Command)
	if c.Name != "/dw" || c.Text != "status now" || c.User != ann || c.UserName != "" || c.Team != home || c.Channel != private {
		t.Fatalf("the handler got %+v", c)
	}
	if seen := w.Ephemerals(ann); len(seen) != 1 || seen[0].Text != "all is well" {
		t.Fatalf("ann reads %+v", seen)
	}
}

func reasonModal() slack.ModalViewRequest {
	plain := func(s string) *slack.TextBlockObject {
		return slack.NewTextBlockObject(slack.PlainTextType, s, false, false)
	}
	input := slack.NewInputBlock("why", plain("Reason"), nil, slack.NewPlainTextInputBlockElement(nil, "text"))
	return slack.ModalViewRequest{
		Type: slack.VTModal, Title: plain("Reject"), Submit: plain("Reject"), Close: plain("Back"),
		CallbackID: "reject", PrivateMetadata: "p1", Blocks: slack.Blocks{BlockSet: []slack.Block{input}},
	}
}

func TestModalRoundTrip(t *testing.T) {
	t.Parallel()
	w := join(t, 1)
	opened := make(chan string, 1)
	w.on(func(ctx context.Context, e bot.Event) (any, error) {
		switch e := e.(type) {
		case bot.Command:
			id, err := w.client.OpenView(ctx, e.TriggerID, reasonModal())
			opened <- id
			return nil, err
		case bot.Submission:
			return map[string]any{"response_action": "errors", "errors": map[string]string{"why": "say more"}}, nil
		}
		return nil, fmt.Errorf("unexpected %T", e)
	})
	if out, err := w.Command(w.ctx, ann, public, "/dw reject"); err != nil || !out.Acked {
		t.Fatalf("command ended in %+v, %v", out, err)
	}
	id := <-opened
	if err := w.client.UpdateView(w.ctx, id, "", reasonModal()); err != nil {
		t.Fatal(err)
	}
	out, err := w.Submit(w.ctx, ann, id, map[string]map[string]any{"why": {"text": "no"}})
	if err != nil || !out.Acked {
		t.Fatalf("submission ended in %+v, %v", out, err)
	}
	<-w.events
	s := (<-w.events).(bot.Submission)
	if s.User != ann || s.Team != home || s.ViewID != id || s.CallbackID != "reject" || s.PrivateMetadata != "p1" || s.Values["why"]["text"] != "no" {
		t.Fatalf("the handler got %+v", s)
	}
	if got := w.Views(ann)[0].Errors["why"]; got != "say more" {
		t.Fatalf("the modal shows %q at its input", got)
	}
	_, err = w.client.OpenView(w.ctx, "no-such-trigger", reasonModal())
	if _, ok := errors.AsType[*bot.RefusedError](err); !ok {
		t.Fatalf("a false trigger gave %v", err)
	}
}

func TestHomeRoundTrip(t *testing.T) {
	t.Parallel()
	w := join(t, 1)
	w.on(func(ctx context.Context, e bot.Event) (any, error) {
		view := slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: []slack.Block{slack.NewDividerBlock()}}}
		return nil, w.client.PublishHome(ctx, e.(bot.HomeOpened).User, view)
	})
	if out, err := w.OpenHome(w.ctx, ann); err != nil || !out.Acked {
		t.Fatalf("opening Home ended in %+v, %v", out, err)
	}
	if h := (<-w.events).(bot.HomeOpened); h.User != ann || h.Team != home || h.Tab != "home" || h.EventID == "" {
		t.Fatalf("the handler got %+v", h)
	}
	if _, ok := w.Home(ann); !ok {
		t.Fatal("ann's Home is empty")
	}
}

func TestLostPostIsFoundAgain(t *testing.T) {
	t.Parallel()
	w := join(t, 1)
	root, err := w.client.Post(w.ctx, public, bot.Message{Text: "incident"}, bot.PostOptions{Key: "i1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range []string{"", root} {
		since := time.Now()
		w.Fail("chat.postMessage", 1, slackdev.FaultLost())
		_, err := w.client.Post(w.ctx, public, bot.Message{Text: "card"}, bot.PostOptions{Key: "c1", ThreadTS: thread})
		if _, unclear := errors.AsType[*bot.UnclearError](err); !unclear {
			t.Fatalf("a lost answer gave %v", err)
		}
		ts, found, err := w.client.FindByKey(w.ctx, public, "c1", thread, since)
		if err != nil || !found || ts == root {
			t.Fatalf("thread %q: FindByKey gave %q, %v, %v", thread, ts, found, err)
		}
		if err := w.client.Update(w.ctx, public, ts, bot.Message{Text: "repaired"}); err != nil {
			t.Fatalf("the message found cannot be used: %v", err)
		}
	}
	w.Fail("chat.postMessage", 1, slackdev.FaultStatus(500)) // nothing was posted this time
	if _, err := w.client.Post(w.ctx, public, bot.Message{Text: "x"}, bot.PostOptions{Key: "c2"}); err == nil {
		t.Fatal("a 500 gave no error")
	}
	if ts, found, err := w.client.FindByKey(w.ctx, public, "c2", "", time.Now()); err != nil || found {
		t.Fatalf("FindByKey found %q, %v for what was never posted", ts, err)
	}
}

func TestRefusalsOfTheWorkspace(t *testing.T) {
	t.Parallel()
	w := join(t, 1)
	foreignKey, err := bot.NewClient("xoxb-wrong", bot.ClientOptions{APIURL: w.APIURL()})
	if err != nil {
		t.Fatal(err)
	}
	defer foreignKey.Close()
	text := bot.Message{Text: "x"}
	cases := map[string]struct {
		call func() error
		want string
	}{
		"no such channel":    {func() error { _, err := w.client.Post(w.ctx, "C0NOWHERE1", text, bot.PostOptions{}); return err }, "check the channel id"},
		"bot is no member":   {func() error { _, err := w.client.Post(w.ctx, private, text, bot.PostOptions{}); return err }, "/invite @dw"},
		"wrong token":        {func() error { _, err := foreignKey.AuthTest(w.ctx); return err }, "bot token"},
		"no such message":    {func() error { return w.client.Update(w.ctx, public, "1.000001", text) }, "a new message has to be posted"},
		"no such address":    {func() error { _, err := w.client.LookupByEmail(w.ctx, "nobody@acme.example"); return err }, "correct the person"},
		"no text, no blocks": {func() error { _, err := w.client.Post(w.ctx, public, bot.Message{}, bot.PostOptions{}); return err }, "report it"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := c.call()
			if _, ok := errors.AsType[*bot.RefusedError](err); !ok || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want advice with %q", err, c.want)
			}
		})
	}
}

func TestLookups(t *testing.T) {
	t.Parallel()
	w := join(t, 1)
	self, err := w.client.AuthTest(w.ctx)
	if err != nil || self.Team != home || self.User != botUser {
		t.Fatalf("AuthTest gave %+v, %v", self, err)
	}
	if u, err := w.client.LookupByEmail(w.ctx, "ann@acme.example"); err != nil || u.ID != ann {
		t.Fatalf("LookupByEmail gave %+v, %v", u, err)
	}
	if c, err := w.client.ChannelInfo(w.ctx, public); err != nil || c.ID != public || c.Name != "data" || !c.Member || c.Private {
		t.Fatalf("ChannelInfo gave %+v, %v", c, err)
	}
	direct, err := w.client.OpenDM(w.ctx, ann)
	if err != nil || !strings.HasPrefix(direct, "D") {
		t.Fatalf("OpenDM gave %q, %v", direct, err)
	}
	ts, err := w.client.Post(w.ctx, direct, bot.Message{Text: "psst"}, bot.PostOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if link, err := w.client.Permalink(w.ctx, direct, ts); err != nil || !strings.Contains(link, direct) {
		t.Fatalf("Permalink gave %q, %v", link, err)
	}
	if err := w.client.PostEphemeral(w.ctx, public, ann, bot.Message{Text: "only you"}, ""); err != nil {
		t.Fatal(err)
	}
	if seen := w.Ephemerals(ann); len(seen) != 1 || seen[0].Text != "only you" {
		t.Fatalf("ann reads %+v", seen)
	}
}

func TestIdentityOfTheWorkspace(t *testing.T) {
	t.Parallel()
	w := join(t, 1)
	i, err := bot.NewIdentity(w.client, home, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := i.Check(w.ctx, ann, home); err != nil || p.ID != ann || p.TZ != "Europe/Berlin" {
		t.Fatalf("Check of ann gave %+v, %v", p, err)
	}
	for user, want := range map[string]bot.Reason{
		guest: bot.ReasonGuest, gone: bot.ReasonDeactivated, foreign: bot.ReasonOtherTeam, botUser: bot.ReasonBot, "U0NOBODY01": bot.ReasonUnknown,
	} {
		_, err := i.Check(w.ctx, user, home)
		if refused, ok := errors.AsType[*bot.NotAllowedError](err); !ok || refused.Reason != want {
			t.Errorf("Check of %s gave %v, want %q", user, err, want)
		}
	}
}

func TestDuplicatesReachTheHandlerOnce(t *testing.T) {
	t.Parallel()
	w := join(t, 2)
	ts, err := w.client.Post(w.ctx, public, card("open"), bot.PostOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.Duplicate(1)
	if out, err := w.Click(w.ctx, ann, public, ts, "approve"); err != nil || !out.Acked {
		t.Fatalf("click ended in %+v, %v", out, err)
	}
	if out, err := w.ReplayLast(w.ctx, true); err != nil || !out.Acked {
		t.Fatalf("replay ended in %+v, %v", out, err)
	}
	if n := len(w.events); n != 1 {
		t.Fatalf("handled %d times, want once", n)
	}
}

func TestNoClickIsLostWhileSlackRefreshes(t *testing.T) {
	t.Parallel()
	w := join(t, 1)
	ts, err := w.client.Post(w.ctx, public, card("open"), bot.PostOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const clicks = 200
	for i := range clicks {
		if i%40 == 20 {
			w.Disconnect("warning")
		}
		if out, err := w.Click(w.ctx, ann, public, ts, "approve"); err != nil || !out.Acked {
			t.Fatalf("click %d ended in %+v, %v", i, out, err)
		}
	}
	if n := len(w.events); n != clicks {
		t.Fatalf("%d of %d clicks reached the handler", n, clicks)
	}
}

func TestBrokenSocketsComeBack(t *testing.T) {
	t.Parallel()
	w := join(t, 1)
	for range 3 {
		w.KillSockets()
		for acked := false; !acked; { // a person who sees Slack's error tries again
			out, err := w.Command(w.ctx, ann, public, "/dw status")
			if err != nil || w.ctx.Err() != nil {
				t.Fatalf("command ended in %+v, %v", out, err)
			}
			acked = out.Acked
		}
	}
}

func TestSwitchedOffSocketModeEndsRun(t *testing.T) {
	t.Parallel()
	w := join(t, 2)
	w.Disconnect("link_disabled")
	err := <-w.ended
	if fatal, ok := errors.AsType[*bot.FatalError](err); !ok || fatal.Code != "link_disabled" {
		t.Fatalf("Run returned %v", err)
	}
}
