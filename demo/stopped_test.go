package demo

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dw/slackdev"
)

// TestStoppedAndRevoked plays as a team that stops dw, approves all, revokes one
// approval and lifts the stop: the story waits, and nothing revoked is carried out.
func TestStoppedAndRevoked(t *testing.T) {
	t.Parallel()
	out := &told{waits: make(chan struct{})}
	o := Options{Dir: filepath.Join(t.TempDir(), "demo"), Out: out, history: testHistory(t)}
	err := withConductor(t.Context(), o, func(ctx context.Context, c *conductor) error {
		return c.withDW(ctx, func(ctx context.Context, _ func() error) error {
			team := make(chan error, 1)
			go func() { team <- stopAndRevoke(ctx, c, out.waits) }()
			if err := errors.Join(c.play(ctx), <-team); err != nil {
				return err
			}
			if encodes, err := pipelineEncodes(c.repo.pipeline()); encodes || err != nil || !c.over {
				t.Errorf("over %v, the pipeline was changed although its approval was revoked: %v (%v)", c.over, encodes, err)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
}

// told is what the demo says; waits is closed when it says that the story waits.
type told struct {
	mu    sync.Mutex
	said  bytes.Buffer
	waits chan struct{}
	once  sync.Once
}

func (o *told) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.said.Write(p)
	if strings.Contains(o.said.String(), "dw is stopped, so the story waits") {
		o.once.Do(func() { close(o.waits) })
	}
	return n, err
}

func (o *told) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.said.String()
}

func stopAndRevoke(ctx context.Context, c *conductor, waits <-chan struct{}) error {
	var p plan
	until := func(done func(slackdev.Snapshot) bool) error { return c.slack.Wait(ctx, done) }
	err := until(func(s slackdev.Snapshot) bool {
		var ok bool
		p, ok = planCards(s, c.repo.pipelineName(), c.repo.modelName())
		return ok
	})
	command := func(user, text string) error {
		_, err := c.slack.Command(ctx, user, incidentsID, text)
		return err
	}
	err = errors.Join(err, command(deputyID, "/dw stop a moment"))
	for _, request := range p.each() {
		err = errors.Join(err, c.click(ctx, ownerID, request, buttonApprove))
	}
	if err != nil {
		return err
	}
	select {
	case <-waits:
	case <-ctx.Done():
		return ctx.Err()
	}
	now := func(s slackdev.Snapshot) card { return c.requests.now(s).change }
	if err := until(func(s slackdev.Snapshot) bool { return now(s).has("dw_revoke") }); err != nil {
		return err
	}
	err = errors.Join(c.click(ctx, ownerID, now(c.slack.Snapshot()), "dw_revoke"), command(ownerID, "/dw resume it is over"))
	if err != nil {
		return err
	}
	var lift card
	err = until(func(s slackdev.Snapshot) bool {
		for _, r := range dwCards(s, "proposal") {
			if r.has(buttonApprove) && strings.Contains(r.header, "Lift the stop") {
				lift = r
			}
		}
		return lift.ts != "" && now(s).is("Revoked")
	})
	if err != nil {
		return err
	}
	return c.click(ctx, deputyID, lift, buttonApprove)
}
