package slackdev_test

import (
	"context"
	"io"
	"log"
	"testing"

	"dw/slackdev"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
)

const approveBlocks = `[
	{"type":"section","block_id":"facts","text":{"type":"mrkdwn","text":"*Pause* the job?"}},
	{"type":"actions","block_id":"decide","elements":[
		{"type":"button","action_id":"approve","style":"primary","value":"p1","text":{"type":"plain_text","text":"Approve"}},
		{"type":"static_select","action_id":"when","options":[
			{"text":{"type":"plain_text","text":"Now"},"value":"now"},
			{"text":{"type":"plain_text","text":"Later"},"value":"later"}]}]}]`

// bot runs slack-go's own socketmode client with one handler until the test ends.
func (b *bundle) bot(t *testing.T, handle func(*socketmode.Client, socketmode.Event)) {
	t.Helper()
	client := socketmode.New(b.api, socketmode.OptionLog(log.New(io.Discard, "", 0)))
	ctx, cancel := context.WithCancel(b.ctx)
	ended, handled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_ = client.RunContext(ctx)
	}()
	go func() {
		defer close(handled)
		for {
			select {
			case e := <-client.Events:
				handle(client, e)
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-ended; <-handled })
	b.connected(t, 1)
}

func (b *bundle) connected(t *testing.T, n int) {
	t.Helper()
	if err := b.Wait(b.ctx, func(s slackdev.Snapshot) bool { return s.Sockets == n }); err != nil {
		t.Fatal(err)
	}
}

func TestSlackGoCommandIsAnsweredInsideTheAck(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := make(chan slack.SlashCommand, 1)
	b.bot(t, func(c *socketmode.Client, e socketmode.Event) {
		if cmd, ok := e.Data.(slack.SlashCommand); ok {
			got <- cmd
			c.Ack(*e.Request, map[string]any{"text": "all fresh"})
		}
	})
	out, err := b.Command(b.ctx, ann, open, "/dw status @ann <x>")
	if err != nil || !out.Acked || out.Error != "" {
		t.Fatalf("outcome %+v, %v", out, err)
	}
	cmd := <-got
	if cmd.Command != "/dw" || cmd.Text != "status <@"+ann+"|ann> &lt;x&gt;" || cmd.UserID != ann || cmd.ChannelID != open {
		t.Errorf("the app got %+v", cmd)
	}
	private := b.Ephemerals(ann)
	if len(private) != 1 || private[0].Text != "all fresh" || private[0].Channel != open {
		t.Errorf("ephemerals: %+v", private)
	}
	if n := len(b.Messages(open)); n != 0 {
		t.Errorf("a private answer left %d messages in the channel", n)
	}
}

func TestSlackGoClickAndUpdate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ts := b.post(t, "text", "Pause?", "blocks", approveBlocks)
	got := make(chan slack.InteractionCallback, 1)
	b.bot(t, func(c *socketmode.Client, e socketmode.Event) {
		if cb, ok := e.Data.(slack.InteractionCallback); ok {
			c.Ack(*e.Request)
			got <- cb
		}
	})
	out, err := b.Choose(b.ctx, bob, open, ts, "when", "later")
	if err != nil || !out.Acked {
		t.Fatalf("choose: %+v, %v", out, err)
	}
	if cb := <-got; cb.ActionCallback.BlockActions[0].SelectedOption.Value != "later" {
		t.Errorf("choice: %+v", cb.ActionCallback.BlockActions[0])
	}
	if out, err = b.Click(b.ctx, bob, open, ts, "approve"); err != nil || !out.Acked {
		t.Fatalf("click: %+v, %v", out, err)
	}
	cb := <-got
	a := cb.ActionCallback.BlockActions[0]
	if cb.Type != slack.InteractionTypeBlockActions || a.Value != "p1" || a.BlockID != "decide" || a.ActionTs == "" {
		t.Errorf("action: %+v", a)
	}
	if cb.User.ID != bob || cb.User.Name != "" || cb.User.TeamID != "T0TEAM0001" || cb.Container.MessageTs != ts {
		t.Errorf("user %+v, container %+v", cb.User, cb.Container)
	}
	if cb.Message.Timestamp != ts || len(cb.Message.Blocks.BlockSet) != 2 {
		t.Errorf("message: %+v", cb.Message)
	}
	if _, ok := cb.BlockActionState.Values["decide"]["when"]; !ok {
		t.Errorf("state: %+v", cb.BlockActionState)
	}
	if _, _, _, err := b.api.UpdateMessageContext(b.ctx, open, ts, slack.MsgOptionText("approved", false)); err != nil {
		t.Fatal(err)
	}
	m := b.Messages(open)[0]
	if m.Text != "approved" || m.Blocks != nil || m.Edited == nil {
		t.Errorf("text without blocks must clear them: %+v", m)
	}
	if _, err := b.Click(b.ctx, bob, open, ts, "approve"); err == nil {
		t.Error("a button that is gone was clicked")
	}
}
