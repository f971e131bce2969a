package app_test

import (
	"fmt"
	"strings"
	"testing"

	"dw/blocks"
	"dw/internal/fakes/pagerduty"
	"dw/receipts"
)

// duty makes whoever is on call of a rota the owner of the grid.
func duty(rota string) func(string) string {
	return func(text string) string {
		return strings.NewReplacer("people:\n", "people:\n  duty: {"+rota+"}\n", "owner: olga\n", "owner: duty\n").Replace(text)
	}
}

// TestOnCallDecides: whoever is on call in PagerDuty when dw asks is asked in
// Slack, by name and with the rota, and decides; who comes on call later does not.
func TestOnCallDecides(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ rota, shown string }{
		"schedule":          {"pagerduty_schedule: PDAY", "duty (schedule PDAY)"},
		"escalation policy": {"pagerduty_policy: PPOL", "duty (escalation policy PPOL)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startControl(t, duty(test.rota))
			c.asked()
			c.see("Olga Owner (owner, on call of " + test.shown + ") is asked to decide")
			c.pager.SetOnCall("PDAY", "PDAN")
			card := c.card(holdTitle, blocks.ActionApprove)
			if answer := c.told(deputy, c.click(deputy, card, blocks.ActionApprove)); !strings.Contains(answer, "not asked yet") {
				t.Errorf("the deputy, on call since, is told %s", answer)
			}
			c.told(owner, c.click(owner, card, blocks.ActionApprove), "is recorded")
			c.stop()
			created := c.receipts(receipts.KindProposalCreated)
			if len(created) == 0 || !strings.Contains(created[0].Bytes, test.shown) || !strings.Contains(created[0].Bytes, `"read_at":"2026-06-10T11:2`) {
				t.Errorf("the receipt does not say from which rota and when: %+v", created)
			}
			c.verify()
		})
	}
}

// TestNobodyOnCallIsGuessed: a rota that names nobody who can decide in Slack is
// said plainly, on the card and in the thread, and the next of the chain is asked.
func TestNobodyOnCallIsGuessed(t *testing.T) {
	t.Parallel()
	off := func(c *control) {
		for range 40 { // each look is repeated
			c.pager.Fail(pagerduty.Fault{Operation: "listOnCalls", Kind: pagerduty.Status500})
		}
	}
	for name, test := range map[string]struct {
		rota string
		fail func(*control)
		says string
	}{
		"nobody on call":      {"pagerduty_schedule: PDAY", func(c *control) { c.pager.SetOnCall("PDAY", "") }, "duty (schedule PDAY): nobody is"},
		"unknown in Slack":    {"pagerduty_schedule: PNIGHT", func(*control) {}, "Slack does not know Nia Night (nia@grid.example)"},
		"a guest":             {"pagerduty_schedule: PDAY", func(c *control) { c.pager.SetOnCall("PDAY", "PGUS") }, "Gus Guest (gus@grid.example) is deactivated, a guest or a bot"},
		"no such schedule":    {"pagerduty_schedule: PGONE", func(*control) {}, "who it is cannot be read: pagerduty: read schedule PGONE: refused"},
		"PagerDuty is down":   {"pagerduty_schedule: PDAY", off, "who it is cannot be read: pagerduty: read who is on call of PDAY"},
		"a key without right": {"pagerduty_schedule: PDAY", func(c *control) { c.pager.Forbid("listOnCalls") }, "the API key may not do this"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startControl(t, duty(test.rota))
			test.fail(c)
			c.at("11:15")
			c.see("without the schema registry", blocks.ActionAcknowledge)
			c.at("11:26")
			card := c.card(holdTitle, blocks.ActionApprove, test.says)
			c.see("Dan Deputy (deputy) is asked to decide", test.says)
			if answer := c.told(owner, c.click(owner, card, blocks.ActionApprove)); !strings.Contains(answer, "not one of the people named") {
				t.Errorf("somebody who is not in the chain is told %s", answer)
			}
			c.placed()
			c.told(deputy, c.click(deputy, card, blocks.ActionApprove), "is recorded")
			c.stop()
			if kinds := c.receipts(receipts.KindDecisionRecorded); len(kinds) != 1 || fmt.Sprint(kinds[0].Predicate.Actor["user"]) != deputy {
				t.Errorf("decisions %+v, want one by the deputy", kinds)
			}
		})
	}
}
