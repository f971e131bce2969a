package blocks_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dw/blocks"
	"dw/checks"
	"dw/lineage"
	"dw/workflows"

	"github.com/slack-go/slack"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// messages are all that dw sends, made with name wherever a foreign name stands.
func messages(name string) map[string]blocks.Message {
	open, resolved, bare := incident(name), incident(name), incident(name)
	resolved.State, resolved.ResolvedAt = workflows.Resolved, now
	resolved.Verification = &workflows.Verification{At: now, OK: true, Results: []checks.Result{{}, {}}}
	bare.Diagnosis, bare.Blast, bare.Harm, bare.Signals = nil, nil, nil, nil
	waiting := proposal(name, workflows.Waiting)
	observing := open
	observing.Level = workflows.L1Observe
	signal := open.Signals[0].Result
	paged := incident(name)
	paged.State, paged.AckedBy = workflows.Acknowledged, deput
	paged.Page = workflows.Reference{ID: "Q1PAGE", URL: "https://pager.example/incidents/Q1PAGE", State: workflows.PageAcknowledged, By: name}
	asking := view()
	asking.CanPage, asking.CanTicket = true, true
	standIn := proposal(name, workflows.Executing)
	standIn.Authors = []workflows.Author{{Change: name, Who: name}, {Change: "d-17", Who: "deploys", Person: deput}}
	for n := range standIn.Decisions {
		standIn.Decisions[n].For = deput
	}
	return map[string]blocks.Message{
		"approval_stand_in": blocks.ApprovalCard(open, standIn, view()),
		"delegations": blocks.Delegations([]workflows.Delegation{
			{ID: "DEL-7F3K2Q", By: owner, To: deput, From: now.Add(-time.Hour), Until: now.Add(time.Hour)},
			{ID: "DEL-7F3K2R", By: deput, To: owner, Domain: name, From: now.Add(time.Hour), Until: now.Add(25 * time.Hour)},
		}, view()),
		"incident_open":      blocks.IncidentCard(open, nil, view()),
		"incident_waiting":   blocks.IncidentCard(open, []workflows.Proposal{waiting}, view()),
		"incident_observing": blocks.IncidentCard(observing, nil, view()),
		"incident_bare":      blocks.IncidentCard(bare, nil, view()),
		"incident_resolved":  blocks.IncidentCard(resolved, []workflows.Proposal{proposal(name, workflows.Verified)}, view()),
		"approval_waiting":   blocks.ApprovalCard(open, waiting, view()),
		"approval_executing": blocks.ApprovalCard(open, proposal(name, workflows.Executing), view()),
		"approval_rejected":  blocks.ApprovalCard(open, proposal(name, workflows.Rejected), view()),
		"approval_expired":   blocks.ApprovalCard(open, proposal(name, workflows.Expired), view()),
		"approval_halted":    blocks.ApprovalCard(open, halted(name), view()),
		"approval_itself":    blocks.ApprovalCard(open, byItself(name), view()),
		"approval_offered":   blocks.ApprovalCard(open, offeredCard(name), view()),
		"approval_taken":     blocks.ApprovalCard(open, takenBack(name), view()),
		"approval_rolling":   blocks.ApprovalCard(open, rolling(name), view()),
		"approval_stale":     blocks.ApprovalCard(open, staleApproval(name), view()),
		"incident_stopped":   blocks.IncidentCard(open, []workflows.Proposal{waiting}, stoppedView(name)),
		"approval_stopped":   blocks.ApprovalCard(open, proposal(name, workflows.Approved), stoppedView(name)),
		"change_waiting":     blocks.ChangeCard(change(name, workflows.Waiting), stoppedView(name)),
		"change_in_force":    blocks.ChangeCard(change(name, workflows.Verified), view()),
		"note":               blocks.Note("the cause is named: "+name, []workflows.Person{owner}),
		"private":            blocks.Private("You cannot decide on " + name + "; Ann Owner can."),
		"help":               blocks.Help("/dw", false, false),
		"help_control":       blocks.Help("/dw", true, true),
		"incident_schema":    blocks.IncidentCard(schemaIncident(name), nil, view()),
		"incident_detected":  blocks.IncidentCard(detected(name), nil, view()),
		"incident_taught":    blocks.IncidentCard(taught(name), nil, view()),
		"incident_paged":     blocks.IncidentCard(paged, []workflows.Proposal{waiting}, asking),
		"status":             blocks.Status([]workflows.Incident{open}, []workflows.Proposal{waiting}, []checks.Result{signal}, view()),
		"incidents_none":     blocks.Incidents(nil, view()),
		"evidence":           blocks.Evidence(open, []workflows.Proposal{waiting}, view()),
		"checks":             blocks.Checks([]string{name, "never run"}, map[string]checks.Result{name: signal}, view()),
		"check_result":       blocks.Result(signal, view()),
		"blast":              blocks.Blast(*open.Blast, view()),
		"explain":            blocks.Explain(explanation(name)),
		"answer":             blocks.Answer("Owner", lineage.Answer{Asset: "dbt://shop/model.shop.orders", Name: name, Lines: explanation(name).Facts}),
		"trace":              blocks.Trace(name, steps(name), nil, view()),
		"search":             blocks.Found(name, []lineage.Found{{Asset: lineage.AssetID("dbt://shop/" + name), Name: name, Kind: lineage.KindModel, Where: "name, nearly"}}),
		"history":            blocks.History(history(name), view()),
		"history_none":       blocks.History(workflows.History{Of: name}, view()),
		"search_none":        blocks.Found(name, nil),
		"approvals":          blocks.Approvals([]workflows.Proposal{waiting}, view()),
		"receipts":           blocks.Receipts([]blocks.Receipt{{Seq: 7, Kind: "decision.recorded", Incident: open.ID, Who: "human " + name, At: "2026-03-10T12:40:00Z", Chain: "0123456789abcdef"}}),
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{"modal_reject": encodeAny(t, blocks.RejectModal("PROP-BBBBBB", `{"value":"x"}`))}
	for name, m := range messages("orders") {
		files[name] = encode(t, m)
	}
	for name, got := range files {
		path := filepath.Join("testdata", name+".json")
		if *update {
			if err := os.WriteFile(path, got, 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v; make golden writes it", err)
			continue
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from its golden file; make golden, then read the diff\n%s", name, got)
		}
	}
}

func encode(t *testing.T, m blocks.Message) []byte {
	t.Helper()
	return encodeAny(t, map[string]any{"text": m.Text, "blocks": m.Blocks})
}

func encodeAny(t *testing.T, v any) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestFirst300Characters: the person on call reads the notification first.
func TestFirst300Characters(t *testing.T) {
	t.Parallel()
	long := messages(strings.Repeat("a_long_table_name_", 3))
	for _, set := range []map[string]blocks.Message{messages("orders"), long} {
		for _, name := range []string{"incident_waiting", "approval_waiting"} {
			runes := []rune(set[name].Text)
			head := string(runes[:min(300, len(runes))])
			for question, answer := range map[string]string{
				"what broke": "31 % short", "since when": "since 11:02", "who is harmed when": "First harm 14:40 by", "who decides": "Decides: Ann Owner",
			} {
				if !strings.Contains(head, answer) {
					t.Errorf("%s: the first 300 characters do not answer %q (%q):\n%s", name, question, answer, head)
				}
			}
		}
	}
}

var hostile = []string{
	"<!channel>", "<https://evil.example|click>", "a\u202egnp.exe", "a\u200bb\u0007", "*_~`x`~_*",
	strings.Repeat("x", 10_000), "&lt;!here&gt;", "line\nbreak",
}

// TestHostileNames: a name can page nobody, break nothing and hide nothing.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	for _, name := range hostile {
		for title, m := range messages(name) {
			if strings.Contains(m.Text, "<!") || strings.Contains(m.Text, "<http") {
				t.Errorf("%s: live markup in the text of %q: %s", title, name, m.Text)
			}
			encoded := string(encode(t, m))
			for _, hidden := range []string{"\u202e", "\u200b", "\\u0007"} {
				if strings.Contains(encoded, hidden) {
					t.Errorf("%s: %q keeps a hidden character", title, name)
				}
			}
			if strings.Contains(encoded, `"mrkdwn"`) {
				t.Errorf("%s: uses mrkdwn, in which names are live", title)
			}
			checkLimits(t, title, m, encoded)
		}
	}
}

