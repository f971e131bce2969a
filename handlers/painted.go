package handlers

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"dw/bot"
	"dw/workflows"
)

// manyPainted bounds what is remembered; beyond it cards are painted once more.
const manyPainted = 10_000

// repaint updates a card unless this process has painted just this from these
// very revisions: of many changes that are queued, each with its effect, the
// first delivery paints all, and Slack's limit of updates is kept for other
// cards. A revision never comes back, so what another process painted meanwhile
// came from later ones, which queued effects of their own. The caller holds the
// card's lock.
func (d *Deliverer) repaint(ctx context.Context, at workflows.MessageRef, from revisions, m bot.Message) error {
	content, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("compare the card %s in %s: %w", at.TS, at.Channel, err)
	}
	now := painting{from, sha256.Sum256(content)}
	if d.paintedLast(at) == now {
		return nil
	}
	if err := d.Poster.Update(ctx, at.Channel, at.TS, m); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.painted == nil || len(d.painted) >= manyPainted {
		d.painted = map[workflows.MessageRef]painting{}
	}
	d.painted[at] = now
	return nil
}

// painting is what a card shows, and the state that it was painted from.
type painting struct {
	from    revisions
	content [sha256.Size]byte
}

func (d *Deliverer) paintedLast(at workflows.MessageRef) painting {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.painted[at]
}

// revisions names the state that a card is painted from.
type revisions string

func revisionsOf(stop workflows.Stop, i workflows.Incident, proposals ...workflows.Proposal) revisions {
	var b strings.Builder
	fmt.Fprintf(&b, "stop@%d %s@%d", stop.Rev, i.ID, i.Rev)
	for _, p := range proposals {
		fmt.Fprintf(&b, " %s@%d", p.ID, p.Rev)
	}
	return revisions(b.String())
}
