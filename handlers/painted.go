package handlers

import (
	"context"
	"fmt"
	"strings"

	"dw/bot"
	"dw/workflows"
)

// manyPainted bounds what is remembered; beyond it cards are painted once more.
const manyPainted = 10_000

// repaint updates a card unless this process has painted it from these very
// revisions: of many changes that are queued, each with its effect, the first
// delivery paints all, and Slack's limit of updates is kept for other cards. A
// revision never comes back, so what another process painted meanwhile came from
// later ones, which queued effects of their own. The caller holds the card's lock.
func (d *Deliverer) repaint(ctx context.Context, at workflows.MessageRef, revisions string, m bot.Message) error {
	if d.paintedFrom(at) == revisions {
		return nil
	}
	if err := d.Poster.Update(ctx, at.Channel, at.TS, m); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.painted == nil || len(d.painted) >= manyPainted {
		d.painted = map[workflows.MessageRef]string{}
	}
	d.painted[at] = revisions
	return nil
}

func (d *Deliverer) paintedFrom(at workflows.MessageRef) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.painted[at]
}

// revisions names the state that a card is painted from.
func revisions(i workflows.Incident, proposals ...workflows.Proposal) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s@%d", i.ID, i.Rev)
	for _, p := range proposals {
		fmt.Fprintf(&b, " %s@%d", p.ID, p.Rev)
	}
	return b.String()
}