// checkLimits holds the limits of slack.md section 1.4 that these blocks meet.
func checkLimits(t *testing.T, title string, m blocks.Message, encoded string) {
	t.Helper()
	if n := len(m.Blocks); n == 0 || n > 50 {
		t.Errorf("%s has %d blocks", title, n)
	}
	if n := utf8.RuneCountInString(m.Text); n == 0 || n > 4000 {
		t.Errorf("%s has a text of %d characters", title, n)
	}
	if n := utf8.RuneCountInString(encoded); n > 3*13_200 {
		t.Errorf("%s is %d characters in all", title, n)
	}
	ids := map[string]bool{}
	for _, b := range m.Blocks {
		if id := b.ID(); id != "" && ids[id] {
			t.Errorf("%s has the block id %q twice", title, id)
		} else if len(id) > 255 {
			t.Errorf("%s has a block id of %d characters", title, len(id))
		} else {
			ids[id] = true
		}
		if h, ok := b.(*slack.HeaderBlock); ok && utf8.RuneCountInString(h.Text.Text) > 150 {
			t.Errorf("%s has a header over 150 characters", title)
		}
	}
}

// TestADecidedIncidentSaysSo: nobody waits at night for a decision that is made.
func TestADecidedIncidentSaysSo(t *testing.T) {
	t.Parallel()
	for state, want := range map[workflows.ProposalState]string{
		workflows.Rejected:  "no request is open and none is carried out; nobody is asked",
		workflows.Executing: "1 of 1 approved and carried out",
	} {
		m := blocks.IncidentCard(incident("orders"), []workflows.Proposal{proposal("orders", state)}, view())
		card := string(encode(t, m))
		if !strings.Contains(card, want) || !strings.Contains(m.Text, want[:20]) || strings.Contains(card, "nothing is asked yet") {
			t.Errorf("%s: the card does not say %q:\n%s", state, want, m.Text)
		}
	}
}

