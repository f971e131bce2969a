package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dw/blocks"
	"dw/receipts"
	"dw/slackdev"
)

// TestHostileName: a table that is called like a mention of everybody goes
// through check, card, thread and commands and pages nobody.
func TestHostileName(t *testing.T) {
	t.Parallel()
	const hostile = "<!channel>"
	r := start(t, replace("    table: fct_readings\n    time_column: read_at", "    table: '\"<!channel>\"'\n    time_column: read_at"),
		replace("id: looker://usage\n      kind: explore\n      name: usage", "id: looker://usage\n      kind: explore\n      name: '<!channel>'"))
	r.warehouse(t, `CREATE VIEW "<!channel>" AS SELECT * FROM fct_readings`)
	r.at("11:20")
	r.see("region=north", blocks.ActionAcknowledge)
	answers := []string{r.ask(owner, "check run readings per hour"), r.ask(owner, "blast fct_readings"), r.ask(owner, "explain "+hostile), r.ask(owner, "explain <!here>")}
	if !strings.Contains(strings.Join(answers, ""), "!channel") {
		t.Errorf("the name does not show at all: %v", answers)
	}
	for _, m := range everything(r.slack.Snapshot()) {
		if strings.Contains(m.Text, "<!") || strings.Contains(string(m.Blocks), `"broadcast"`) || strings.Contains(string(m.Blocks), `"mrkdwn"`) {
			t.Errorf("a message can page people: %s %s", m.Text, m.Blocks)
		}
	}
}

func everything(s slackdev.Snapshot) []slackdev.Message {
	var out []slackdev.Message
	for _, c := range s.Channels {
		out = append(out, c.Messages...)
	}
	for _, private := range s.Ephemerals {
		out = append(out, private...)
	}
	return out
}

// TestSecretsStayInside: no token is found in the log, in any message, in the
// receipts or in dw's database, also when calls with it fail.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	r := start(t, replace("log: {level: info}", "log: {level: debug}"))
	r.slack.Fail("chat.postMessage", 1, slackdev.FaultError("invalid_auth"))
	r.slack.Fail("users.info", 1, slackdev.FaultStatus(http.StatusInternalServerError))
	r.asked()
	r.click(owner, r.card(holdTitle), blocks.ActionApprove)
	r.card(holdTitle, "approved by")
	r.at("11:28")
	r.ask(owner, "verify")
	r.stop()
	state, err := json.Marshal(r.slack.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	places := map[string][]byte{"the log": []byte(r.log.String()), "a message": state}
	files, err := filepath.Glob(r.path("dw.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no database: %v", err)
	}
	for _, file := range files {
		if places[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(r.path("dw.db")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the database has mode %v, %v", info.Mode(), err)
	}
	for place, content := range places {
		for _, secret := range []string{botToken, appToken, vendorKey, intakeKey, "PRIVATE+KEY"} {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s holds the secret %s", place, secret)
			}
		}
	}
}

// TestIntake: a change event is taken in over HTTP with the token only, once, and
// becomes evidence beside the cause.
func TestIntake(t *testing.T) {
	t.Parallel()
	r := start(t)
	event := `{"system":"deploys","id":"d-1","kind":"deploy","asset":"relay","at":"2026-06-10T09:58:00Z","who":"esra","text":"relay moved to a new host"}`
	for _, tc := range []struct {
		token, answer string
		status        int
	}{
		{"wrong-token-of-the-same-kind", "", http.StatusUnauthorized},
		{intakeKey, `"recorded":1`, http.StatusOK},
		{intakeKey, `"known":1`, http.StatusOK},
	} {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://"+r.address+"/intake/changes", strings.NewReader(event))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+tc.token)
		request.Header.Set("Content-Type", "application/json")
		if status, body := call(t, request); status != tc.status || !strings.Contains(body, tc.answer) {
			t.Errorf("with %s: %d %s, want %d %s", tc.token, status, body, tc.status, tc.answer)
		}
	}
	r.at("11:15")
	r.see("evidence and history", "without the schema registry")
	evidence := r.receipts(receipts.KindIncidentUpdated)
	if last := evidence[len(evidence)-1].Bytes; !strings.Contains(last, "change event d-1") || !strings.Contains(last, "deploy of relay at 09:58") {
		t.Errorf("the change is no evidence: %s", last)
	}
}

func call(t *testing.T, request *http.Request) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // only read
	var body bytes.Buffer
	if _, err := body.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, body.String()
}
