package app_test

import (
	"strings"
	"testing"

	"dw/blocks"
	"dw/receipts"
	"dw/slackdev"
)

// TestDelegation: an owner names a stand-in by mention, who is told, asked and
// approves in their place with both names on the card and in the receipt; a guest
// cannot stand in, and once it is ended the stand-in is refused.
func TestDelegation(t *testing.T) {
	t.Parallel()
	r := start(t)
	for typed, says := range map[string]string{
		"delegate @gus until 18:00":          "U0GUEST cannot stand in for you: the account is a guest",
		"delegate @olga until 18:00":         "You cannot stand in for yourself",
		"delegate @otto finance until 18:00": "There is no domain",
		"delegate @otto":                     "Say until when",
	} {
		if answer := r.ask(owner, typed); !strings.Contains(answer, says) {
			t.Errorf("%s: %s", typed, answer)
		}
	}
	if answer := r.ask(owner, "delegate @otto grid from now until 18:00"); !strings.Contains(answer, "Otto Outside stands in for you in the domain grid") {
		t.Fatalf("the answer is %s", answer)
	}
	r.wait("a direct message to the stand-in", func(s slackdev.Snapshot) bool { return direct(s, outsider, "names you to stand in for them") })
	if answer := r.ask(copied, "delegations"); !strings.Contains(answer, outsider) || !strings.Contains(answer, "holds now") {
		t.Errorf("the list is %s", answer)
	}
	r.asked()
	r.see("Otto Outside (owner, in for Olga Owner) is asked to decide")
	r.told(outsider, r.click(outsider, r.card(holdTitle, blocks.ActionApprove), blocks.ActionApprove), "is recorded")
	r.card(holdTitle, "approved by", outsider, " for ", owner)
	made := r.receipts(receipts.KindDelegationCreated)
	if len(made) != 1 {
		t.Fatalf("%d delegations have a receipt", len(made))
	}
	id, _ := made[0].Predicate.Body["id"].(string)
	if answer := r.ask(owner, "delegations revoke "+id); !strings.Contains(answer, "no longer stands in") {
		t.Fatalf("the end is answered %s", answer)
	}
	r.told(outsider, r.click(outsider, r.card(changeTitle, blocks.ActionApprove), blocks.ActionApprove), "You stood in for Olga Owner here", "was revoked")
	r.refusedWith(outsider, "delegation")
	r.stop()
	decided := r.receipts(receipts.KindDecisionRecorded)
	if len(decided) != 1 || !strings.Contains(decided[0].Bytes, `"for":{"team":"T0GRID","user":"U0OWNER"}`) || decided[0].Predicate.Actor["user"] != outsider {
		t.Errorf("the decision's receipt is %+v", decided)
	}
	r.verify()
}
