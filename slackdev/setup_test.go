package slackdev_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"dw/slackdev"

	"github.com/slack-go/slack"
	"go.uber.org/goleak"
)

const (
	botToken = "xoxb-test-bot"
	appToken = "xapp-test-app"
	ann      = "U0ANN00001" // a member
	bob      = "U0BOB00001" // a member without a user name
	guest    = "U0GUEST001"
	gone     = "U0GONE0001"
	foreign  = "U0FOREIGN1"
	open     = "C0OPEN0001" // public
	secret   = "G0SECRET01" // private, without the bot
	inside   = "G0INSIDE01" // private, with the bot
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func workspace() slackdev.Workspace {
	return slackdev.Workspace{
		TeamID: "T0TEAM0001", Domain: "acme", BotToken: botToken, AppToken: appToken,
		BotUserID: "U0BOT00001", BotID: "B0BOT00001", AppID: "A0APP00001",
		Users: []slackdev.User{
			{ID: ann, Name: "ann", RealName: "Ann Ode", Email: "ann@acme.example", TZ: "Europe/Berlin"},
			{ID: bob, RealName: "Bob", Email: "bob@acme.example"},
			{ID: guest, Name: "gus", Restricted: true},
			{ID: gone, Name: "gone", Email: "gone@acme.example", Deleted: true},
			{ID: foreign, Name: "fay", Email: "fay@other.example", TeamID: "T0OTHER001", Stranger: true},
		},
		Channels: []slackdev.Channel{
			{ID: open, Name: "open", Members: []string{"U0BOT00001", ann, bob}},
			{ID: inside, Name: "inside", Private: true, Members: []string{"U0BOT00001", ann}},
			{ID: secret, Name: "secret", Private: true, Members: []string{ann}},
		},
	}
}

// clock is a hand-moved clock.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// bundle is a running workspace with a slack-go client for it.
type bundle struct {
	*slackdev.Server
	clock *clock
	api   *slack.Client
	ctx   context.Context
}

func setup(t *testing.T, change ...func(*slackdev.Options)) *bundle {
	t.Helper()
	c := newClock()
	opts := slackdev.Options{Now: c.Now, Wall: c.Now, Workspace: workspace()}
	for _, f := range change {
		f(&opts)
	}
	s, err := slackdev.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	api := slack.New(botToken, slack.OptionAPIURL(s.APIURL()), slack.OptionAppLevelToken(appToken),
		slack.OptionHTTPClient(&http.Client{Transport: transport}))
	return &bundle{Server: s, clock: c, api: api, ctx: ctx}
}

// answer is the body and the interesting headers of a raw call.
type answer struct {
	OK       bool     `json:"ok"`
	Error    string   `json:"error"`
	Errors   []string `json:"errors"`
	TS       string   `json:"ts"`
	Metadata struct {
		Messages []string `json:"messages"`
	} `json:"response_metadata"`
	status     int
	retryAfter string
}

// call posts a form to a method with the bot token and decodes the answer.
func (b *bundle) call(t *testing.T, method string, pairs ...string) answer {
	t.Helper()
	form := url.Values{"token": {botToken}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	r, err := http.NewRequestWithContext(b.ctx, http.MethodPost, b.APIURL()+method, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.send(t, r)
}

func (b *bundle) send(t *testing.T, r *http.Request) answer {
	t.Helper()
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	var a answer
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		t.Fatalf("%s: %v", r.URL.Path, err)
	}
	a.status, a.retryAfter = resp.StatusCode, resp.Header.Get("Retry-After")
	return a
}

func (b *bundle) post(t *testing.T, pairs ...string) string {
	t.Helper()
	a := b.call(t, "chat.postMessage", append([]string{"channel", open}, pairs...)...)
	if !a.OK {
		t.Fatalf("chat.postMessage: %s %v", a.Error, a.Errors)
	}
	return a.TS
}
