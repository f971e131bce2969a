package main_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"dw/slackdev"
)

// ran starts the bot on a farm, several times, and stops it as an operator does,
// so that its database holds receipts.
func ran(t *testing.T) string {
	t.Helper()
	workspace := farmSlack(t)
	dir := farm(t, "http://127.0.0.1:1/api/", workspace.APIURL())
	for range 2 {
		var log bytes.Buffer
		bot := exec.Command(binary, "run")
		bot.Dir, bot.Stderr = dir, &log
		if err := bot.Start(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		err := workspace.Wait(ctx, func(s slackdev.Snapshot) bool { return s.Sockets > 0 })
		cancel()
		if signal := bot.Process.Signal(syscall.SIGTERM); err != nil || signal != nil {
			t.Errorf("the bot did not start: %v, %v", err, signal)
		}
		if err := bot.Wait(); err != nil {
			t.Fatalf("the bot ended with %v\n%s", err, log.String())
		}
	}
	return dir
}

// TestReceipts: list, show and export answer from the database of a bot that has
// run, and verify tells a checked signature (0) from an unchecked one (4).
func TestReceipts(t *testing.T) {
	t.Parallel()
	dir := ran(t)
	dw(t, dir, "receipts", "list").want(t, 0, "key.created", "config.loaded")
	dw(t, dir, "receipts", "list", "--db", "dw.db", "--limit", "1").want(t, 0, "config.loaded")
	if list := dw(t, dir, "receipts", "list").stdout; !regexp.MustCompile(`(?m)^1    \d{4}-\d\d-\d\d \d\d:\d\d:\d\d  key.created    -         -         dw$`).MatchString(list) {
		t.Errorf("the list is not aligned, or its times have fractions:\n%s", list)
	}
	if list := dw(t, dir, "receipts", "list", "--json"); list.code != 0 || !json.Valid([]byte(list.stdout)) {
		t.Errorf("list --json: %+v", list)
	}
	dw(t, dir, "record", "shop").want(t, 0, "an empty record says nothing about how good dw would be")
	if record := dw(t, dir, "record", "shop", "--json"); record.code != 0 || !strings.Contains(record.stdout, `"classes": []`) {
		t.Errorf("record --json: %+v", record)
	}
	dw(t, dir, "receipts", "show", "1").want(t, 0, `"kind":"key.created"`)
	dw(t, dir, "receipts", "show", "99").want(t, 2, "no receipt 99")
	dw(t, dir, "receipts", "show", "one").want(t, 2, `"one" is no receipt number`)
	dw(t, dir, "receipts", "verify").want(t, 4)
	dw(t, dir, "receipts", "verify", "--key", "receipts.pub").want(t, 0, "signature checked")
	dw(t, dir, "receipts", "verify", "--key", "config.yaml").want(t, 2)
	dw(t, dir, "receipts", "verify", "--key", "gone.pub").want(t, 2, "gone.pub")
	dw(t, dir, "receipts", "export", "--db", "dw.db", "--out", "out").want(t, 0)
	for name, code := range map[string]int{"receipts.ndjson": 0, "checkpoint": 0, "public_key": 0, "README": 0} {
		if info, err := os.Stat(filepath.Join(dir, "out", name)); err != nil || info.Size() == 0 {
			t.Errorf("the export lacks %s: %v, %d", name, err, code)
		}
	}
	dw(t, dir, "receipts", "verify", "--export", "out").want(t, 4)
	dw(t, dir, "receipts", "verify", "--export", "out", "--key", "receipts.pub").want(t, 0)
	dw(t, dir, "receipts", "verify", "--export", "out", "--db", "dw.db").want(t, 2, "give one of --export")
	verify := dw(t, dir, "receipts", "verify", "--key", "receipts.pub", "--json", "--expect-at-least", "out/checkpoint")
	verify.want(t, 0)
	if !json.Valid([]byte(verify.stdout)) {
		t.Errorf("verify --json: %s", verify.stdout)
	}
}

// TestVerifyCannotOpen: what is no database of dw is exit code 2, for every
// command that reads receipts.
func TestVerifyCannotOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "text.db", strings.Repeat("this is no database ", 100))
	write(t, dir, "empty.db", "")
	database(t, filepath.Join(dir, "other.db"), "CREATE TABLE other (a)")
	for _, file := range []string{"text.db", "empty.db", "other.db", "gone.db"} {
		for _, args := range [][]string{{"verify"}, {"list"}, {"show", "1"}, {"export", "--out", "out"}} {
			dw(t, dir, append([]string{"receipts", args[0], "--db", file}, args[1:]...)...).want(t, 2, file)
		}
	}
	dw(t, dir, "receipts", "verify", "--export", "nowhere").want(t, 2, "nowhere")
	if _, err := os.Stat(filepath.Join(dir, "gone.db")); err == nil {
		t.Error("reading receipts made a database")
	}
}

// writable opens dw's database as somebody who owns the file does, with the
// triggers dropped.
func writable(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "dw.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, trigger := range []string{"receipts_refuse_update", "receipts_refuse_delete", "receipts_refuse_gap"} {
		if _, err := db.Exec("DROP TRIGGER " + trigger); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func change(t *testing.T, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// TestChangedByte: a changed byte of any receipt is exit code 1 and names the
// receipt, with and without the key.
func TestChangedByte(t *testing.T) {
	t.Parallel()
	dir := ran(t)
	db := writable(t, dir)
	stored := map[int][]byte{}
	rows, err := db.Query("SELECT seq, bytes FROM receipts")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var seq int
		var content []byte
		if err := rows.Scan(&seq, &content); err != nil {
			t.Fatal(err)
		}
		stored[seq] = content
	}
	if rows.Err() != nil || len(stored) < 3 {
		t.Fatalf("%d receipts, %v", len(stored), rows.Err())
	}
	for seq, content := range stored {
		for _, at := range []int{0, len(content) / 3, len(content) / 2, len(content) - 1} {
			damaged := bytes.Clone(content)
			damaged[at] ^= 1
			change(t, db, "UPDATE receipts SET bytes = ? WHERE seq = ?", damaged, seq)
			dw(t, dir, "receipts", "verify", "--key", "receipts.pub").want(t, 1, fmt.Sprint(seq))
		}
		dw(t, dir, "receipts", "verify").want(t, 1)
		change(t, db, "UPDATE receipts SET bytes = ? WHERE seq = ?", content, seq)
	}
	dw(t, dir, "receipts", "verify", "--key", "receipts.pub").want(t, 0)
}

// TestCutBack: a log whose last receipt and head were cut back while its
// checkpoint stands is exit code 3, and the bot does not write over the gap.
func TestCutBack(t *testing.T) {
	t.Parallel()
	dir := ran(t)
	db := writable(t, dir)
	change(t, db, "DELETE FROM receipts WHERE seq = (SELECT max(seq) FROM receipts)")
	change(t, db, `UPDATE head SET seq = (SELECT max(seq) FROM receipts),
		chain_hash = (SELECT chain_hash FROM receipts ORDER BY seq DESC LIMIT 1)`)
	dw(t, dir, "receipts", "verify", "--key", "receipts.pub").want(t, 3)
	dw(t, dir, "receipts", "verify").want(t, 3)
	dw(t, dir, "run").want(t, 1, "receipts were cut off")
	dw(t, dir, "receipts", "verify", "--key", "receipts.pub").want(t, 3)
}
