package handlers

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"dw/bot"
	"dw/slackdev"
	"dw/workflows"
)

// late is a Slack client in front of which something happens once.
type late struct {
	*bot.Client

	before func()
}

func (l *late) Post(ctx context.Context, channel string, m bot.Message, o bot.PostOptions) (string, error) {
	l.happen()
	return l.Client.Post(ctx, channel, m, o)
}

func (l *late) Update(ctx context.Context, channel, ts string, m bot.Message) error {
	l.happen()
	return l.Client.Update(ctx, channel, ts, m)
}

func (l *late) happen() {
	if before := l.before; before != nil {
		l.before = nil
		before()
	}
}

// TestTheNewestStateIsPaintedLast: of two processes the one that read the older
// state may come to Slack last, by its post or by its update; and a message that
// was posted before the process died, or by another one, shows what that knew. The
// card shows the newest state after all.
func TestTheNewestStateIsPaintedLast(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for name, first := range map[string]int{"overtaken by its own post": 0, "overtaken by an update": 1, "found": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, client := workspace(t, slackdev.Options{})
			state := &one{incident: workflows.Incident{ID: "INC-1", Domain: "shop", State: workflows.Open, OpenedAt: at, Rev: 1}}
			slow := &late{Client: client}
			d := &Deliverer{
				Poster: slow, OpenDM: client.OpenDM, Placer: state, Loader: state, Zone: time.UTC, Now: func() time.Time { return at },
				Policy: func(string) (workflows.Policy, bool) { return workflows.Policy{Channel: "C0DATA"}, true },
				Logger: slog.New(slog.DiscardHandler),
			}
			payload, err := json.Marshal(workflows.IncidentRef{Incident: "INC-1"})
			if err != nil {
				t.Fatal(err)
			}
			paint := func() {
				if err := d.Deliver(context.Background(), workflows.Effect{Kind: workflows.EffectIncidentCard, Payload: payload}); err != nil {
					t.Fatal(err)
				}
			}
			news := func() { state.incident.Level = workflows.L1Observe; state.incident.Rev++ }
			switch first {
			case 0:
				slow.before = news
			case 1:
				paint()
				state.incident.Rev++
				slow.before = news
			case 2:
				paint()
				state.incident.Card = workflows.MessageRef{} // the process died before it recorded where
				news()
			}
			paint()
			var cards []slackdev.Message
			for _, c := range server.Snapshot().Channels {
				cards = append(cards, c.Messages...)
			}
			if len(cards) != 1 || !strings.Contains(cards[0].Text+string(cards[0].Blocks), "at L1 ") {
				t.Errorf("%d cards, or one that does not show the newest state: %s", len(cards), cards[0].Blocks)
			}
		})
	}
}
