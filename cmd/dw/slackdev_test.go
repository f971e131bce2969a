package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"dw/slackdev"

	"github.com/spf13/cobra"
)

var curlLine = regexp.MustCompile(`(?m)^ {4}curl -s \$P(/\S+)(?:\s+-d '(.*?)')?`)

// TestDocumentedCommandsWork posts every command of docs/slackdev.md to the
// workspace that `dw slackdev` runs.
func TestDocumentedCommandsWork(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "slackdev.md"))
	if err != nil {
		t.Fatal(err)
	}
	server, err := slackdev.New(slackdev.Options{Workspace: localWorkspace(), EventRetries: []time.Duration{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	lines := curlLine.FindAllStringSubmatch(string(doc), -1)
	if len(lines) < 18 {
		t.Fatalf("%d commands found in the document", len(lines))
	}
	for _, line := range lines {
		method := http.MethodPost
		if line[2] == "" {
			method = http.MethodGet
		}
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL()+line[1], strings.NewReader(line[2]))
		if err != nil {
			t.Fatal(err)
		}
		r.Close = true
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s, %v", line[0], resp.StatusCode, body, err)
		}
		resp.Body.Close() //nolint:errcheck // only read
	}
}

// TestSlackdevFlags: the flags reach the workspace, and the journal holds no token.
func TestSlackdevFlags(t *testing.T) {
	t.Parallel()
	journal := filepath.Join(t.TempDir(), "journal")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, printed := io.Pipe()
	cmd := slackdevCommand()
	cmd.SetArgs([]string{"--listen", "127.0.0.1:0", "--journal", journal, "--scopes", "chat:write"})
	cmd.SetOut(printed)
	ended := make(chan error, 1)
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	said := map[string]string{}
	read := make([]byte, 4096)
	for said["team"] == "" {
		n, err := out.Read(read)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(read[:n])) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				said[key] = strings.TrimSpace(value)
			}
		}
	}
	answer := postAs(t, said["bot_token"], said["api_url"]+"users.list")
	if !strings.Contains(answer, `"needed":"users:read"`) {
		t.Errorf("--scopes did not reach the workspace: %s", answer)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	lines, err := os.ReadFile(journal)
	if err != nil || !strings.Contains(string(lines), `"method":"users.list"`) || strings.Contains(string(lines), said["bot_token"]) {
		t.Errorf("journal %q, %v", lines, err)
	}
	if err := runQuietly(slackdevCommand(), "--listen", "256.0.0.1:0"); err == nil {
		t.Error("an address that does not exist was listened on")
	}
}

func runQuietly(cmd *cobra.Command, args ...string) error {
	cmd.SetArgs(args)
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	return cmd.Execute()
}

func postAs(t *testing.T, token, address string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
