package soak

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dw/slackdev"
)

const (
	team      = "T0SOAK"
	botToken  = "xoxb-soak"
	appToken  = "xapp-soak"
	instance  = "soak"
	perDomain = 2 // proposals
)

// estate is a folder with a configuration, a workspace and the program.
type estate struct {
	t       testing.TB
	dir     string
	dsn     string // of dw's database
	program string
	people  int // who must all approve: each approval is a decision with a receipt
	domains int
	slack   *slackdev.Server
	log     *os.File
	dw      *exec.Cmd
}

func approver(n int) string  { return fmt.Sprintf("U0P%02d", n) }
func channelOf(d int) string { return fmt.Sprintf("C0D%03d", d) }
func domainOf(d int) string  { return fmt.Sprintf("d%03d", d) }

func newEstate(t testing.TB, people, domains int) *estate {
	t.Helper()
	e := &estate{t: t, dir: t.TempDir(), people: people, domains: domains}
	e.dsn = e.path("dw.db")
	if os.Getenv("STORE") == "postgres" {
		e.dsn = server.Database(t)
	}
	e.startSlack()
	e.build()
	e.write("config.yaml", e.config())
	if err := os.Mkdir(e.path("keys"), 0o700); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(e.path("dw.log"))
	if err != nil {
		t.Fatal(err)
	}
	e.log = log
	t.Cleanup(func() { _ = log.Close() })
	return e
}

func (e *estate) path(name string) string { return filepath.Join(e.dir, filepath.FromSlash(name)) }

func (e *estate) write(name, text string) {
	e.t.Helper()
	if err := os.WriteFile(e.path(name), []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

// startSlack starts a workspace with Slack's three seconds. Its rate limits are
// off: dw keeps its own pace, and a process that starts every twenty seconds
// would meet the limits of reading people, which are not what is tried here.
func (e *estate) startSlack() {
	e.t.Helper()
	w := slackdev.Workspace{TeamID: team, Domain: "soak", BotToken: botToken, AppToken: appToken, BotUserID: "U0DW", BotID: "B0DW", AppID: "A0DW"}
	members := []string{"U0DW"}
	for n := range e.people {
		w.Users = append(w.Users, slackdev.User{ID: approver(n), Name: fmt.Sprintf("p%02d", n), RealName: fmt.Sprintf("Person %02d", n)})
		members = append(members, approver(n))
	}
	for d := range e.domains {
		w.Channels = append(w.Channels, slackdev.Channel{ID: channelOf(d), Name: "data-" + domainOf(d), Members: members})
	}
	server, err := slackdev.New(slackdev.Options{Workspace: w, Unlimited: true})
	if err != nil {
		e.t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		e.t.Fatal(err)
	}
	e.slack = server
	e.t.Cleanup(func() { _ = server.Close() })
}

func (e *estate) build() {
	e.t.Helper()
	e.program = e.path("dw")
	if out, err := exec.Command("go", "build", "-o", e.program, "dw/cmd/dw").CombinedOutput(); err != nil {
		e.t.Fatalf("build dw: %v\n%s", err, out)
	}
}

func (e *estate) config() string {
	var b strings.Builder
	fmt.Fprintf(&b, `instance: %s
slack: {api_url: %q, bot_token: %s, app_token: %s}
store: {dsn: %q}
receipts: {key_file: keys/receipts.key}
server: {listen: "127.0.0.1:0"}
jobs: {tick: 0.5, poll: 0.1, timeout: 20, rescue_after: 21}
people:
`, instance, e.slack.APIURL(), botToken, appToken, e.dsn)
	var rest []string
	for n := range e.people {
		fmt.Fprintf(&b, "  p%02d: {slack: %s}\n", n, approver(n))
		if n >= 2 {
			rest = append(rest, fmt.Sprintf("p%02d", n))
		}
	}
	b.WriteString("domains:\n")
	for d := range e.domains {
		fmt.Fprintf(&b, "  %s: {level: L2, owner: p00, deputy: p01, escalation: [%s], quorum: %d, channel: %s, remind_after: 20h, escalate_after: 21h, expire_after: 22h}\n",
			domainOf(d), strings.Join(rest, ", "), e.people, channelOf(d))
	}
	return b.String()
}

// start runs dw as a process of its own and waits until it is connected.
func (e *estate) start() {
	e.t.Helper()
	e.dw = exec.Command(e.program, "run", "-c", e.path("config.yaml"))
	e.dw.Stderr = e.log
	if err := e.dw.Start(); err != nil {
		e.t.Fatal(err)
	}
	started := e.dw
	e.t.Cleanup(func() {
		_ = started.Process.Kill() // ended already where the test went well
		_ = started.Wait()
	})
	e.wait("dw to connect", time.Minute, func(s slackdev.Snapshot) bool { return s.Sockets > 0 })
}

// wait waits until people of the workspace see what is awaited.
func (e *estate) wait(what string, patience time.Duration, done func(slackdev.Snapshot) bool) {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := e.slack.Wait(ctx, done); err != nil {
		e.t.Fatalf("waited for %s: %v\n%s", what, err, e.lastLog())
	}
}

// lastLog is the end of what dw wrote, for the text of a failure.
func (e *estate) lastLog() string {
	log, err := os.ReadFile(e.path("dw.log"))
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-4000):])
}
