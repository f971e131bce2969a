package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"dw/blocks"
	"dw/receipts"
)

// TestButtonsOfOtherVersions: a button whose value or name this dw does not know
// is answered, never ignored, and decides nothing.
func TestButtonsOfOtherVersions(t *testing.T) {
	t.Parallel()
	r := start(t)
	for name, tc := range map[string]struct{ action, says string }{
		"approve without a value dw wrote": {blocks.ActionApprove, "older than this version of dw"},
		"reject without a value dw wrote":  {blocks.ActionReject, "older than this version of dw"},
		"done without a value dw wrote":    {blocks.ActionDone, "older than this version of dw"},
		"a button of a later version":      {"dw_later", "not known to this version"},
	} {
		content := `[{"type":"actions","elements":[{"type":"button","action_id":"` + tc.action + `","value":"garbage","text":{"type":"plain_text","text":"Go"}}]}]`
		r.api("chat.postMessage", map[string]any{"channel": channel, "text": name, "blocks": json.RawMessage(content)})
		r.told(owner, r.click(owner, r.see(name), tc.action), tc.says)
	}
	if got := append(r.receipts(receipts.KindDecisionRecorded), r.receipts(receipts.KindDecisionRefused)...); len(got) != 0 {
		t.Errorf("a foreign button has a receipt: %s", got[0].Bytes)
	}
}

// TestAcknowledge: the first member who says so looks after the incident, which
// everybody sees; a second one and a guest are told why not.
func TestAcknowledge(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.at("11:15")
	card := r.see("evidence and history", blocks.ActionAcknowledge)
	r.told(guest, r.click(guest, card, blocks.ActionAcknowledge), "not recorded", "guest")
	r.told(outsider, r.click(outsider, card, blocks.ActionAcknowledge), "Acknowledged at")
	r.see("Otto Outside acknowledged the incident")
	r.see("evidence and history", "In work")
	// A client that has not seen the repaint still shows the button.
	r.api("chat.update", map[string]any{"channel": channel, "ts": card.TS, "text": "stale", "blocks": json.RawMessage(card.Blocks)})
	r.told(owner, r.click(owner, card, blocks.ActionAcknowledge), "Otto Outside acknowledged this already")
	for _, one := range r.receipts(receipts.KindIncidentUpdated) {
		if one.Predicate.Body["what"] == "acknowledged" && one.Predicate.Actor["user"] == outsider {
			return
		}
	}
	t.Errorf("the acknowledgement has no receipt:\n%s", strings.TrimSpace(r.screen()))
}
