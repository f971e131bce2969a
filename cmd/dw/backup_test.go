package main_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dw/slackdev"
)

// again starts the bot on a folder once more and stops it.
func again(t *testing.T, dir string) {
	t.Helper()
	running(t, dir, func() {})
}

// running starts the bot on a folder, does something meanwhile, and stops it.
func running(t *testing.T, dir string, meanwhile func()) {
	t.Helper()
	workspace := farmSlack(t)
	content, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(content), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "slack:") {
			lines[i] = `slack: {api_url: "` + workspace.APIURL() + `", bot_token: xoxb-farm-bot, app_token: xapp-farm-app}`
		}
	}
	write(t, dir, "config.yaml", strings.Join(lines, "\n"))
	var log bytes.Buffer
	bot := exec.Command(binary, "run")
	bot.Dir, bot.Stderr = dir, &log
	if err := bot.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err = workspace.Wait(ctx, func(s slackdev.Snapshot) bool { return s.Sockets > 0 })
	if err == nil {
		meanwhile()
	}
	if signal := bot.Process.Signal(syscall.SIGTERM); err != nil || signal != nil {
		t.Errorf("the bot did not start: %v, %v", err, signal)
	}
	if err := bot.Wait(); err != nil {
		t.Fatalf("the bot ended with %v\n%s", err, log.String())
	}
}

// TestBackupAndRestore: a backup is taken while dw runs, an open database is not
// replaced, a restored one goes on with the same chain and says so, and a torn
// backup is refused.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	dir := ran(t)
	running(t, dir, func() {
		dw(t, dir, "backup", "one.bak").want(t, 0, "receipts    good: ", "signature checked", "checkpoint", "receipts.key: keep a copy")
		dw(t, dir, "restore", "one.bak", "--replace").want(t, 2, "another process has the database open; stop dw first")
	})
	if info, err := os.Stat(filepath.Join(dir, "one.bak")); err != nil || info.Mode() != 0o600 {
		t.Errorf("the backup: %v, %v", info, err)
	}
	dw(t, dir, "backup", "one.bak").want(t, 2, "is there already")
	dw(t, dir, "receipts", "verify", "--db", "one.bak", "--key", "receipts.pub").want(t, 0, "signature checked")
	dw(t, dir, "receipts", "export", "--out", "out").want(t, 0)

	dw(t, dir, "restore", "one.bak").want(t, 2, "dw.db is there; say --replace")
	again(t, dir) // the log grows beyond the backup
	dw(t, dir, "restore", "one.bak", "--replace").want(t, 2, "would be lost from the log", "--shorter")
	dw(t, dir, "receipts", "export", "--out", "later").want(t, 0)
	dw(t, dir, "restore", "one.bak", "--replace", "--expect-at-least", "later/checkpoint").want(t, 2, "the checkpoint says", "--shorter")
	dw(t, dir, "restore", "one.bak", "--replace", "--shorter", "--expect-at-least", "later/checkpoint").want(t, 0, "aside", "start dw")
	if asides, err := filepath.Glob(filepath.Join(dir, "dw.db.replaced-*")); err != nil || len(asides) == 0 {
		t.Errorf("the replaced database is gone: %v, %v", asides, err)
	}
	again(t, dir)
	dw(t, dir, "receipts", "list").want(t, 0, "restored_from")
	dw(t, dir, "receipts", "verify", "--key", "receipts.pub").want(t, 0, "signature checked")
	if _, err := os.Stat(filepath.Join(dir, "dw.db.restored")); err == nil {
		t.Error("the note of the restore is still there")
	}
	again(t, dir)
	if list := dw(t, dir, "receipts", "list"); strings.Count(list.stdout, "restored_from") != 1 {
		t.Errorf("the restore is recorded more or less than once:\n%s", list.stdout)
	}
}

// TestTornBackupIsRefused: a cut, a changed or another instance's backup does not
// take the database's place, and leaves nothing behind.
func TestTornBackupIsRefused(t *testing.T) {
	t.Parallel()
	dir := ran(t)
	dw(t, dir, "backup", "whole.bak").want(t, 0)
	whole, err := os.ReadFile(filepath.Join(dir, "whole.bak"))
	if err != nil {
		t.Fatal(err)
	}
	receipt := bytes.Index(whole, []byte(`"kind":"key.created"`))
	if receipt < 0 {
		t.Fatal("the backup holds no receipt as it was written")
	}
	changed := bytes.Clone(whole)
	changed[receipt+9] ^= 1
	if err := os.Rename(filepath.Join(dir, "dw.db"), filepath.Join(dir, "gone.db")); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"cut.bak": string(whole[:len(whole)/2]), "changed.bak": string(changed), "empty.bak": "", "text.bak": strings.Repeat("no database ", 500),
	} {
		write(t, dir, name, content)
		dw(t, dir, "restore", name).want(t, 2, name)
		for _, left := range []string{"dw.db", "dw.db.restored", "dw.db.part"} {
			if _, err := os.Stat(filepath.Join(dir, left)); err == nil {
				t.Errorf("after %s was refused %s is there", name, left)
			}
		}
	}
	dw(t, dir, "restore", "missing.bak").want(t, 2, "missing.bak")
	edit(t, dir, "config.yaml", "instance: farm-test", "instance: other-farm")
	dw(t, dir, "restore", "whole.bak").want(t, 2, `of instance "farm-test", not of "other-farm"`)
	edit(t, dir, "config.yaml", "instance: other-farm", "instance: farm-test")
	dw(t, dir, "restore", "whole.bak").want(t, 0)
	again(t, dir)
	dw(t, dir, "receipts", "verify", "--key", "receipts.pub").want(t, 0)
}
