package jira_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	fake "dw/internal/fakes/jira"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// adf is a document as JSON.
const adf = `{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"hello"}]}]}`

func start(t *testing.T, change func(*fake.Options)) *fake.Server {
	t.Helper()
	o := fake.Options{
		Cloud: true, Email: "dw@example.com", Token: "t", Now: func() time.Time { return noon },
		Projects: []fake.Project{{ID: "10001", Key: "OPS", Name: "Operations", Types: []fake.IssueType{{ID: "1", Name: "Bug", Fields: []fake.Field{
			{ID: "summary", Name: "Summary", Type: "string", Required: true},
			{ID: "description", Name: "Description", Type: "string"},
			{ID: "severity", Name: "Severity", Type: "option", Required: true, Allowed: []string{"High"}},
		}}}}},
		Desks: []fake.Desk{{ID: "4", Project: "OPS", Types: []fake.RequestType{{ID: "11", Name: "Ask", IssueType: "1", Fields: []fake.Field{
			{ID: "summary", Name: "Summary", Type: "string", Required: true},
		}}}}},
	}
	if change != nil {
		change(&o)
	}
	s, err := fake.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// ask makes one call and returns the status and the answer.
func ask(t *testing.T, s *fake.Server, method, path, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.SetBasicAuth("dw@example.com", "t")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func issue(description string) string {
	return fmt.Sprintf(`{"fields":{"project":{"key":"OPS"},"issuetype":{"id":"1"},"summary":"s","severity":{"value":"High"},"description":%s},"properties":[{"key":"dw.incident","value":{"incident":"I"}}]}`, description)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		method, path, body string
		status             int
		says               string
	}{
		"description a string":       {"POST", "/rest/api/3/issue", issue(`"text"`), 400, "must be an Atlassian Document"},
		"description no document":    {"POST", "/rest/api/3/issue", issue(`{"type":"paragraph"}`), 400, "must be an Atlassian Document"},
		"empty text node":            {"POST", "/rest/api/3/issue", issue(strings.Replace(adf, "hello", "", 1)), 400, "must be an Atlassian Document"},
		"unknown node":               {"POST", "/rest/api/3/issue", issue(strings.Replace(adf, "paragraph", "para", 1)), 400, "must be an Atlassian Document"},
		"description too long":       {"POST", "/rest/api/3/issue", issue(strings.Replace(adf, "hello", strings.Repeat("x", 32768), 1)), 400, "exceeds the allowed limit"},
		"required field missing":     {"POST", "/rest/api/3/issue", `{"fields":{"project":{"key":"OPS"},"issuetype":{"id":"1"},"summary":"s"}}`, 400, `"severity":"Severity is required."`},
		"option that is none":        {"POST", "/rest/api/3/issue", strings.Replace(issue(adf), "High", "Huge", 1), 400, "Option value 'Huge' is not valid"},
		"summary of two lines":       {"POST", "/rest/api/3/issue", strings.Replace(issue(adf), `"s"`, `"s\nt"`, 1), 400, "newline"},
		"field not on the screen":    {"POST", "/rest/api/3/issue", strings.Replace(issue(adf), `"summary"`, `"labels":["x"],"summary"`, 1), 400, "Field 'labels' cannot be set"},
		"unknown project":            {"POST", "/rest/api/3/issue", strings.Replace(issue(adf), "OPS", "NO", 1), 400, "valid project is required"},
		"metadata of no project":     {"GET", "/rest/api/3/issue/createmeta/NO/issuetypes", "", 404, "No project could be found"},
		"the flat metadata":          {"GET", "/rest/api/3/issue/createmeta", "", 404, ""},
		"the old search":             {"GET", "/rest/api/3/search?jql=project=OPS", "", 410, "has been removed"},
		"the old search of v2":       {"POST", "/rest/api/2/search", "{}", 410, "has been removed"},
		"a search without bounds":    {"POST", "/rest/api/3/search/jql", `{"jql":"ORDER BY created"}`, 400, "Unbounded"},
		"a token of no page":         {"POST", "/rest/api/3/search/jql", `{"jql":"project = OPS","nextPageToken":"x"}`, 400, "nextPageToken"},
		"an issue that is not there": {"GET", "/rest/api/3/issue/OPS-9", "", 404, "does not exist or you do not have permission"},
		"comment a string":           {"POST", "/rest/api/3/issue/OPS-1/comment", `{"body":"x"}`, 400, "must be an Atlassian Document"},
		"comment without text":       {"POST", "/rest/api/3/issue/OPS-1/comment", `{}`, 400, "can not be empty"},
		"link without URL":           {"POST", "/rest/api/3/issue/OPS-1/remotelink", `{"globalId":"g","object":{"title":"t"}}`, 400, "'url' is required"},
		"a link that is not there":   {"GET", "/rest/api/3/issue/OPS-1/remotelink?globalId=x", "", 404, "does not exist"},
		"a move that is not offered": {"POST", "/rest/api/3/issue/OPS-1/transitions", `{"transition":{"id":"31"}}`, 400, "not permitted"},
		"unknown request type":       {"POST", "/rest/servicedeskapi/request", `{"serviceDeskId":"4","requestTypeId":"9"}`, 400, "does not exist"},
		"request without summary":    {"POST", "/rest/servicedeskapi/request", `{"serviceDeskId":"4","requestTypeId":"11","requestFieldValues":{}}`, 400, "Summary is required"},
		"request for another":        {"POST", "/rest/servicedeskapi/request", `{"serviceDeskId":"4","requestTypeId":"11","requestFieldValues":{"summary":"s"},"raiseOnBehalfOf":"x"}`, 403, "on behalf"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, nil)
			if status, text := ask(t, s, "POST", "/rest/api/3/issue", issue(adf)); status != 201 {
				t.Fatalf("the right issue: %d %s", status, text)
			}
			before := s.Issues()[0]
			status, text := ask(t, s, tc.method, tc.path, tc.body)
			if status != tc.status || !strings.Contains(text, tc.says) {
				t.Errorf("%d %s, want %d %q", status, text, tc.status, tc.says)
			}
			after := s.Issues()
			if len(after) != 1 || len(after[0].Comments)+len(after[0].Links) > 0 || after[0].Status != before.Status {
				t.Errorf("a refusal changed %+v", after)
			}
		})
	}
}

func TestWrongTokenIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/rest/api/3/myself", nil)
	r.SetBasicAuth("dw@example.com", "wrong")
	s.ServeHTTP(w, r)
	if w.Code != http.StatusUnauthorized || s.Calls("getCurrentUser") != 1 {
		t.Errorf("%d, %d calls", w.Code, s.Calls("getCurrentUser"))
	}
}

// TestDataCenterWantsStrings is the other way round.
func TestDataCenterWantsStrings(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *fake.Options) { o.Cloud = false })
	if status, text := ask(t, s, "POST", "/rest/api/2/issue", issue(adf)); status != 400 || !strings.Contains(text, "must be a string") {
		t.Errorf("a document: %d %s", status, text)
	}
	if status, text := ask(t, s, "POST", "/rest/api/2/issue", issue(`"text"`)); status != 201 {
		t.Errorf("a string: %d %s", status, text)
	}
	if status, _ := ask(t, s, "GET", "/rest/api/3/myself", ""); status != 404 {
		t.Errorf("REST v3 answers %d", status)
	}
}

// found searches once and returns how many issues there were.
func found(t *testing.T, s *fake.Server, body string) int {
	t.Helper()
	status, text := ask(t, s, "POST", "/rest/api/3/search/jql", body)
	var out struct{ Issues []map[string]any }
	if err := json.Unmarshal([]byte(text), &out); status != 200 || err != nil {
		t.Fatalf("search: %d %s %v", status, text, err)
	}
	return len(out.Issues)
}