// TestAZeroIsNotNoHarm: a harm query that counts none does not say that nobody is harmed.
func TestAZeroIsNotNoHarm(t *testing.T) {
	t.Parallel()
	i := incident("orders")
	i.Harm.Count = 0
	m := blocks.IncidentCard(i, nil, view())
	if card := string(encode(t, m)); strings.Contains(m.Text, "(0 ") || !strings.Contains(card, "how many is not known") {
		t.Errorf("the card shows a zero as if it were an answer:\n%s", m.Text)
	}
}

func TestButtonsCarryWhatTheyDecide(t *testing.T) {
	t.Parallel()
	p := proposal("orders", workflows.Waiting)
	value, err := blocks.ParseValue(blocks.StepValue(p, 1))
	want := blocks.ButtonValue{Proposal: p.ID, HashPrefix: p.Hash[:32], Nonce: p.Nonce, Step: 1}
	if err != nil || value != want {
		t.Errorf("ParseValue = %+v, %v; want %+v", value, err, want)
	}
	for _, bad := range []string{"", "a|b|c", "a|b|c|x", "a|b|c|-1", "a|b|c|1|2"} {
		if _, err := blocks.ParseValue(bad); err == nil {
			t.Errorf("the value %q was read", bad)
		}
	}
}

func TestOnlyWaitingProposalsCanBeDecided(t *testing.T) {
	t.Parallel()
	for _, state := range []workflows.ProposalState{
		workflows.Approved, workflows.Rejected, workflows.Expired, workflows.Superseded, workflows.Withdrawn, workflows.Executing,
		workflows.Revoked, workflows.Lapsed, workflows.NeedsReapproval, workflows.Verified, workflows.Failed, workflows.Halted, workflows.RolledBack,
	} {
		encoded := string(encode(t, blocks.ApprovalCard(incident("orders"), proposal("orders", state), view())))
		if strings.Contains(encoded, blocks.ActionApprove) || strings.Contains(encoded, blocks.ActionReject) {
			t.Errorf("the card of a proposal that is %s still has buttons", state)
		}
	}
}
