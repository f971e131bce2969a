package app_test

import (
	"strings"
	"testing"

	"dw/blocks"
	"dw/receipts"
	"dw/slackdev"
)

// led makes a user group the owner of the grid.
func led(group string) func(string) string {
	return func(text string) string {
		return strings.NewReplacer("people:\n", "people:\n  leads: {slack_group: "+group+"}\n", "owner: olga\n", "owner: leads\n").Replace(text)
	}
}

// TestGroupDecides: the members of a user group are asked by name; guests and
// bots in it are not, which the card says; who leaves the group before the click
// is refused in private with a receipt, and another member decides.
func TestGroupDecides(t *testing.T) {
	t.Parallel()
	r := start(t, led("S0LEADS"))
	r.asked()
	card := r.card(holdTitle, blocks.ActionApprove, "Gus Guest (U0GUEST) is deactivated, a guest or a bot", "Robot (U0ROBOT) is deactivated, a guest or a bot")
	r.see("Otto Outside (owner, of group leads (S0LEADS)) or Olga Owner (owner, of group leads (S0LEADS)) is asked to decide")
	if err := r.slack.LeaveGroup("S0LEADS", outsider); err != nil {
		t.Fatal(err)
	}
	answer := r.told(outsider, r.click(outsider, card, blocks.ActionApprove), "have left it since")
	if !strings.Contains(answer, "Olga Owner") {
		t.Errorf("who left is not told who can decide: %s", answer)
	}
	r.refusedWith(outsider, "left_group")
	r.undecided(holdTitle)
	r.slack.Fail("usergroups.users.list", 1, slackdev.FaultError("fatal_error"))
	r.told(owner, r.click(owner, card, blocks.ActionApprove), "is recorded") // the read is repeated
	r.stop()
	created := r.receipts(receipts.KindProposalCreated)
	if len(created) == 0 || !strings.Contains(created[0].Bytes, `"group_id":"S0LEADS"`) {
		t.Errorf("the receipt does not name the group: %+v", created)
	}
	r.verify()
}

// TestGroupWithoutPeople: a group that is empty, gone or may not be read is said
// on the card with who was asked instead.
func TestGroupWithoutPeople(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ group, fault, says string }{
		"empty":           {"S0EMPTY", "", "leads (S0EMPTY): it is empty; the rest of the chain is asked instead"},
		"gone":            {"S0GONE", "", "leads (S0GONE): who is in it cannot be read: Slack knows no such group"},
		"no right to see": {"S0LEADS", "missing_scope", "the bot token lacks a scope"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, led(test.group))
			if test.fault != "" {
				r.slack.Fail("usergroups.users.list", 1000, slackdev.FaultError(test.fault))
			}
			r.at("11:15")
			r.see("without the schema registry", blocks.ActionAcknowledge)
			r.at("11:26")
			card := r.card(holdTitle, blocks.ActionApprove, test.says)
			r.see("Dan Deputy (deputy) is asked to decide", test.says)
			r.placed()
			r.told(deputy, r.click(deputy, card, blocks.ActionApprove), "is recorded")
		})
	}
}
