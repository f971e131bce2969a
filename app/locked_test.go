package app_test

import (
	"context"
	"database/sql"
	"net/http"
	"testing"

	"dw/blocks"
	"dw/receipts"
)

// TestFault08LockedWhileAPersonDecides: somebody else's connection holds the
// database while the owner clicks. dw can decide nothing: the click is not
// acknowledged, so that the owner sees Slack's error, and health is red and says
// why. When the database is free again the owner clicks once more, and there is one
// decision.
func TestFault08LockedWhileAPersonDecides(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	r.until("/healthz", http.StatusOK, `"ok":true`)
	db, err := sql.Open("sqlite", "file:"+r.database()+"?_pragma=busy_timeout(30000)") // dw may be writing
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // only holds the lock
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // only holds the lock
	exec := func(statement string) {
		t.Helper()
		if _, err := conn.ExecContext(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	card := r.card(changeTitle, blocks.ActionApprove)
	exec("BEGIN IMMEDIATE")
	outcome, err := r.slack.Click(context.Background(), owner, card.Channel, card.TS, blocks.ActionApprove)
	if err != nil || outcome.Acked {
		t.Errorf("a click was acknowledged that could not be recorded: %+v, %v", outcome, err)
	}
	r.until("/healthz", http.StatusServiceUnavailable, "the store cannot be written", "database is locked")
	r.undecided(changeTitle)
	exec("ROLLBACK")
	r.until("/healthz", http.StatusOK, `"ok":true`)
	r.click(owner, r.card(changeTitle), blocks.ActionApprove)
	r.card(changeTitle, "approved by")
	r.stop()
	if got := len(r.receipts(receipts.KindDecisionRecorded)); got != 1 {
		t.Errorf("%d decisions, want one", got)
	}
	r.verify()
}