func TestSearchLagsBehind(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *fake.Options) { o.SearchLag = 2 })
	ask(t, s, "POST", "/rest/api/3/issue", issue(adf))
	id := s.Issues()[0].ID
	plain := `{"jql":"creator = currentUser() AND created >= -1d"}`
	for n, want := range []int{0, 0, 1} {
		if got := found(t, s, plain); got != want {
			t.Errorf("search %d found %d, want %d", n+1, got, want)
		}
	}
	ask(t, s, "POST", "/rest/api/3/issue", issue(adf))
	if got := found(t, s, `{"jql":"project = OPS","reconcileIssues":[`+id+`,10002]}`); got != 2 {
		t.Errorf("with reconcileIssues it found %d, want 2", got)
	}
	if got := found(t, s, `{"jql":"issue.property[dw.incident].incident = \"I\""}`); got != 0 {
		t.Errorf("a property that no app declared was found")
	}
}

// TestNothingButLinksIsIdempotent: that is what the connector has to live with.
func TestNothingButLinksIsIdempotent(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for range 2 {
		ask(t, s, "POST", "/rest/api/3/issue", issue(adf))
		ask(t, s, "POST", "/rest/api/3/issue/OPS-1/comment", `{"body":`+adf+`}`)
	}
	var codes []int
	for range 2 {
		status, _ := ask(t, s, "POST", "/rest/api/3/issue/OPS-1/remotelink", `{"globalId":"g","object":{"url":"https://x.example","title":"t"}}`)
		codes = append(codes, status)
	}
	i := s.Issues()
	if len(i) != 2 || len(i[0].Comments) != 2 || len(i[0].Links) != 1 || codes[0] != 201 || codes[1] != 200 {
		t.Errorf("issues %+v, codes %v", i, codes)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault  fake.Fault
		issues int
		status int // 0 is no answer
		after  string
	}{
		"cut":            {fake.Fault{Kind: fake.CutAfterEffect}, 1, 0, ""},
		"garbled":        {fake.Fault{Kind: fake.Garbled}, 1, 201, ""},
		"500":            {fake.Fault{Kind: fake.Status500}, 0, 500, ""},
		"too many":       {fake.Fault{Kind: fake.TooMany, RetryAfter: "7"}, 0, 429, "7"},
		"too many, mute": {fake.Fault{Kind: fake.TooMany}, 0, 429, ""},
		"expired":        {fake.Fault{Kind: fake.Expired}, 0, 401, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, nil)
			web, transport := httptest.NewServer(s), &http.Transport{}
			t.Cleanup(func() { transport.CloseIdleConnections(); web.Close() })
			tc.fault.Call = "createIssue"
			s.Fail(tc.fault)
			r, err := http.NewRequestWithContext(t.Context(), "POST", web.URL+"/rest/api/3/issue", strings.NewReader(issue(adf)))
			if err != nil {
				t.Fatal(err)
			}
			r.SetBasicAuth("dw@example.com", "t")
			res, err := (&http.Client{Transport: transport}).Do(r)
			if err == nil {
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
			if (err != nil) != (tc.status == 0) || err == nil && (res.StatusCode != tc.status || res.Header.Get("Retry-After") != tc.after) {
				t.Errorf("answer %+v, %v", res, err)
			}
			if len(s.Issues()) != tc.issues {
				t.Errorf("%d issues, want %d", len(s.Issues()), tc.issues)
			}
			if status, text := ask(t, s, "POST", "/rest/api/3/issue", issue(adf)); status != 201 {
				t.Errorf("the next call: %d %s", status, text)
			}
		})
	}
}

func TestIssuesAreCopies(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ask(t, s, "POST", "/rest/api/3/issue", issue(adf))
	first := s.Issues()[0]
	first.Fields["summary"] = json.RawMessage(`"changed"`)
	if got := s.Issues()[0]; got.Summary() != "s" || got.Description() != "hello\n" || string(got.Properties["dw.incident"]) != `{"incident":"I"}` {
		t.Errorf("issue %+v", got)
	}
	if !s.Delete("ops-1") || s.Delete("OPS-1") || len(s.Issues()) != 0 {
		t.Error("deletion")
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]fake.Options{
		"no clock":   {Token: "t", Projects: make([]fake.Project, 1)},
		"no token":   {Now: time.Now, Projects: make([]fake.Project, 1)},
		"no project": {Now: time.Now, Token: "t"},
	} {
		if _, err := fake.New(o); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
