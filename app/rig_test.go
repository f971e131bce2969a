package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dw/app"
	"dw/config"
	"dw/receipts"
	"dw/slackdev"
	"dw/store"
	"dw/workflows"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childConfig); path != "" {
		if err := runChild(path); err != nil {
			_, _ = os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	// Most of a test's time is Slack's pace of one message a second and channel.
	atOnce := "12"
	if underRace {
		atOnce = "4"
	}
	_ = flag.Set("test.parallel", atOnce)
	code := m.Run()
	if built.path != "" {
		_ = os.RemoveAll(filepath.Dir(built.path))
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			_, _ = os.Stderr.WriteString("goroutines were left: " + err.Error() + "\n")
			code = 1
		}
	}
	os.Exit(code)
}

// patience ends a test that waits for what never comes.
const patience = 90 * time.Second

// rig is a dw that runs on an estate.
type rig struct {
	*estate
	t       *testing.T
	log     *output
	address string // of dw's HTTP listener
	cancel  context.CancelFunc
	ended   chan error
}

// output collects what dw writes while it runs.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start runs dw on a new estate.
func start(t *testing.T, edits ...func(string) string) *rig {
	t.Helper()
	r := &rig{estate: newEstate(t, edits...), t: t, log: new(output)}
	r.run(app.Options{})
	return r
}

// build loads the configuration and builds dw.
func (r *rig) build(o app.Options) (*app.App, error) {
	r.t.Helper()
	project, err := app.LoadProject(r.path("config.yaml"), config.OS(), false)
	if err != nil {
		return nil, err
	}
	o.LogTo, o.Version = r.log, "test"
	built, err := app.New(context.Background(), project, o)
	if err != nil {
		return nil, errors.Join(err, project.Close())
	}
	return built, nil
}

