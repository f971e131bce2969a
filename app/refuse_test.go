package app_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"dw/app"
	"dw/blocks"
	"dw/receipts"
	"dw/slackdev"
)

// undecided fails unless nothing was decided and the card still asks.
func (r *rig) undecided(title string) {
	r.t.Helper()
	if got := r.receipts(receipts.KindDecisionRecorded); len(got) != 0 {
		r.t.Errorf("a decision is recorded: %s", got[0].Bytes)
	}
	r.card(title, blocks.ActionApprove)
}

// refusedWith fails unless the newest refusal is of this person with this code.
func (r *rig) refusedWith(user, code string) {
	r.t.Helper()
	all := r.receipts(receipts.KindDecisionRefused)
	if len(all) == 0 {
		r.t.Fatalf("no refusal has a receipt, want %s of %s", code, user)
	}
	last := all[len(all)-1]
	if last.Predicate.Actor["user"] != user || last.Predicate.Body["code"] != code {
		r.t.Errorf("the newest refusal is %s, want code %s of %s", last.Bytes, code, user)
	}
}

// TestWhoIsRefused: whoever may not decide is told why and who can, in private;
// the refusal has a receipt and nothing changes.
func TestWhoIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	for _, who := range []struct{ name, user, code, why string }{
		{"an outsider", outsider, "not_in_chain", "not one of the people named"},
		{"a person in cc", copied, "cc", "kept informed"},
		{"the deputy before the escalation", deputy, "not_asked_yet", "not asked yet"},
		{"a guest", guest, "not_allowed", "guest"},
		{"a person of another workspace", stranger, "not_allowed", "another workspace"},
	} {
		before := r.click(who.user, r.card(holdTitle, blocks.ActionApprove), blocks.ActionApprove)
		answer := r.told(who.user, before, who.why)
		if !strings.Contains(answer, "Olga Owner") {
			t.Errorf("%s is not told who can decide: %s", who.name, answer)
		}
		for _, other := range []string{owner, deputy, outsider} {
			if private := r.slack.Ephemerals(other); other != who.user && len(private) > 0 && private[len(private)-1].Text == answer {
				t.Errorf("%s reads the answer to %s", other, who.name)
			}
		}
		r.refusedWith(who.user, who.code)
	}
	r.undecided(holdTitle)
	if runs := r.dagster.Runs(); len(runs) != 0 {
		t.Errorf("a refused click started %+v", runs)
	}
	r.verify()
}

