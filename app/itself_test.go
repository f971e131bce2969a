package app_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/app"
	"dw/blocks"
	"dw/receipts"
	"dw/store"
	"dw/workflows"
)

const holdPlaybook = "missing_wire_format/hold"

// opened is a dw whose domain is at L3 with the hold opened. Three verified
// incidents and two people would put that in force; workflows tests hold those
// guards, and here it is written where their decision would be.
func opened(t *testing.T) *rig {
	t.Helper()
	r := start(t, replace("    level: L2\n", "    level: L2\n    playbooks: ["+holdPlaybook+"]\n"))
	r.stop()
	ctx := context.Background()
	db, err := store.Open(ctx, r.database(), store.Options{Instance: "grid-test"})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(ctx, func(tx workflows.Tx) error {
		f, err := tx.InForce(ctx)
		if err != nil {
			return err
		}
		st := f.Domains["grid"]
		st.Policy.Level, st.LevelHow, st.LevelAt, st.Proposal = workflows.L3Act, workflows.ByDecision, storyStart, "PROP-RAISED"
		st.LevelBy = workflows.Person{Team: team, User: deputy, Name: "Dan Deputy"}
		st.Rev++
		f.Domains["grid"] = st
		f.Rev++
		_, err = tx.PutInForce(ctx, f)
		return err
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(r.read(t, "config.yaml"), "    level: L2\n", "    level: L3\n", 1)
	r.write(t, "config.yaml", text)
	r.run(app.Options{})
	return r
}

// scheduled waits until the billing schedule runs, or does not.
func (r *rig) scheduled(running bool) {
	r.t.Helper()
	for until := time.Now().Add(patience); ; {
		s, found := r.dagster.Schedule("nightly_bill")
		if found && s.Running == running {
			return
		}
		if time.Now().After(until) {
			r.t.Fatalf("nightly_bill is %+v\n%s\n%s", s, r.screen(), tail(r.log.String(), 3000))
		}
		r.ask(copied, "approvals")
	}
}

// TestByItself: at L3 dw pauses the billing job without a click and tells the
// owner by name, asks for everything else, and takes the pause back when the owner
// says so; the receipts of it verify.
func TestByItself(t *testing.T) {
	t.Parallel()
	r := opened(t)
	r.at("11:15")
	r.see("new dead-letter rows", "without the schema registry", blocks.ActionAcknowledge)
	r.at("11:20")
	r.see("region=north", blocks.ActionAcknowledge)
	r.at("11:26")
	r.scheduled(false)
	for _, title := range []string{changeTitle, recoverTitle} {
		r.card(title, blocks.ActionApprove)
	}
	r.see("dw began ", "by itself, without a decision", "Level L3, approved by Dan Deputy", "Undo, recorded before: Resume the schedule", "<@"+owner+">")
	r.at("11:28")
	card := r.card(holdTitle, "By dw itself: ", "dw did this by itself", holdPlaybook, "Seen: STOPPED", blocks.ActionRollBack)
	if said(card, blocks.ActionApprove) {
		t.Error("the card asks for what dw has done")
	}
	if answer := r.ask(owner, "record grid"); !strings.Contains(answer, "done by itself: 1") || !strings.Contains(answer, "approved unchanged: 0") {
		t.Errorf("record: %s", answer)
	}

	r.told(outsider, r.click(outsider, card, blocks.ActionRollBack), "not one of the people named")
	r.told(owner, r.click(owner, card, blocks.ActionRollBack), "is recorded")
	r.scheduled(true)
	r.at("11:30")
	r.card(holdTitle, "Rolled back: ")

	r.stop()
	r.verify()
	if decided := r.receipts(receipts.KindDecisionRecorded); len(decided) != 0 {
		t.Errorf("somebody decided: %s", decided[0].Bytes)
	}
	acted := r.receipts(receipts.KindAutonomyActed)
	if len(acted) != 1 || acted[0].Predicate.Actor["kind"] != receipts.ActorDW || acted[0].Predicate.Body["level"] != "L3" || !strings.Contains(acted[0].Bytes, "resume_schedule") {
		t.Fatalf("receipts %+v", acted)
	}
	made := r.receipts(receipts.KindProposalCreated)
	if !slices.ContainsFunc(made, func(p receipt) bool {
		return p.Predicate.Proposal == acted[0].Predicate.Proposal && strings.Contains(p.Bytes, "undo_effect")
	}) {
		t.Error("the undo was not recorded before")
	}
	if chosen := r.receipts(receipts.KindHaltedChoice); len(chosen) != 1 || chosen[0].Predicate.Actor["user"] != owner {
		t.Errorf("who took it back: %+v", chosen)
	}
}