// run starts dw; it is stopped at the end of the test, or by stop.
func (r *rig) run(o app.Options) {
	r.t.Helper()
	running, err := r.build(o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.address = running.Address()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	r.cancel, r.ended = cancel, ended
	go func() { ended <- errors.Join(running.Run(ctx), running.Close()) }()
	r.t.Cleanup(r.stop)
	r.wait("a connection to Slack", func(s slackdev.Snapshot) bool { return s.Sockets > 0 })
}

// stop ends dw as SIGTERM does and waits for it.
func (r *rig) stop() {
	if r.cancel == nil {
		return
	}
	r.cancel()
	r.cancel = nil
	if err := <-r.ended; err != nil {
		r.t.Errorf("dw ended with: %v", err)
	}
}

// at moves the clock to a time of the story's day.
func (r *rig) at(clock string) {
	r.t.Helper()
	hour, err := time.Parse("15:04", clock)
	if err != nil {
		r.t.Fatal(err)
	}
	day := storyStart.Truncate(24 * time.Hour)
	r.clock.set(r.t, day.Add(time.Duration(hour.Hour())*time.Hour+time.Duration(hour.Minute())*time.Minute))
}

// wait waits until people of the workspace see what is awaited.
func (r *rig) wait(what string, done func(slackdev.Snapshot) bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.slack.Wait(ctx, done); err != nil {
		r.t.Fatalf("waited for %s: %v\n%s\n--- log\n%s", what, err, r.screen(), tail(r.log.String(), 6000))
	}
}

func tail(text string, n int) string {
	if len(text) > n {
		return "…" + text[len(text)-n:]
	}
	return text
}

// screen is what stands in the workspace, for failures.
func (r *rig) screen() string {
	var b strings.Builder
	s := r.slack.Snapshot()
	for _, c := range s.Channels {
		for _, m := range c.Messages {
			b.WriteString(c.ID + " " + m.TS + " in " + m.ThreadTS + ": " + m.Text + "\n")
		}
	}
	for user, private := range s.Ephemerals {
		for _, m := range private {
			b.WriteString("only " + user + ": " + m.Text + "\n")
		}
	}
	return b.String()
}

// said reports whether a message says all of the words, in text or blocks.
func said(m slackdev.Message, words ...string) bool {
	all := m.Text + string(m.Blocks)
	for _, word := range words {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

// find returns the newest message of a channel that says all of the words.
func find(s slackdev.Snapshot, channelID string, words ...string) (slackdev.Message, bool) {
	messages := s.Channel(channelID).Messages
	for _, message := range slices.Backward(messages) {
		if said(message, words...) {
			return message, true
		}
	}
	return slackdev.Message{}, false
}

// see waits for a message in the domain's channel.
func (r *rig) see(words ...string) slackdev.Message {
	r.t.Helper()
	var found slackdev.Message
	r.wait("a message that says "+strings.Join(words, ", "), func(s slackdev.Snapshot) bool {
		var ok bool
		found, ok = find(s, channel, words...)
		return ok
	})
	return found
}

// told waits for a private answer to a person, newer than those already there.
func (r *rig) told(user string, before int, words ...string) string {
	r.t.Helper()
	var text string
	r.wait("a private answer to "+user+" that says "+strings.Join(words, ", "), func(s slackdev.Snapshot) bool {
		for _, m := range s.Ephemerals[user][min(before, len(s.Ephemerals[user])):] {
			if said(m, words...) {
				text = m.Text + string(m.Blocks)
				return true
			}
		}
		return false
	})
	return text
}

// click presses a button and returns how many private answers stood before. One
// that dw did not take in time, on a busy machine, is pressed again, as people do.
func (r *rig) click(user string, m slackdev.Message, action string) int {
	r.t.Helper()
	before := len(r.slack.Ephemerals(user))
	for until := time.Now().Add(patience); ; {
		outcome, err := r.slack.Click(context.Background(), user, m.Channel, m.TS, action)
		if err == nil && outcome.Acked {
			return before
		}
		if err != nil || time.Now().After(until) {
			r.t.Fatalf("%s clicks %s: %+v, %v\n%s", user, action, outcome, err, tail(r.log.String(), 3000))
		}
	}
}

// ask types a command and returns the private answer.
func (r *rig) ask(user, text string) string {
	r.t.Helper()
	before := len(r.slack.Ephemerals(user))
	outcome, err := r.slack.Command(context.Background(), user, channel, text)
	if err != nil || !outcome.Acked {
		r.t.Fatalf("/dw %s: %+v, %v", text, outcome, err)
	}
	return r.told(user, before)
}

// askUntil types a command again and again until its answer says words.
func (r *rig) askUntil(user, text, words string) {
	r.t.Helper()
	for until := time.Now().Add(patience); ; {
		answer := r.ask(user, text)
		if strings.Contains(answer, words) {
			return
		}
		if time.Now().After(until) {
			r.t.Fatalf("/dw %s never says %q: %s", text, words, answer)
		}
	}
}

// api calls a method of the Web API with dw's own token, as another process of
// the same app would.
func (r *rig) api(method string, body map[string]any) {
	r.t.Helper()
	content, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, r.slack.APIURL()+method, bytes.NewReader(content))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	request.Header.Set("Authorization", "Bearer "+botToken)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // only read
	var answer struct {
		OK    bool
		Error string
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || !answer.OK {
		r.t.Fatalf("%s: %s, %v", method, answer.Error, err)
	}
}

// placed waits until dw has recorded where every waiting card stands; a click
// before that is asked to come again in a moment.
func (r *rig) placed() {
	r.t.Helper()
	ctx := context.Background()
	db, err := store.OpenReadOnly(ctx, r.database())
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // only read
	for until := time.Now().Add(patience); ; {
		missing := false
		err := db.View(ctx, func(tx workflows.ReadTx) error {
			waiting, err := tx.ProposalsIn(ctx, workflows.Waiting)
			for _, p := range waiting {
				missing = missing || p.Message.TS == ""
			}
			return err
		})
		if err != nil || time.Now().After(until) {
			r.t.Fatalf("the cards are not placed: %v", err)
		}
		if !missing {
			return
		}
		r.ask(copied, "approvals")
	}
}

// receipt is what tests read of one.
type receipt struct {
	Seq       int64
	Bytes     string
	Predicate struct {
		Kind     string         `json:"kind"`
		Incident string         `json:"incident"`
		Proposal string         `json:"proposal"`
		Actor    map[string]any `json:"actor"`
		Body     map[string]any `json:"body"`
	} `json:"predicate"`
}

// receipts reads the receipts of a kind, all for an empty one.
func (r *rig) receipts(kind string) []receipt {
	r.t.Helper()
	ctx := context.Background()
	log, err := app.OpenLog(ctx, r.database())
	if err != nil {
		r.t.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // only read
	rows, err := log.LastReceipts(ctx, "", 10_000)
	if err != nil {
		r.t.Fatal(err)
	}
	var out []receipt
	for _, row := range rows {
		if kind != "" && row.Kind != kind {
			continue
		}
		entry, err := log.Receipt(ctx, row.Seq)
		if err != nil {
			r.t.Fatal(err)
		}
		one := receipt{Seq: row.Seq, Bytes: string(entry.Bytes)}
		if err := json.Unmarshal(entry.Bytes, &one); err != nil {
			r.t.Fatalf("receipt %d: %v", row.Seq, err)
		}
		out = append(out, one)
	}
	return out
}

// verify checks the whole log with the key that stands beside the private one.
func (r *rig) verify() {
	r.t.Helper()
	ctx := context.Background()
	log, err := app.OpenLog(ctx, r.database())
	if err != nil {
		r.t.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // only read
	report, err := log.Verify(ctx, strings.TrimSpace(r.read(r.t, "keys/receipts.pub")))
	if err != nil || report.Code != receipts.CodeGood {
		r.t.Errorf("the receipts do not verify: %v: %s", err, report.String())
	}
}
