package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/blocks"
	"dw/receipts"
	"dw/slackdev"
)

// TestClocksWithoutAClick: a request with remind 2s, escalate 4s and expires 8s,
// which nobody answers, shows by itself: the reminder, the second named person
// asked too, the expiry and the page, while the incident stays open and nothing is
// carried out. Five receipts say so.
func TestClocksWithoutAClick(t *testing.T) {
	t.Parallel()
	c := startControl(t, replace("remind_after: 15m", "remind_after: 2s"), replace("escalate_after: 45m", "escalate_after: 4s"),
		replace("expire_after: 4h", "expire_after: 8s"))
	c.asked()
	c.until("a page", func() bool { return slices.Contains(c.outcomes("page.trigger"), "done") })
	asked := c.clock.Now()
	after := func(seconds int) { c.clock.set(t, asked.Add(time.Duration(seconds)*time.Second)) }

	after(1)
	if answer := c.ask(copied, "status"); direct(c.slack.Snapshot(), owner, reminder) {
		t.Errorf("a reminder after one second: %s", answer)
	}
	after(2)
	c.wait("a reminder to the owner", func(s slackdev.Snapshot) bool { return direct(s, owner, reminder) })
	after(4)
	c.escalated("Dan Deputy")
	c.card(holdTitle, "Dan Deputy", blocks.ActionApprove)
	after(8)
	if card := c.card(holdTitle, "Expired"); said(card, blocks.ActionApprove) {
		t.Error("the expired card still has its buttons")
	}
	c.see("The page PX", "was escalated in PagerDuty")
	if open := c.ask(owner, "incidents"); !strings.Contains(open, "INC-") || strings.Contains(open, "resolved") {
		t.Errorf("the incident is not open any more: %s", open)
	}
	c.stop()
	// The page of the incident is escalated at the first of its requests that expires,
	// which need not be this one.
	want := []string{
		receipts.KindProposalCreated, receipts.KindEscalation, receipts.KindExpiry, receipts.KindErrandIntent, receipts.KindErrandOutcome,
	}
	if got := c.storyOf(holdTitle); fmt.Sprint(slices.Sorted(slices.Values(got))) != fmt.Sprint(slices.Sorted(slices.Values(want))) {
		t.Errorf("the receipts of the request and of its page are %v", got)
	}
	if runs := c.dagster.Runs(); len(runs) != 0 || len(c.receipts(receipts.KindStepIntent))+len(c.receipts(receipts.KindDecisionRecorded)) != 0 {
		t.Errorf("something was decided or done: %+v", runs)
	}
	c.verify()
}

// storyOf lists the receipts of a request, and those of the page's escalation.
func (c *control) storyOf(title string) []string {
	c.t.Helper()
	var of string
	for _, r := range c.receipts(receipts.KindProposalCreated) {
		if strings.Contains(r.Bytes, title) {
			of = r.Predicate.Proposal
		}
	}
	var kinds []string
	for _, r := range c.receipts("") {
		if r.Predicate.Proposal == of || strings.HasPrefix(fmt.Sprint(r.Predicate.Body["errand"]), "page.escalate") {
			kinds = append(kinds, r.Predicate.Kind)
		}
	}
	return kinds
}
