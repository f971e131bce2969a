package app_test

import (
	"context"
	"database/sql"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"dw/app"
	"dw/receipts"
	"dw/slackdev"
)

// TestAnchors: a grown log is anchored in Slack and in Git, each with its receipt,
// and anchors alone ask for no more of them. A log that was changed afterwards is found
// by the self-check: /healthz turns red and the channel is told, once.
func TestAnchors(t *testing.T) {
	t.Parallel()
	r := start(t, replace("checkpoint_every: 1}", "checkpoint_every: 1s, self_check_every: 1s, anchors: {every: 1s, slack_channel: "+spare+", git: {dir: anchors}}}"))
	var posted slackdev.Message
	r.wait("a checkpoint in the anchors' channel", func(s slackdev.Snapshot) bool {
		var ok bool
		posted, ok = find(s, spare, "Checkpoint of dw's first", "dw/grid-test")
		return ok
	})
	ids := map[string]string{} // of the first anchor in each place
	for until := time.Now().Add(patience); ids["git"] == "" || ids["slack"] == ""; {
		for _, a := range r.receipts(receipts.KindAnchorPosted) {
			if where, _ := a.Predicate.Body["where"].(string); ids[where] == "" {
				ids[where], _ = a.Predicate.Body["id"].(string)
			}
		}
		if time.Now().After(until) {
			t.Fatalf("anchors %v\n%s", ids, tail(r.log.String(), 3000))
		}
	}
	// More may have been committed meanwhile.
	git := exec.Command("git", "merge-base", "--is-ancestor", ids["git"], "dw-anchors")
	git.Dir = r.path("anchors")
	if said, err := git.CombinedOutput(); err != nil {
		t.Errorf("the commit %s that the receipt names is not on the branch: %v %s", ids["git"], err, said)
	}
	if ids["slack"] == "" || ids["slack"] > posted.TS {
		t.Errorf("the message's ts is %s, the receipt says %s", posted.TS, ids["slack"])
	}
	// What a person copies out of Slack verifies.
	notes, err := receipts.FindCheckpoints(posted.Text)
	if err != nil {
		t.Fatal(err)
	}
	log, err := app.OpenLog(context.Background(), r.database())
	if err != nil {
		t.Fatal(err)
	}
	report, err := log.Verify(context.Background(), strings.TrimSpace(r.read(t, "keys/receipts.pub")), notes...)
	if err != nil || report.Code != receipts.CodeGood || log.Close() != nil {
		t.Errorf("with the message: %v, %s", err, report)
	}
	r.until("/healthz", http.StatusOK, `"ok":true`)

	db, err := sql.Open("sqlite", "file:"+r.database()+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a test
	for _, statement := range []string{"DROP TRIGGER receipts_refuse_update", "UPDATE receipts SET bytes = CAST(replace(CAST(bytes AS TEXT), 'key.created', 'key.creates') AS BLOB) WHERE seq = 1"} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	r.until("/healthz", http.StatusServiceUnavailable, "does not verify", "receipt 1")
	r.see("dw's log of receipts does not verify", "receipt 1", "starts no step of its own")
	for until := time.Now().Add(patience); len(r.receipts(receipts.KindLogMismatch)) == 0; {
		if time.Now().After(until) {
			t.Fatalf("no receipt of the mismatch\n%s", tail(r.log.String(), 3000))
		}
	}
	if _, err := os.Stat(r.path("keys/receipts.anchor")); err != nil {
		t.Errorf("no anchor is kept beside the key: %v", err)
	}
}
