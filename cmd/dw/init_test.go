package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dw/slackdev"
)

// shop is a folder with a warehouse of one table.
func shop(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	database(t, filepath.Join(dir, "shop.db"), "CREATE TABLE orders (order_id INTEGER, created_at TEXT)",
		"INSERT INTO orders VALUES (1, '"+time.Now().UTC().Format(time.RFC3339)+"'), (2, '"+time.Now().UTC().Format(time.RFC3339)+"')")
	return dir
}

// TestInitWithoutQuestions: --yes takes what the flags say, never overwrites, and
// names the flag that is missing.
func TestInitWithoutQuestions(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	args := []string{"init", "bot", "--yes", "--database", "shop.db", "--table", "orders", "--owner", "U0ANN", "--channel", "C0DATA"}
	dw(t, dir, "init", "bot", "--yes").want(t, 2, "give --database")
	if _, err := os.Stat(filepath.Join(dir, "bot")); err == nil {
		t.Error("a refused init made the folder")
	}
	dw(t, dir, append(args[:len(args)-5:len(args)-5], "ordes", "--owner", "U0ANN", "--channel", "C0DATA")...).want(t, 2, "orders")
	dw(t, dir, args...).want(t, 0, "freshness", "unique", "bot/slack-app-manifest.json", "https://api.slack.com/apps", "dw doctor -c bot/config.yaml")
	for name, mode := range map[string]os.FileMode{"config.yaml": 0o600, ".env": 0o600, ".gitignore": 0o644, "slack-app-manifest.json": 0o644} {
		if info, err := os.Stat(filepath.Join(dir, "bot", name)); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v; want mode %v", name, info, err, mode)
		}
	}
	write(t, dir, "bot/.env", "SLACK_BOT_TOKEN=xoxb-mine\n")
	dw(t, dir, args...).want(t, 2, "was kept", "--force")
	if kept, err := os.ReadFile(filepath.Join(dir, "bot", ".env")); err != nil || string(kept) != "SLACK_BOT_TOKEN=xoxb-mine\n" {
		t.Errorf("the tokens were overwritten: %s, %v", kept, err)
	}
	dw(t, dir, "config", "check", "bot/config.yaml").want(t, 0, "3 checks, 1 domains")
	dw(t, dir, "check", "run", "-c", "bot/config.yaml").want(t, 0, "pass")
	write(t, dir, "bot/.gitignore", "*.db\nmine")
	dw(t, dir, append(args, "--force")...).want(t, 0, "wrote bot/.env")
	if ignored, err := os.ReadFile(filepath.Join(dir, "bot", ".gitignore")); err != nil || string(ignored) != "*.db\nmine\n.env\n*.db-*\nreceipts.key\n" {
		t.Errorf("the ignore file is %q, %v", ignored, err)
	}
	os.Remove(filepath.Join(dir, "shop.db"))
	dw(t, dir, args...).want(t, 2, "shop.db does not exist")
}

// TestInitAsks: a person is asked what no flag says, sees the tables, and a file
// is overwritten only after a yes.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	typed := func(code int, answers string, says ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, binary, "init")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(answers)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		_ = cmd.Run()
		ended{code: cmd.ProcessState.ExitCode(), stdout: out.String()}.want(t, code, append(says, "")...)
		if cmd.ProcessState.ExitCode() != code {
			t.Errorf("exit code %d, want %d", cmd.ProcessState.ExitCode(), code)
		}
	}
	answers := "\nshop.db\nsales\nann@acme.example\nC0DATA\norders\n"
	typed(2, "sqlite\n", "no answer to", "give --database")
	typed(0, answers, "Tables: orders", "wrote config.yaml")
	dw(t, dir, "config", "check", "config.yaml").want(t, 0)
	write(t, dir, "config.yaml", "mine")
	typed(2, answers+"n\nn\nn\nn\n", "Overwrite it? [y/N]", "was kept")
	if kept, _ := os.ReadFile(filepath.Join(dir, "config.yaml")); string(kept) != "mine" {
		t.Errorf("config.yaml was overwritten after a no: %s", kept)
	}
	typed(0, answers+"y\ny\ny\ny\n", "wrote config.yaml")
}

// TestStrangersPath: fresh folder, init, the local workspace, doctor, run, a first
// check and a first incident, each by the built binary.
func TestStrangersPath(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	address := startWorkspace(t, dir)
	dw(t, dir, "init", "--local", "--yes", "--database", "shop.db", "--table", "orders").want(t, 0, "next, in another terminal:  dw slackdev")
	edit(t, dir, "config.yaml", "127.0.0.1:8471", address, "store:", "server: {listen: \"127.0.0.1:0\"}\njobs: {tick: 0.1, poll: 0.1}\nstore:")
	dwWith(t, dir, nil, "doctor").want(t, 0, "0 warnings, 0 failed", "next: start dw")
	var log bytes.Buffer
	bot := exec.Command(binary, "run")
	bot.Dir, bot.Stderr = dir, &log
	if err := bot.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bot.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := bot.Wait(); err != nil {
			t.Errorf("dw ended with %v\n%s", err, log.String())
		}
	})
	wait(t, address, "the bot connects", func(s slackdev.Snapshot) bool { return s.Sockets > 0 })
	database(t, filepath.Join(dir, "shop.db"), "INSERT INTO orders SELECT * FROM orders")
	body := `{"user":"U0OWNER","channel":"C0DATA","text":"check run orders order_id is unique"}`
	answer, err := http.Post("http://"+address+"/_dev/command", "application/json", strings.NewReader(body))
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the command: %v, %v", answer, err)
	}
	_ = answer.Body.Close()
	wait(t, address, "the incident is posted", func(s slackdev.Snapshot) bool {
		messages := s.Channel("C0DATA").Messages
		return len(messages) > 0 && strings.Contains(messages[0].Text, "order_id")
	})
	dw(t, dir, "receipts", "list").want(t, 0, "incident.opened")
}

// startWorkspace runs dw slackdev on a free port and returns its address.
func startWorkspace(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.Command(binary, "slackdev", "--listen", "127.0.0.1:0")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	first := make([]byte, 512)
	n, err := out.Read(first)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(first[:n]), "http://")
	address, _, _ := strings.Cut(rest, "\n")
	if !found {
		t.Fatalf("slackdev says %q", first[:n])
	}
	return strings.TrimSpace(address)
}

// wait polls the workspace until something holds.
func wait(t *testing.T, address, what string, holds func(slackdev.Snapshot) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var s slackdev.Snapshot
	for ticks := time.NewTicker(50 * time.Millisecond); ; {
		answer, err := http.Get("http://" + address + "/_dev/state")
		if err == nil {
			err = json.NewDecoder(answer.Body).Decode(&s)
			_ = answer.Body.Close()
		}
		if err == nil && holds(s) {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: not within a minute (%v): %+v", what, err, s)
		case <-ticks.C:
		}
	}
}

// edit replaces text in a file; pairs are old and new.
func edit(t *testing.T, dir, name string, pairs ...string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, name, strings.NewReplacer(pairs...).Replace(string(content)))
}