// TestTwiceAtOnce: two clicks at the same moment, and one click delivered twice,
// are one decision; the second is told politely that it is recorded already.
func TestTwiceAtOnce(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	card := r.card(holdTitle, blocks.ActionApprove)
	before := len(r.slack.Ephemerals(owner))
	var clicks sync.WaitGroup
	for range 2 {
		clicks.Go(func() {
			if outcome, err := r.slack.Click(context.Background(), owner, card.Channel, card.TS, blocks.ActionApprove); err != nil || !outcome.Acked {
				// The second click may meet a card that was repainted meanwhile.
				if !strings.Contains(errText(err), blocks.ActionApprove) {
					t.Errorf("click: %+v, %v", outcome, err)
				}
			}
		})
	}
	clicks.Wait()
	r.told(owner, before, "is recorded at")
	if outcome, err := r.slack.ReplayLast(context.Background(), true); err != nil || !outcome.Acked {
		t.Errorf("the same envelope again: %+v, %v", outcome, err)
	}
	if outcome, err := r.slack.ReplayLast(context.Background(), false); err != nil || !outcome.Acked {
		t.Errorf("the same click under another envelope: %+v, %v", outcome, err)
	}
	r.told(owner, before, "already recorded at")
	if got := r.receipts(receipts.KindDecisionRecorded); len(got) != 1 {
		t.Errorf("%d decisions, want one", len(got))
	}
	r.verify()
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestDuplicateEnvelope: a click that Slack delivers twice under one envelope is
// one decision and no refusal.
func TestDuplicateEnvelope(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	r.slack.Duplicate(1)
	r.told(owner, r.click(owner, r.card(changeTitle), blocks.ActionApprove), "is recorded at")
	r.card(changeTitle, "approved by")
	if got := len(r.receipts(receipts.KindDecisionRecorded)); got != 1 {
		t.Errorf("%d decisions, want one", got)
	}
	if got := r.receipts(receipts.KindDecisionRefused); len(got) != 0 {
		t.Errorf("the second delivery was refused: %s", got[0].Bytes)
	}
}

// TestLateClick: a click after the stored time is refused by the clock at the
// click, though no ticker has run since, and grants nothing.
func TestLateClick(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	r.stop()
	r.write(t, "config.yaml", strings.Replace(r.read(t, "config.yaml"), "tick: 0.1", "tick: 3600", 1))
	r.resume()
	r.at("15:40")
	r.told(owner, r.click(owner, r.card(holdTitle, blocks.ActionApprove), blocks.ActionApprove), "expired at", "never auto-granted")
	r.refusedWith(owner, "expired")
	r.card(holdTitle, "Expired")
	if got := r.receipts(receipts.KindDecisionRecorded); len(got) != 0 {
		t.Errorf("a late click decided: %s", got[0].Bytes)
	}
	r.verify()
}

// TestOldCard: a click on the card of a replaced request, or on a copy of a card,
// decides nothing and says where to click.
func TestOldCard(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	card := r.card(changeTitle, blocks.ActionApprove)
	r.api("chat.postMessage", map[string]any{"channel": channel, "text": "a copy", "blocks": json.RawMessage(card.Blocks)})
	copied := r.see("a copy", blocks.ActionApprove)
	r.told(owner, r.click(owner, copied, blocks.ActionApprove), "copy or an old card")
	r.refusedWith(owner, "message_differs")
	r.undecided(changeTitle)

	// The deployed file changes, which is reported, and a new signal makes dw look again.
	r.write(t, "changes.ndjson", `{"system":"deploys","id":"d-17","kind":"deploy","asset":"relay","at":"2026-06-10T09:58:00Z","who":"esra","text":"relay moved to a new host"}`+"\n")
	r.write(t, "project/relay.yaml", "# moved\n"+relayFile)
	r.warehouse(t, "INSERT INTO fct_readings SELECT * FROM fct_readings ORDER BY read_at LIMIT 1")
	r.at("11:40")
	r.see("reading ids are unique: ")
	r.askUntil(owner, "incident "+r.receipts(receipts.KindIncidentOpened)[0].Predicate.Incident, "occur more than once")
	r.at("11:51")
	r.wait("the new card", func(s slackdev.Snapshot) bool {
		m, ok := find(s, channel, "Approval needed: ", changeTitle, "fingerprint")
		return ok && m.TS != card.TS && m.TS != copied.TS
	})
	r.wait("the old card repainted", func(s slackdev.Snapshot) bool {
		for _, m := range s.Channel(channel).Messages {
			if m.TS == card.TS {
				return said(m, "Superseded") && !said(m, blocks.ActionApprove)
			}
		}
		return false
	})
	// A client that has not seen the repaint still shows the old buttons.
	r.api("chat.update", map[string]any{"channel": channel, "ts": card.TS, "text": "stale", "blocks": json.RawMessage(card.Blocks)})
	r.told(owner, r.click(owner, card, blocks.ActionApprove), "replaced", "newest card")
	r.refusedWith(owner, "hash_differs")
	if got := r.receipts(receipts.KindDecisionRecorded); len(got) != 0 {
		t.Errorf("an old card decided: %s", got[0].Bytes)
	}
}

// reject clicks Reject and submits the modal with a reason.
func (r *rig) reject(user, title, reason string) slackdev.Outcome {
	r.t.Helper()
	r.click(user, r.card(title, blocks.ActionReject), blocks.ActionReject)
	var view slackdev.View
	r.wait("the modal", func(s slackdev.Snapshot) bool {
		if len(s.Modals[user]) == 0 {
			return false
		}
		view = s.Modals[user][0]
		return true
	})
	outcome, err := r.slack.Submit(context.Background(), user, view.ID, map[string]map[string]any{blocks.BlockReason: {blocks.ActionReason: reason}})
	if err != nil {
		r.t.Fatal(err)
	}
	return outcome
}

// TestReject: a rejection asks for its reason in a modal, one ends the request,
// the card shows the reason, and the receipt holds only its digest.
func TestReject(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	const reason = "the plant in the north is being rebuilt"
	if outcome := r.reject(owner, changeTitle, reason); !outcome.Acked || len(r.slack.Views(owner)) != 0 {
		t.Fatalf("the modal did not close: %+v", outcome)
	}
	card := r.card(changeTitle, "Rejected", reason)
	if said(card, blocks.ActionApprove) {
		t.Error("a rejected request still has buttons")
	}
	decisions := r.receipts(receipts.KindDecisionRecorded)
	if len(decisions) != 1 || decisions[0].Predicate.Body["verdict"] != "reject" || decisions[0].Predicate.Body["reason"] == nil {
		t.Fatalf("decisions %+v, want one rejection with the digest of its reason", decisions)
	}
	if strings.Contains(decisions[0].Bytes, reason) {
		t.Errorf("the receipt holds the text of the reason: %s", decisions[0].Bytes)
	}
}

// TestRefusedInTheModal: who may not reject learns it in the modal, and an empty
// reason does not leave the client.
func TestRefusedInTheModal(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	outcome := r.reject(outsider, changeTitle, "no")
	views := r.slack.Views(outsider)
	if len(views) != 1 || !strings.Contains(views[0].Errors[blocks.BlockReason], "not one of the people named") {
		t.Fatalf("outcome %+v, views %+v, want the reason in the modal", outcome, views)
	}
	r.refusedWith(outsider, "not_in_chain")
	if outcome := r.reject(owner, changeTitle, ""); outcome.Error != slackdev.RequiredField {
		t.Errorf("an empty reason: %+v", outcome)
	}
	r.undecided(changeTitle)
}

// TestEscalationAndExpiry: silence asks the named deputy and then the next, ends
// in an expiry that says so, and never grants.
func TestEscalationAndExpiry(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	r.at("11:42")
	r.wait("a reminder to the owner", func(s slackdev.Snapshot) bool { return direct(s, owner, "waits for your decision") })
	r.at("12:12")
	r.escalated("Dan Deputy")
	r.at("13:00")
	r.escalated("Esra Third")
	r.at("15:40")
	for _, title := range []string{holdTitle, changeTitle, recoverTitle} {
		if card := r.card(title, "Expired"); said(card, blocks.ActionApprove) {
			t.Errorf("the expired card of %q has buttons", title)
		}
	}
	if open := r.ask(owner, "incidents"); !strings.Contains(open, "open") || !strings.Contains(open, "INC-") {
		t.Errorf("the incident is not open any more: %s", open)
	}
	for kind, want := range map[string]int{receipts.KindDecisionRecorded: 0, receipts.KindEscalation: 6, receipts.KindExpiry: 3, receipts.KindStepIntent: 0} {
		if got := len(r.receipts(kind)); got != want {
			t.Errorf("%d receipts %s, want %d", got, kind, want)
		}
	}
	if runs := r.dagster.Runs(); len(runs) != 0 {
		t.Errorf("an expired request started %+v", runs)
	}
	r.verify()
}

// escalated waits until a person was asked about each of the three requests: the
// clock must not run past an escalation that is still to be fired.
func (r *rig) escalated(name string) {
	r.t.Helper()
	r.wait("three escalations to "+name, func(s slackdev.Snapshot) bool {
		asked := 0
		for _, m := range s.Channel(channel).Messages {
			if said(m, "Nobody has decided", name, "asked too") {
				asked++
			}
		}
		return asked == 3
	})
}

// direct reports whether a direct message to a person says something.
func direct(s slackdev.Snapshot, user, words string) bool {
	for _, c := range s.Channels {
		if c.DirectWith != user {
			continue
		}
		for _, m := range c.Messages {
			if said(m, words) {
				return true
			}
		}
	}
	return false
}

// TestDeputyDecides: once asked, the deputy's approval counts and is recorded as
// the deputy's.
func TestDeputyDecides(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	r.at("12:12")
	r.see("Nobody has decided", "Dan Deputy")
	r.told(deputy, r.click(deputy, r.card(holdTitle, blocks.ActionApprove), blocks.ActionApprove), "is recorded at")
	r.card(holdTitle, "approved by", "(deputy)")
	decisions := r.receipts(receipts.KindDecisionRecorded)
	if len(decisions) != 1 || decisions[0].Predicate.Body["role"] != "deputy" || decisions[0].Predicate.Actor["user"] != deputy {
		t.Errorf("decisions %+v, want the deputy's", decisions)
	}
}

// resume starts dw again on the same estate.
func (r *rig) resume() {
	r.t.Helper()
	r.wait("no connection of the old process", func(s slackdev.Snapshot) bool { return s.Sockets == 0 })
	r.run(app.Options{})
}
