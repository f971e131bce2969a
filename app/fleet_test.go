package app_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"dw/internal/testpg"
	"dw/slackdev"
)

// perProcess is how many connections to Slack a dw holds when nothing is said.
const perProcess = 2

// fleet is several dw, each a process of its own, on one PostgreSQL database and
// one workspace, which hands its envelopes to the processes in turn.
type fleet struct {
	*rig
	all []*process
}

// process is one of them.
type process struct {
	name    string // of its sessions at the database
	address string // of its HTTP listener
	cmd     *exec.Cmd
}

// startFleet starts n processes; the first makes the key that all sign with.
func startFleet(t *testing.T, n int, edits ...func(string) string) *fleet {
	t.Helper()
	server := testpg.Start(t)
	f := &fleet{rig: &rig{estate: newEstate(t, edits...), t: t, log: new(output)}}
	f.dsn = server.Database(t)
	for i := range n {
		f.add(fmt.Sprintf("dw-%d", i+1))
	}
	f.each.Store(perProcess)
	return f
}

// add starts one more process and waits for its connections, so that those of
// each process stand together.
func (f *fleet) add(name string) {
	f.t.Helper()
	p := &process{name: name, address: freeAddress(f.t)}
	f.write(f.t, name+".yaml", strings.NewReplacer(
		"store: {dsn: dw.db}", fmt.Sprintf("store: {dsn: %q}", f.dsn+"&application_name="+name),
		`listen: "127.0.0.1:0"`, fmt.Sprintf("listen: %q", p.address),
	).Replace(f.read(f.t, "config.yaml")))
	p.cmd = f.spawn(exec.Command(program(f.t), "run", "-c", f.path(name+".yaml")))
	f.all = append(f.all, p)
	f.sockets(perProcess * len(f.all))
}

// freeAddress is one on which nothing listens now.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed at once
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

var eventsTotal = regexp.MustCompile(`(?m)^dw_slack_events_total (\d+)$`)

// events returns how many events from Slack each process has handled, as its
// /metrics says.
func (f *fleet) events() []int {
	f.t.Helper()
	counts := make([]int, len(f.all))
	for i, p := range f.all {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+p.address+"/metrics", nil)
		if err != nil {
			f.t.Fatal(err)
		}
		_, body := call(f.t, request)
		found := eventsTotal.FindStringSubmatch(body)
		if found == nil {
			f.t.Fatalf("the metrics of %s do not count events:\n%s", p.name, body)
		}
		counts[i], _ = strconv.Atoi(found[1]) // digits only
	}
	return counts
}

// apart fails unless what was delivered since before went to different processes.
func (f *fleet) apart(before []int, what string) {
	f.t.Helper()
	after := f.events()
	for i := range after {
		if after[i]-before[i] > 1 {
			f.t.Errorf("%s: the processes handled %v events before and %v after, want at most one more each", what, before, after)
		}
	}
}

// holder waits until one process has an effect of a kind in hand, by its claim.
func (f *fleet) holder(effect string) *process {
	f.t.Helper()
	const query = `SELECT DISTINCT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid), river_job j
		WHERE l.locktype = 'advisory' AND l.granted AND j.args->>'kind' = $1
		AND hashtextextended($1 || ' ' || (j.args->>'key'), 0) = (l.classid::bigint << 32) | l.objid::bigint`
	for until := time.Now().Add(patience); time.Now().Before(until); {
		names := f.query(query, effect)
		if len(names) == 1 {
			return f.all[slices.IndexFunc(f.all, func(p *process) bool { return p.name == names[0] })]
		}
	}
	f.t.Fatalf("no process takes an effect %s in hand\n%s", effect, tail(f.log.String(), 3000))
	return nil
}

// query reads one column of text from dw's database.
func (f *fleet) query(statement string, args ...any) []string {
	f.t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, f.dsn)
	if err != nil {
		f.t.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // only read
	rows, err := conn.Query(ctx, statement, args...)
	if err != nil {
		f.t.Fatal(err)
	}
	column, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		f.t.Fatal(err)
	}
	return column
}

// kill ends a process as kill -9 does.
func (f *fleet) kill(p *process) {
	f.t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		f.t.Fatal(err)
	}
	killed(f.t, p.cmd)
	f.all = slices.DeleteFunc(f.all, func(other *process) bool { return other == p })
	f.sockets(perProcess * len(f.all))
}

// end stops all processes that are left, as an operator does.
func (f *fleet) end() {
	f.t.Helper()
	for _, p := range f.all {
		f.terminate(p.cmd)
	}
}

// count returns how many messages of all channels, also private ones, say the words.
func (f *fleet) count(words ...string) int {
	n := 0
	for _, c := range f.slack.Snapshot().Channels {
		for _, m := range c.Messages {
			if said(m, words...) {
				n++
			}
		}
	}
	return n
}

// repeated returns the messages of the channel that stand there more than once.
func (f *fleet) repeated() []string {
	seen := map[string]int{}
	var out []string
	for _, m := range f.slack.Messages(channel) {
		key := m.ThreadTS + " " + m.Text
		if seen[key]++; seen[key] == 2 {
			out = append(out, m.Text)
		}
	}
	return out
}

// shown puts a card as it looked at some time into its place, as a client shows
// it that has not seen the newest.
func (f *fleet) shown(card slackdev.Message) {
	f.t.Helper()
	f.api("chat.update", map[string]any{"channel": card.Channel, "ts": card.TS, "text": card.Text, "blocks": card.Blocks})
}
