package app_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"dw/blocks"
	"dw/receipts"
	"dw/slackdev"
	"dw/workflows"
)

// The titles of what dw asks for after the fault of the grid.
const (
	holdTitle    = "Hold what moves money on these rows"
	changeTitle  = "Encode the records before the output"
	recoverTitle = "Recover the dead-letter rows, rebuild and verify"
)

// asked runs dw up to where its three requests wait for the owner.
func (r *rig) asked() {
	r.t.Helper()
	r.at("11:15")
	r.see("new dead-letter rows", "without the schema registry", blocks.ActionAcknowledge)
	r.at("11:20")
	r.see("region=north", blocks.ActionAcknowledge)
	r.at("11:26")
	for _, title := range []string{holdTitle, changeTitle, recoverTitle} {
		r.card(title, blocks.ActionApprove)
	}
	r.placed()
}

// card waits for the card of a request that says all of the words.
func (r *rig) card(title string, words ...string) slackdev.Message {
	r.t.Helper()
	return r.see(append([]string{title, "fingerprint"}, words...)...)
}

// diffOf reads the diff off a card, as its owner does.
func diffOf(t *testing.T, m slackdev.Message) string {
	t.Helper()
	var blocks []struct {
		Elements []struct {
			Type     string
			Elements []struct{ Text string }
		}
	}
	if err := json.Unmarshal(m.Blocks, &blocks); err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		for _, element := range block.Elements {
			if element.Type == "rich_text_preformatted" {
				return element.Elements[0].Text
			}
		}
	}
	t.Fatalf("the card shows no diff: %s", m.Blocks)
	return ""
}

// TestLoop: a scheduled check finds a real gap, the named owner decides in Slack,
// the steps are carried out, the numbers are asked again, and the receipts of it
// all verify.
func TestLoop(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	r.carriedOut()
	r.dagster.SetRunning("nightly_bill", true)
	r.at("11:52")
	r.card(holdTitle, "undone ")

	r.stop()
	r.verify()
	r.loopReceipts()
}

// carriedOut has the owner decide on all that is asked, and do their part, up to
// where the numbers are verified.
func (r *rig) carriedOut() {
	r.t.Helper()
	t := r.t
	r.told(owner, r.click(owner, r.card(holdTitle), blocks.ActionApprove), "is recorded")
	r.card(holdTitle, "approved by", "waits for the owner")
	r.dagster.SetRunning("nightly_bill", false)
	r.at("11:28")
	r.card(holdTitle, "Seen: ", "STOPPED")

	r.click(owner, r.card(changeTitle), blocks.ActionApprove)
	r.applyDiff(t, diffOf(t, r.card(changeTitle, "waits for the owner")))
	r.told(owner, r.click(owner, r.card(changeTitle, blocks.ActionDone), blocks.ActionDone), "Recorded")

	r.click(owner, r.card(recoverTitle), blocks.ActionApprove)
	r.applyDiff(t, diffOf(t, r.card(recoverTitle, "waits for the owner")))
	r.at("11:30")
	r.card(recoverTitle, "holds the change", "00000000-0000-4000-8000-000000000001") // the run is recorded, so that it is due to be looked at
	r.built()
	r.at("11:31")
	r.card(recoverTitle, "Seen: SUCCESS")
	r.at("11:50")
	r.see("Resolved: ", "checks asked again and passed", "Decided by: ", "Olga Owner")
}

// built waits until the run has ended, so that the look at it that is due then finds
// that: the next one would be due only after the clock has moved again.
func (r *rig) built() {
	r.t.Helper()
	for until := time.Now().Add(patience); ; {
		for _, run := range r.dagster.Runs() {
			if run.Status == "SUCCESS" {
				return
			}
		}
		if time.Now().After(until) {
			r.t.Fatalf("the run does not end: %+v", r.dagster.Runs())
		}
		r.ask(copied, "approvals")
	}
}

// loopReceipts: every human decision, every step and the end have a receipt, and
// the one job was started once, under its tag.
func (r *rig) loopReceipts() {
	r.t.Helper()
	decisions := r.receipts(receipts.KindDecisionRecorded)
	for _, d := range decisions {
		if d.Predicate.Actor["kind"] != "human" || d.Predicate.Actor["user"] != owner || d.Predicate.Body["verdict"] != "approve" {
			r.t.Errorf("a decision's receipt is not the owner's approval: %s", d.Bytes)
		}
	}
	for kind, want := range map[string]int{
		receipts.KindIncidentOpened: 1, receipts.KindProposalCreated: 3, receipts.KindStepIntent: 1,
		receipts.KindIncidentResolved: 1, receipts.KindDecisionRecorded: 3, receipts.KindKeyCreated: 1, receipts.KindDecisionRefused: 0,
	} {
		if got := len(r.receipts(kind)); got != want {
			r.t.Errorf("%d receipts %s, want %d", got, kind, want)
		}
	}
	runs := r.dagster.Runs()
	if len(runs) != 1 || runs[0].Job != "build_readings" {
		r.t.Fatalf("runs %+v, want one of build_readings", runs)
	}
	proposal := r.receipts(receipts.KindStepIntent)[0].Predicate.Proposal
	if !slices.Contains(slices.Collect(maps.Values(runs[0].Tags)), workflows.StepTag(proposal, 1)) {
		r.t.Errorf("tags %v, want that of step 1 of %s", runs[0].Tags, proposal)
	}
}
