package soak

import (
	"context"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/blocks"

	"github.com/gorilla/websocket"
	_ "modernc.org/sqlite" // the floor's driver
)

const (
	benchRounds  = 5
	benchPeople  = 25
	benchDomains = 8 // 400 clicks in all
)

// BenchmarkTrustClick sets a click on the path that people take (the workspace's
// socket, the built dw, the decision with its receipt and checkpoint on the disk,
// the acknowledgement) beside its floor: the echo of a frame of the same size over
// a websocket, behind a durable commit of one row with the store's pragmas on the
// same disk. Both in turns, five rounds; the p95 of each round, and of the five the
// median. One iteration is the whole of it: -benchtime 1x.
func BenchmarkTrustClick(b *testing.B) {
	for b.Loop() {
		e := newEstate(b, benchPeople, benchDomains)
		e.start()
		e.terminate()
		e.seed()
		e.start()
		intents := e.placed()
		floor := newFloor(b)
		var low, high, ratio []float64
		each := len(intents) / benchRounds
		for r := range benchRounds {
			f := p95(b, each, func(int) error { return floor.roundTrip() })
			d := p95(b, each, func(n int) error { return e.clickOnce(intents[r*each+n]) })
			low, high, ratio = append(low, f), append(high, d), append(ratio, d/f)
			b.Logf("round %d: floor %.2f ms, dw %.2f ms, %.2f times", r+1, f, d, d/f)
		}
		e.terminate()
		b.ReportMetric(median(low), "floor-p95-ms")
		b.ReportMetric(median(high), "click-p95-ms")
		b.ReportMetric(median(ratio), "x-floor")
	}
}

func (e *estate) clickOnce(in intent) error {
	out, err := e.slack.Click(context.Background(), in.user, in.channel, in.ts, blocks.ActionApprove)
	if err == nil && !out.Acked {
		e.t.Errorf("a click was not acknowledged: %+v", out)
	}
	return err
}

// p95 is the time in milliseconds within which 95 of 100 calls end.
func p95(b *testing.B, n int, call func(int) error) float64 {
	b.Helper()
	took := make([]time.Duration, n)
	for i := range n {
		start := time.Now()
		if err := call(i); err != nil {
			b.Fatal(err)
		}
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return float64(took[n*95/100].Microseconds()) / 1000
}

func median(of []float64) float64 {
	of = slices.Sorted(slices.Values(of))
	return of[len(of)/2]
}

// floor is a websocket whose other end commits one row and answers.
type floor struct {
	conn  *websocket.Conn
	frame []byte
}

func newFloor(b *testing.B) *floor {
	b.Helper()
	db, err := sql.Open("sqlite", b.TempDir()+"/floor.db?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	b.Cleanup(func() { _ = db.Close() })
	if _, err := db.Exec("CREATE TABLE floor (n INTEGER PRIMARY KEY, bytes BLOB) STRICT"); err != nil {
		b.Fatal(err)
	}
	row := []byte(strings.Repeat("r", 2048))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var upgrader websocket.Upgrader
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			kind, frame, err := conn.ReadMessage()
			if err != nil {
				return
			}
			if _, err := db.Exec("INSERT INTO floor (bytes) VALUES (?)", row); err != nil {
				return
			}
			if err := conn.WriteMessage(kind, frame); err != nil {
				return
			}
		}
	}))
	b.Cleanup(server.Close)
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return &floor{conn, []byte(strings.Repeat("f", 8<<10))}
}

func (f *floor) roundTrip() error {
	if err := f.conn.WriteMessage(websocket.TextMessage, f.frame); err != nil {
		return err
	}
	_, _, err := f.conn.ReadMessage()
	return err
}
