// Command pictures makes the pictures of the documentation: it plays the demo
// until the approvals wait and takes screenshots of the workspace's page.
//
//	go run ./internal/pictures bin/dw docs
//
// It needs chromium.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const (
	patience   = 3 * time.Minute // for the approvals to wait
	shotLimit  = time.Minute
	pollEvery  = time.Second
	approvals  = 3
	askedTitle = "Approval needed"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to undo
	}
}

func run(ctx context.Context, args []string) (err error) {
	if len(args) != 2 {
		return errors.New("usage: pictures BINARY FOLDER")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		return fmt.Errorf("chromium is needed: %w", err)
	}
	work, err := os.MkdirTemp("", "dw-pictures-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	page, wait, err := startDemo(ctx, args[0], filepath.Join(work, "day"))
	if err != nil {
		return err
	}
	defer func() { stop(); wait() }()
	card, err := waitForApprovals(ctx, page)
	if err != nil {
		return err
	}
	thread := page + "/?" + url.Values{"channel": {card.channel}, "thread": {card.ts}}.Encode()
	for _, shot := range []struct{ name, url, size string }{
		{"incident.png", page + "/?" + url.Values{"channel": {card.channel}}.Encode(), "1100,560"},
		{"workspace.png", thread, "1700,1000"},
		{"approval.png", thread, "1500,2400"},
	} {
		if err := screenshot(ctx, chromium, work, shot.url, filepath.Join(args[1], shot.name), shot.size); err != nil {
			return fmt.Errorf("%s: %w", shot.name, err)
		}
	}
	return nil
}

var pageURL = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// startDemo starts the demo and returns the address of the page that it prints,
// and what waits for its end.
func startDemo(ctx context.Context, binary, dir string) (string, func(), error) {
	demo := exec.CommandContext(ctx, binary, "demo", "--dir", dir) //nolint:gosec // the binary that was just built
	out, err := demo.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	demo.Stderr = os.Stderr
	if err := demo.Start(); err != nil {
		return "", nil, err
	}
	wait := func() { _ = demo.Wait() } // it was told to end
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if found := pageURL.FindString(lines.Text()); found != "" {
			go func() { _, _ = io.Copy(io.Discard, out) }() // ends with the demo
			return found, wait, nil
		}
	}
	return "", nil, errors.New("the demo ended without naming its page")
}

type place struct{ channel, ts string }

type state struct {
	Channels []struct {
		ID       string `json:"id"`
		Messages []struct {
			TS       string `json:"ts"`
			ThreadTS string `json:"thread_ts"`
			Text     string `json:"text"`
		} `json:"messages"`
	} `json:"channels"`
}

// waitForApprovals returns the root of the thread in which the approvals wait.
func waitForApprovals(ctx context.Context, page string) (place, error) {
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		now, err := read(ctx, page)
		if err != nil {
			return place{}, err
		}
		for _, channel := range now.Channels {
			asked, root := 0, ""
			for _, m := range channel.Messages {
				if strings.HasPrefix(m.Text, askedTitle) {
					asked, root = asked+1, m.ThreadTS
				}
			}
			if asked == approvals {
				return place{channel.ID, root}, nil
			}
		}
		select {
		case <-ctx.Done():
			return place{}, ctx.Err()
		case <-time.After(pollEvery):
		}
	}
	return place{}, fmt.Errorf("no %d approvals within %s", approvals, patience)
}

func read(ctx context.Context, page string) (state, error) {
	var out state
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, page+"/_dev/state", nil) //nolint:gosec // the demo's own page
	if err != nil {
		return out, err
	}
	answer, err := http.DefaultClient.Do(request) //nolint:gosec // the demo's own page
	if err != nil {
		return out, err
	}
	defer answer.Body.Close() //nolint:errcheck // only read
	return out, json.NewDecoder(answer.Body).Decode(&out)
}

func screenshot(ctx context.Context, chromium, work, page, file, size string) error {
	ctx, cancel := context.WithTimeout(ctx, shotLimit)
	defer cancel()
	profile, err := os.MkdirTemp(work, "profile-")
	if err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, chromium, //nolint:gosec // a fixed program on an own page
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--user-data-dir="+profile,
		"--window-size="+size, "--screenshot="+file, page).CombinedOutput()
	if err != nil {
		return fmt.Errorf("chromium: %w: %s", err, out)
	}
	if info, err := os.Stat(file); err != nil || info.Size() < 10_000 { //nolint:gosec // the folder that was asked for
		return fmt.Errorf("chromium wrote no picture: %s", out)
	}
	return nil
}
