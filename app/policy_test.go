package app_test

import (
	"os"
	"strings"
	"testing"

	"dw/app"
	"dw/blocks"
	"dw/receipts"
	"dw/slackdev"
)

// edit rewrites the configuration between two runs, as somebody with a shell
// could.
func (r *rig) edit(old, with string) {
	r.t.Helper()
	text := r.read(r.t, "config.yaml")
	if !strings.Contains(text, old) {
		r.t.Fatalf("the configuration does not say %q", old)
	}
	if err := os.WriteFile(r.path("config.yaml"), []byte(strings.Replace(text, old, with, 1)), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// TestThreatPrivilegedConfigChange: a level raised in the file and reloaded is not
// in force: L2 stays L2. dw says so and, where the record allows, asks people.
func TestThreatPrivilegedConfigChange(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.stop()
	r.edit("level: L2", "level: L4")
	if _, err := r.build(app.Options{}); err == nil || !strings.Contains(err.Error(), `"L4" is not one of`) {
		t.Fatalf("L4: %v", err)
	}
	r.edit("level: L4", "level: L3\n    playbooks: [missing_wire_format/hold]")
	r.edit("expire_after: 4h", "expire_after: 24h")
	r.run(app.Options{})
	r.see("says more than is in force", "It stays as it was", "record of grid is too short for L3")
	if s := r.ask(outsider, "status"); !said(slackdev.Message{Text: s}, "Not in force: ", "level L2 to L3", "expire_after 4h0m0s to 24h0m0s") {
		t.Errorf("status: %s", s)
	}
	if s := r.ask(outsider, "policy"); !said(slackdev.Message{Text: s}, "is at L2, from the configuration since") {
		t.Errorf("policy: %s", s)
	}
	loaded := r.receipts(receipts.KindConfigLoaded)
	said := loaded[len(loaded)-1].Bytes
	for _, word := range []string{`"level":"L2"`, `"file_level":"L3"`, `{"from":"L2","term":"level","to":"L3"}`, `"not_in_force"`} {
		if !strings.Contains(said, word) {
			t.Errorf("config.loaded does not say %s: %s", word, said)
		}
	}
	if got := r.receipts(receipts.KindAutonomyLevelChanged); len(got) != 0 {
		t.Errorf("the level moved: %s", got[0].Bytes)
	}
	r.verify()
}

// TestRaisedByTwo: a level that the file raises by one is asked for in the
// domain's channel; two people put it in force, one lowers it again.
func TestRaisedByTwo(t *testing.T) {
	t.Parallel()
	r := start(t, replace("level: L2", "level: L1"))
	r.stop()
	r.edit("level: L1", "level: L2")
	r.run(app.Options{})
	asks := r.see("Approval needed: Raise grid from L1 to L2", blocks.ActionApprove, "in nobody's name", "L1 becomes L2", "empty: nothing was proposed")
	r.placed()
	r.told(owner, r.click(owner, asks, blocks.ActionApprove), "1 of 2")
	if s := r.ask(owner, "policy grid"); !said(slackdev.Message{Text: s}, "is at L1", "not in force: level, now L1, in the configuration L2") {
		t.Errorf("policy: %s", s)
	}
	r.click(deputy, asks, blocks.ActionApprove)
	r.see("In force: Raise grid from L1 to L2")
	r.see("In force in grid since", "level L1 to L2", "approved by Dan Deputy")
	if answer := r.ask(copied, "level grid L0 for the night"); !strings.Contains(answer, "grid is at L0 since") {
		t.Errorf("lowering: %s", answer)
	}
	if answer := r.ask(outsider, "level grid L1"); !strings.Contains(answer, "Only people who are listed") {
		t.Errorf("an outsider: %s", answer)
	}
	if answer := r.ask(owner, "record grid"); !strings.Contains(answer, "An empty record says nothing") {
		t.Errorf("record: %s", answer)
	}
	if answer := r.ask(owner, "level grid L9"); !strings.Contains(answer, "level DOMAIN L0") {
		t.Errorf("no such level: %s", answer)
	}
	if changed := r.receipts(receipts.KindAutonomyLevelChanged); len(changed) != 2 || changed[1].Predicate.Body["set_by"] != copied {
		t.Errorf("receipts %+v", changed)
	}
	r.verify()
}
