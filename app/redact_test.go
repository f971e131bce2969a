package app_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dw/app"
	"dw/config"
	"dw/receipts"
	"dw/store"
)

// TestTypedSecrets: a secret that a person types, of dw's configuration or of a
// known form, is in no message, log, row, receipt or export afterwards; the receipt
// says what was taken out.
func TestTypedSecrets(t *testing.T) {
	t.Parallel()
	r := start(t, replace("log: {level: info}", "log: {level: debug}"))
	secrets := []string{
		botToken, appToken, vendorKey, intakeKey, "AKIA" + "CANARY7EXAMPLE42", "eyJjYW5hcnki.eyJzdWIiOiIx.c2lnbmVk",
		"https://canary:pass@db.example/x",
	}
	r.ask(owner, "stop because "+strings.Join(secrets, " and "))
	r.see("dw is stopped by", "because [redacted:configured_secret]")
	r.ask(owner, "explain "+vendorKey)
	pulled := r.receipts(receipts.KindStopPulled)
	if len(pulled) != 1 || !strings.Contains(pulled[0].Bytes, `"redacted":{"aws_access_key":"1","configured_secret":"4","jwt":"1","url_userinfo":"1"}`) {
		t.Errorf("receipts of the stop: %+v", pulled)
	}
	r.stop()
	out := r.path("out")
	log, err := app.OpenLog(context.Background(), r.database())
	if err != nil {
		t.Fatal(err)
	}
	texts, err := log.SignedTexts(context.Background(), "")
	if err == nil {
		err = log.Export(context.Background(), out)
	}
	if err == nil {
		err = receipts.WriteTexts(out, texts)
	}
	if err != nil || len(texts) != 1 || log.Close() != nil {
		t.Fatalf("%v, %+v", err, texts)
	}
	outputs := map[string][]byte{"the log": []byte(r.log.String()), "the workspace": []byte(r.screen())}
	for _, m := range everything(r.slack.Snapshot()) {
		outputs["messages"] = append(outputs["messages"], m.Blocks...)
	}
	for _, file := range []string{r.database(), r.database() + "-wal", filepath.Join(out, "texts.ndjson"), filepath.Join(out, "receipts.ndjson")} {
		outputs[file], _ = os.ReadFile(file) // a WAL that was folded is gone
	}
	for _, where := range slices.Sorted(maps.Keys(outputs)) {
		for _, secret := range append(secrets, "canary:pass") {
			if bytes.Contains(outputs[where], []byte(secret)) {
				t.Errorf("%s holds %s", where, secret)
			}
		}
	}
}

// TestShredReason: the reason of a rejection can be read beside its receipt, and is
// gone from there, and from the request's row, once it was shredded.
func TestShredReason(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	const reason = "the plant is being rebuilt"
	r.reject(owner, changeTitle, reason)
	r.card(changeTitle, "Rejected", reason)
	decided := r.receipts(receipts.KindDecisionRecorded)[0]
	r.stop()
	ctx := context.Background()
	c, err := config.Load(r.path("config.yaml"), config.OS())
	if err != nil {
		t.Fatal(err)
	}
	kept := func() (texts []receipts.KeptText, proposal string) {
		log, err := app.OpenLog(ctx, r.database())
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close() //nolint:errcheck // only read
		entry, err := log.Receipt(ctx, decided.Seq)
		if err == nil {
			texts, err = log.Texts(ctx, entry)
		}
		if err != nil {
			t.Fatal(err)
		}
		doc, err := log.ProposalDocument(ctx, decided.Predicate.Proposal)
		if err != nil {
			t.Fatal(err)
		}
		return texts, string(doc)
	}
	if texts, doc := kept(); len(texts) != 1 || texts[0].Text.Text != reason || !strings.Contains(doc, reason) {
		t.Fatalf("before: %+v, %s", texts, doc)
	}
	if n, err := app.Shred(ctx, c, app.ShredRequest{Incident: "INC-NOTHIS", By: "olga", Now: storyStart}); err == nil {
		t.Errorf("another incident's: %d", n)
	}
	if n, err := app.Shred(ctx, c, app.ShredRequest{Incident: decided.Predicate.Incident, By: "olga", Now: storyStart}); n != 1 || err != nil {
		t.Fatalf("%d, %v, want %v or nil", n, err, store.ErrNotFolded)
	}
	if texts, doc := kept(); len(texts) != 0 || strings.Contains(doc, reason) {
		t.Errorf("after: %+v, %s", texts, doc)
	}
	r.verifyHashes()
}

// verifyHashes checks the log where its end is not signed yet.
func (r *rig) verifyHashes() {
	r.t.Helper()
	log, err := app.OpenLog(context.Background(), r.database())
	if err != nil {
		r.t.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // only read
	report, err := log.Verify(context.Background(), strings.TrimSpace(r.read(r.t, "keys/receipts.pub")))
	if err != nil || report.Code != receipts.CodeGood || report.Signed >= report.Count {
		r.t.Errorf("the receipts: %v: %+v", err, report)
	}
}
