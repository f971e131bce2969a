package app_test

import (
	"crypto/rand"
	"errors"
	"os"
	"strings"
	"testing"

	"dw/app"
	"dw/receipts"
	"dw/slackdev"
	"dw/store"
)

func replace(old, with string) func(string) string {
	return func(text string) string {
		if !strings.Contains(text, old) {
			panic("the configuration does not hold " + old)
		}
		return strings.ReplaceAll(text, old, with)
	}
}

// TestChannelRefused: where Slack knows no such channel the owner is told by a
// direct message, the incident is kept, and its card is posted once when the
// configuration is mended.
func TestChannelRefused(t *testing.T) {
	t.Parallel()
	r := start(t, replace("channel: C0GRID", "channel: C0NOWHERE"))
	r.wait("a direct message at start", func(s slackdev.Snapshot) bool { return direct(s, owner, "channel_not_found") })
	r.at("11:15")
	r.wait("a direct message about the incident", func(s slackdev.Snapshot) bool { return direct(s, owner, "INC-") })
	if len(r.slack.Messages(channel)) != 0 {
		t.Fatalf("dw wrote to a channel that is not configured:\n%s", r.screen())
	}
	opened := r.receipts(receipts.KindIncidentOpened)
	r.stop()
	r.write(t, "config.yaml", strings.Replace(r.read(t, "config.yaml"), "C0NOWHERE", channel, 1))
	r.resume()
	r.see(opened[0].Predicate.Incident, "new dead-letter rows")
	r.at("11:20")
	r.see("region=north", opened[0].Predicate.Incident)
	cards := 0
	for _, m := range r.slack.Messages(channel) {
		if said(m, "evidence and history") {
			cards++
		}
	}
	if cards != 1 {
		t.Errorf("%d cards of the incident, want one:\n%s", cards, r.screen())
	}
}

// TestNotInChannel: where dw was put out of the channel the owner is told what to
// do, and the card comes by itself once dw is let in again.
func TestNotInChannel(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.slack.Fail("chat.postMessage", 1, slackdev.FaultError("not_in_channel"))
	r.at("11:15")
	r.see("new dead-letter rows", "evidence and history")
	r.wait("a direct message", func(s slackdev.Snapshot) bool { return direct(s, owner, "/invite @dw") })
}

// TestLostAnswer: a card whose post Slack carried out without answering is found
// again, never posted twice.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.slack.Fail("chat.postMessage", 1, slackdev.FaultLost())
	r.at("11:15")
	r.see("Cause named")
	cards := 0
	for _, m := range r.slack.Messages(channel) {
		if said(m, "evidence and history") {
			cards++
		}
	}
	if cards != 1 {
		t.Errorf("%d cards of the incident, want one:\n%s", cards, r.screen())
	}
}

// TestRepaint: a start paints every open card as it is, whatever stands there.
func TestRepaint(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	card := r.card(changeTitle)
	r.stop()
	r.api("chat.update", map[string]any{"channel": channel, "ts": card.TS, "text": "defaced"})
	r.wait("the defaced card", func(s slackdev.Snapshot) bool {
		_, ok := find(s, channel, "defaced")
		return ok
	})
	r.resume()
	if again := r.card(changeTitle, "dw_approve"); again.TS != card.TS {
		t.Errorf("the card was posted anew: %s, was %s", again.TS, card.TS)
	}
	r.told(owner, r.click(owner, r.card(changeTitle), "dw_approve"), "is recorded at")
}

// TestStartRefuses: a wrong token and a domain whose people Slack does not know
// end the start with what to mend.
func TestStartRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		edit func(string) string
		says string
	}{
		"bot token":                       {replace(botToken, "xoxb-other"), "slack.bot_token"},
		"a deactivated user in the chain": {replace("email: dan@grid.example", "slack: U0LEFT"), "domains.grid.deputy: dan: U0LEFT is deactivated in Slack; name somebody else"},
		"dw as its own approver":          {replace("{slack: U0OWNER}", "{slack: U0DW}"), "domains.grid.owner: olga: U0DW is a bot; whoever proposes or acts by itself does not approve"},
		"a quorum by a group of those named": {func(s string) string {
			return replace("owner: olga\n", "owner: olga\n    quorum: 3\n")(replace("escalation: [esra]", "escalation: [leads]")(replace("{slack: U0ESCAL}", "{slack: U0ESCAL}\n  leads: {slack_group: S0OLGA}")(s)))
		}, "domains.grid.quorum: 3 must approve and only 2 can"},
		"nobody left": {func(s string) string { return replace("{slack: U0", "{slack: U9")(replace("dan@", "nobody@")(s)) }, "domains.grid: nobody of the chain was found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &rig{estate: newEstate(t, tc.edit), t: t, log: new(output)}
			_, err := r.build(app.Options{LogTo: r.log})
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("start says %v, want %q", err, tc.says)
			}
			if strings.Contains(errText(err), "xoxb-other") {
				t.Errorf("the error shows a token: %v", err)
			}
		})
	}
}

// TestSecondDW: on one SQLite database a second dw does not start beside the
// first, and starts once that has ended.
func TestSecondDW(t *testing.T) {
	t.Parallel()
	r := start(t)
	second := &rig{estate: r.estate, t: t, log: new(output)}
	if _, err := second.build(app.Options{}); !errors.Is(err, store.ErrInUse) {
		t.Errorf("a second dw on one database starts with %v, want %v", err, store.ErrInUse)
	}
	r.stop()
	second.run(app.Options{})
}

// TestKeyIsGone: a database whose signing key is missing or another's gets no new
// key and no new receipt; with its own key back it goes on.
func TestKeyIsGone(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.stop()
	key, before := r.read(t, "keys/receipts.key"), len(r.receipts(""))
	if err := os.Remove(r.path("keys/receipts.key")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.build(app.Options{}); !strings.Contains(errText(err), "put it back") {
		t.Errorf("without its key dw says %v", err)
	}
	if _, err := receipts.CreateKey(r.path("keys/receipts.key"), "grid-test", rand.Reader); err != nil {
		t.Fatal(err)
	}
	if _, err := r.build(app.Options{}); !strings.Contains(errText(err), "not signed with receipts.key_file") {
		t.Errorf("with another key dw says %v", err)
	}
	if after := len(r.receipts("")); after != before {
		t.Errorf("%d receipts, were %d", after, before)
	}
	r.write(t, "keys/receipts.key", key)
	r.resume()
	r.stop()
	r.verify()
}

// TestUnknownOwner: where Slack does not know the owner the deputy is asked and
// the card says why.
func TestUnknownOwner(t *testing.T) {
	t.Parallel()
	r := start(t, replace("{slack: U0OWNER}", "{slack: U9GONE}"))
	r.at("11:15")
	r.see("evidence and history", "Approver not found", "U9GONE", "asked instead", "without the schema registry")
	if card := r.see("evidence and history"); !said(card, deputy) {
		t.Errorf("the card names nobody who will decide: %s", card.Text)
	}
	r.at("11:26")
	card := r.card(holdTitle, "dw_approve")
	r.placed()
	r.told(deputy, r.click(deputy, card, "dw_approve"), "is recorded at")
}
