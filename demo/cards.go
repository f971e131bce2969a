package demo

import (
	"encoding/json"
	"html"
	"strconv"
	"strings"
	"time"

	"dw/slackdev"
)

// Buttons of dw's cards, as Slack names them to everybody.
const (
	buttonApprove = "dw_approve"
	buttonDone    = "dw_done"
	buttonUndone  = "dw_undone"
)

// card is a message of dw as a person reads it.
type card struct {
	ts      string
	key     string // "incident/…" or "proposal/…"
	header  string
	text    string
	whole   string // all its blocks as plain text, one line for each
	diff    string
	steps   string // what the card says of its steps
	buttons map[string]bool
}

// posted is when the message was sent, in story time.
func (c card) posted() time.Time {
	seconds, _, _ := strings.Cut(c.ts, ".")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(n, 0)
}

// id is that of what the card is about.
func (c card) id() string {
	_, id, _ := strings.Cut(c.key, "/")
	return id
}

// has reports whether the card has a button.
func (c card) has(button string) bool { return c.buttons[button] }

// is reports whether the header says a state: "Approval needed", "Resolved".
func (c card) is(state string) bool { return strings.HasPrefix(c.header, state+":") }

// undone reports whether the card says that its step was taken back.
func (c card) undone() bool { return strings.Contains(c.steps, "undone later") }

// seen reports whether the card says that dw has read the step's effect.
func (c card) seen() bool { return strings.Contains(c.steps, "Seen:") }

// element is any part of a block: only what is read here.
type element struct {
	Type     string          `json:"type"`
	BlockID  string          `json:"block_id"`
	ActionID string          `json:"action_id"`
	Time     int64           `json:"timestamp"`
	Text     json.RawMessage `json:"text"`
	Elements []element       `json:"elements"`
}

// readCard reads a message's metadata, header, buttons and diff.
func readCard(m slackdev.Message) card {
	c := card{ts: m.TS, text: html.UnescapeString(m.Text), buttons: map[string]bool{}}
	var meta struct {
		Payload struct {
			Key string `json:"key"`
		} `json:"event_payload"`
	}
	if json.Unmarshal(m.Metadata, &meta) == nil {
		c.key = meta.Payload.Key
	}
	var blocks []element
	if json.Unmarshal(m.Blocks, &blocks) != nil {
		return c
	}
	for _, b := range blocks {
		c.readBlock(b)
		for _, e := range b.Elements {
			c.whole += e.plain() + "\n"
		}
	}
	return c
}

func (c *card) readBlock(b element) {
	switch {
	case b.Type == "header":
		var text struct{ Text string }
		if json.Unmarshal(b.Text, &text) == nil {
			c.header = text.Text
		}
	case b.Type == "actions":
		for _, e := range b.Elements {
			c.buttons[e.ActionID] = true
		}
	case strings.HasPrefix(b.BlockID, "step_"):
		for _, e := range b.Elements {
			c.steps += e.plain() + "\n"
		}
	case strings.HasPrefix(b.BlockID, "diff_"):
		for _, e := range b.Elements {
			c.diff += e.plain()
		}
		c.diff += "\n"
	}
}

// plain is the text of an element and all below it.
func (e element) plain() string {
	var text string
	if json.Unmarshal(e.Text, &text) != nil {
		text = ""
	}
	for _, inner := range e.Elements {
		text += inner.plain()
	}
	return text
}

// dwCards reads dw's cards of one kind in the incidents channel, in their order.
func dwCards(s slackdev.Snapshot, kind string) []card {
	var out []card
	for _, m := range s.Channel(incidentsID).Messages {
		if c := readCard(m); m.User == botID && strings.HasPrefix(c.key, kind+"/") {
			out = append(out, c)
		}
	}
	return out
}

// incidentCard is the newest incident's card.
func incidentCard(s slackdev.Snapshot) (card, bool) {
	found := dwCards(s, "incident")
	if len(found) == 0 {
		return card{}, false
	}
	return found[len(found)-1], true
}

// plan is the three requests of a day, told apart by what their diffs touch. On the
// second day the one without a diff is to load again, and not a hold.
type plan struct {
	hold, change, recover card
	holdLast              bool
}

// planCards reads the requests; ok says that all three are there.
func planCards(s slackdev.Snapshot, changed, recovered string) (p plan, ok bool) {
	for _, c := range dwCards(s, "proposal") {
		switch {
		case strings.Contains(c.diff, "+++ b/"+changed):
			p.change = c
		case strings.Contains(c.diff, "+++ b/"+recovered):
			p.recover = c
		case c.diff == "" && p.hold.key == "":
			p.hold = c
		}
	}
	return p, p.hold.key != "" && p.change.key != "" && p.recover.key != ""
}

func (p plan) each() []card {
	if p.holdLast {
		return []card{p.change, p.recover, p.hold}
	}
	return []card{p.hold, p.change, p.recover}
}

// now returns the same requests as they stand now. They are told apart once, while
// they wait: a card that has ended shows no diff.
func (p plan) now(s slackdev.Snapshot) plan {
	for _, c := range []*card{&p.hold, &p.change, &p.recover} {
		if found, ok := find(s, c.key); ok {
			*c = found
		}
	}
	return p
}

// find returns a card as it stands now.
func find(s slackdev.Snapshot, key string) (card, bool) {
	kind, _, _ := strings.Cut(key, "/")
	for _, c := range dwCards(s, kind) {
		if c.key == key {
			return c, true
		}
	}
	return card{}, false
}

// ranAt reads when a check has run out of the answer to the command checks; zero
// if it has not.
func ranAt(answer slackdev.Message, check string) time.Time {
	var blocks []element
	if json.Unmarshal(answer.Blocks, &blocks) != nil {
		return time.Time{}
	}
	var ran time.Time
	for _, b := range blocks {
		b.walk(func(line element) {
			named, at := false, int64(0)
			for _, e := range line.Elements {
				named = named || e.plain() == check
				at = max(at, e.Time)
			}
			if named && at > 0 {
				ran = time.Unix(at, 0)
			}
		})
	}
	return ran
}

// walk visits an element and all below it.
func (e element) walk(visit func(element)) {
	visit(e)
	for _, inner := range e.Elements {
		inner.walk(visit)
	}
}
