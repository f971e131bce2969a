package slackdev

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"time"
)

// Options says how a workspace is to be run. Workspace is required; every other
// field has a default.
type Options struct {
	// Now stamps messages and events; default time.Now. It may be story time.
	Now func() time.Time
	// Wall measures what Slack measures on its own clock: rate limits and the
	// life of response URLs and trigger ids; default time.Now.
	Wall func() time.Time
	// Pick chooses one of n open sockets for an envelope, 0 <= result < n;
	// default a uniform random choice.
	Pick func(n int) int
	// NewID makes ids that nobody can guess, for envelopes, tickets and response
	// URLs; default a random UUID.
	NewID func() string
	// Listen is the TCP address; default "127.0.0.1:0".
	Listen string
	// Workspace is the team, its people and channels.
	Workspace Workspace
	// Logger receives what went wrong inside; default discards.
	Logger *slog.Logger
	// Journal receives one JSON object a line for each call, envelope, ack and
	// act; tokens are never written. Default none.
	Journal io.Writer
	// AckTimeout is how long a user waits for the app; default 3 s.
	AckTimeout time.Duration
	// PingEvery is the interval of WebSocket pings; default 10 s.
	PingEvery time.Duration
	// TriggerLife is how long a trigger id opens a modal; default 3 s.
	TriggerLife time.Duration
	// EventRetries are the waits before each redelivery of an event that was
	// not acknowledged; default 0, 1 min, 5 min.
	EventRetries []time.Duration
	// Burst is how many messages a channel takes at once before the limit of
	// one a second holds; default 8.
	Burst int
	// Unlimited switches rate limits off.
	Unlimited bool
	// EventsPerHour is how many events the app gets in an hour; default 30,000:
	// docs.slack.dev/reference/events/app_rate_limited.
	EventsPerHour int
	// ShareDelay is how long Slack scans an uploaded file before its message
	// appears; default 200 ms.
	ShareDelay time.Duration
	// SocketLife is the age at which a connection is warned and, 10 s later,
	// closed; default 18,060 s as in Slack's hello, and 360 s for a connection
	// opened with debug_reconnects=true.
	SocketLife time.Duration
}

// Workspace describes a team, its app and its people.
type Workspace struct {
	TeamID   string // "T…"
	Domain   string // host part of permalinks, "acme" for acme.slack.com
	BotToken string // "xoxb-…", for the Web API
	AppToken string // "xapp-…", for apps.connections.open only
	// BotUserID, BotID and AppID identify the app: "U…", "B…", "A…".
	BotUserID, BotID, AppID string
	Users                   []User
	Channels                []Channel
	Command                 string // the slash command with its slash; default "/dw"
	// Scopes are those of the bot token; nil: it holds all that Slack has, and
	// the answers do not list them.
	Scopes []string
	// Events that the app subscribes to, such as "app_mention", "message.channels",
	// "message.im", "member_joined_channel" and "channel_id_changed".
	// app_home_opened is always told.
	Events []string
	// Groups are the user groups, such as @data-eng.
	Groups []Group
}

// User is a person or bot that the workspace knows. Name may be empty, as it is
// in some payloads of the real Slack.
type User struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	RealName string `json:"real_name"`
	Email    string `json:"email,omitempty"`
	TZ       string `json:"tz"`      // IANA zone; default "Etc/UTC"
	TeamID   string `json:"team_id"` // home team; default the workspace's
	Bot      bool   `json:"is_bot"`
	Deleted  bool   `json:"deleted"`
	// Restricted is a multi-channel guest, UltraRestricted a single-channel one.
	Restricted      bool `json:"is_restricted"`
	UltraRestricted bool `json:"is_ultra_restricted"`
	// Stranger is a person of a connected company whom nobody here knows yet.
	Stranger bool `json:"is_stranger"`
}

// Group is a user group, which Slack writes as @handle.
type Group struct {
	ID     string   `json:"id"` // "S…"
	Handle string   `json:"handle"`
	Name   string   `json:"name"`
	Users  []string `json:"users"`
}

// Channel is a public or private channel. Members are user ids; the bot may
// post to a public channel without being one of them.
type Channel struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Private   bool     `json:"is_private"`
	ExtShared bool     `json:"is_ext_shared"`
	Archived  bool     `json:"is_archived"`
	Members   []string `json:"members"`
}

func (o *Options) setDefaults() {
	setDefault(&o.Listen, "127.0.0.1:0")
	setDefault(&o.AckTimeout, 3*time.Second)
	setDefault(&o.PingEvery, 10*time.Second)
	setDefault(&o.TriggerLife, 3*time.Second)
	setDefault(&o.Burst, 8)
	setDefault(&o.EventsPerHour, 30000)
	setDefault(&o.ShareDelay, 200*time.Millisecond)
	setDefault(&o.SocketLife, connectionAge*time.Second)
	setDefault(&o.Workspace.Command, "/dw")
	if o.EventRetries == nil {
		o.EventRetries = []time.Duration{0, time.Minute, 5 * time.Minute}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wall == nil {
		o.Wall = time.Now
	}
	if o.Pick == nil {
		o.Pick = rand.IntN
	}
	if o.NewID == nil {
		o.NewID = randomUUID
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Journal == nil {
		o.Journal = io.Discard
	}
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (w Workspace) validate() error {
	var errs []error
	for name, value := range map[string]string{
		"TeamID": w.TeamID, "Domain": w.Domain, "BotToken": w.BotToken, "AppToken": w.AppToken,
		"BotUserID": w.BotUserID, "BotID": w.BotID, "AppID": w.AppID,
	} {
		if value == "" {
			errs = append(errs, fmt.Errorf("workspace: %s is empty", name))
		}
	}
	if w.BotToken != "" && w.BotToken == w.AppToken {
		errs = append(errs, errors.New("workspace: BotToken and AppToken must differ"))
	}
	if len(w.Command) < 2 || w.Command[0] != '/' {
		errs = append(errs, fmt.Errorf("workspace: Command %q must start with a slash", w.Command))
	}
	errs = append(errs, w.validateIDs()...)
	return errors.Join(errs...)
}

func (w Workspace) validateIDs() []error {
	var errs []error
	seen := map[string]bool{}
	note := func(kind, id string) {
		if id == "" || seen[id] {
			errs = append(errs, fmt.Errorf("workspace: %s id %q is empty or used twice", kind, id))
		}
		seen[id] = true
	}
	for _, u := range w.Users {
		note("user", u.ID)
		if _, err := time.LoadLocation(u.TZ); err != nil {
			errs = append(errs, fmt.Errorf("workspace: zone of user %s: %w", u.ID, err))
		}
	}
	seen[w.BotUserID] = true
	for _, c := range w.Channels {
		note("channel", c.ID)
		for _, m := range c.Members {
			if !seen[m] {
				errs = append(errs, fmt.Errorf("workspace: member %q of channel %s is no user", m, c.ID))
			}
		}
	}
	return errs
}
