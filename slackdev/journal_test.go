package slackdev_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"dw/slackdev"
)

func TestJournalTellsAllButSecrets(t *testing.T) {
	t.Parallel()
	var lines lockedBuffer
	b := setup(t, func(o *slackdev.Options) { o.Journal = &lines })
	r := b.dial(t).hello()
	b.post(t, "text", "x")
	b.command(t, r, ann, open)
	text := lines.String()
	for _, want := range []string{`"what":"hello"`, `"method":"chat.postMessage"`, `"what":"envelope"`, `"what":"ack"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the journal", want)
		}
	}
	for _, secret := range []string{botToken, appToken} {
		if strings.Contains(text, secret) {
			t.Errorf("the journal tells %s", secret)
		}
	}
	for line := range strings.Lines(text) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
}

// lockedBuffer is a buffer that several goroutines write to.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
