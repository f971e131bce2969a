package jira_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dw/connectors/jira"
	"dw/workflows"

	fake "dw/internal/fakes/jira"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "s3cret-token"

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// vendor is a stand-in with a client that talks to it over HTTP.
type vendor struct {
	*fake.Server
	client   *jira.Client
	contract *contract // nil on Data Center, which the descriptions do not describe
	url      string
	log      *bytes.Buffer
}

// estate is what the stand-ins hold.
func estate() fake.Options {
	screen := []fake.Field{
		{ID: "summary", Name: "Summary", Type: "string", Required: true},
		{ID: "description", Name: "Description", Type: "string"},
		{ID: "reporter", Name: "Reporter", Type: "user", Required: true, Default: true},
		{ID: "labels", Name: "Labels", Type: "array", Items: "string"},
	}
	strict := append(slices.Clone(screen[:3]),
		fake.Field{ID: "customfield_10042", Name: "Severity", Type: "option", Custom: "com.atlassian.jira.plugin.system.customfieldtypes:select", Required: true, Allowed: []string{"High", "Low"}},
		fake.Field{ID: "customfield_10043", Name: "Impact", Type: "string", Custom: "com.atlassian.jira.plugin.system.customfieldtypes:textarea"},
		fake.Field{ID: "customfield_10044", Name: "Rows", Type: "number", Custom: "com.atlassian.jira.plugin.system.customfieldtypes:float"},
	)
	return fake.Options{
		Token: token, Now: func() time.Time { return noon },
		Projects: []fake.Project{
			{ID: "10001", Key: "OPS", Name: "Data operations", Types: []fake.IssueType{
				{ID: "1", Name: "Bug", Fields: screen},
				{ID: "2", Name: "Incident", Fields: strict},
				{ID: "3", Name: "Bare", Fields: screen[:1]},
			}},
			{ID: "10002", Key: "SRC", Name: "Source team"},
		},
		Desks: []fake.Desk{{ID: "4", Project: "SRC", Types: []fake.RequestType{
			{ID: "11", Name: "Report a problem", IssueType: "1", Fields: append(slices.Clone(screen[:2]), fake.Field{ID: "customfield_2", Name: "Source", Type: "string", Required: true, Hidden: true})},
			{ID: "12", Name: "With urgency", IssueType: "1", Fields: append(slices.Clone(screen[:2]), fake.Field{ID: "customfield_1", Name: "Urgency", Type: "option", Required: true, Allowed: []string{"Now", "Later"}})},
			{ID: "13", Name: "Bare", IssueType: "1", Fields: screen[:1]},
		}}},
	}
}

// start runs a stand-in of Cloud; change may alter what it holds and how the
// client asks.
func start(t *testing.T, change func(*fake.Options, *jira.Options)) vendor {
	t.Helper()
	return run(t, true, change)
}

func run(t *testing.T, cloud bool, change func(*fake.Options, *jira.Options)) vendor {
	t.Helper()
	transport := &http.Transport{}
	v := vendor{log: &bytes.Buffer{}}
	held := estate()
	asks := jira.Options{
		Cloud: cloud, Token: token, Timeout: 10 * time.Second, Retries: -1, Transport: transport, Now: func() time.Time { return noon },
		Log: slog.New(slog.NewTextHandler(v.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if held.Cloud = cloud; cloud {
		held.Email, asks.Email = "dw@example.com", "dw@example.com"
		v.contract = judged(t, transport)
		asks.Transport = v.contract
	}
	if change != nil {
		change(&held, &asks)
	}
	var err error
	if v.Server, err = fake.New(held); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(v.Server)
	t.Cleanup(func() {
		v.Close()
		transport.CloseIdleConnections()
		web.Close()
		if strings.Contains(v.log.String(), token) {
			t.Errorf("the log holds the token:\n%s", v.log)
		}
	})
	v.url, asks.BaseURL = web.URL, web.URL
	if v.client, err = jira.New(asks); err != nil {
		t.Fatal(err)
	}
	return v
}

// serve runs a client of Data Center against a handler.
func serve(t *testing.T, h http.HandlerFunc) *jira.Client {
	t.Helper()
	web, transport := httptest.NewServer(h), &http.Transport{}
	t.Cleanup(func() { transport.CloseIdleConnections(); web.Close() })
	c, err := jira.New(jira.Options{BaseURL: web.URL, Token: token, Retries: -1, Transport: transport, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ticket(change func(*jira.Ticket)) jira.Ticket {
	tk := jira.Ticket{
		Project: "OPS", IssueType: "bug", Summary: "orders:\nhalf of the rows are missing", Labels: []string{"data-quality"},
		Description: jira.Document(
			jira.Paragraph(jira.Text("Cause: "), jira.Bold("late load of {color:red}*orders*"), jira.Text(" in "), jira.Code("stg_orders")),
			jira.Bullets([]jira.Span{jira.Href("Incident", "https://slack.example/1")}, []jira.Span{jira.Text("3 dashboards")}),
		),
		Incident: "INC-7", Target: "jira:OPS",
	}
	if change != nil {
		change(&tk)
	}
	return tk
}

func serviceRequest(change func(*jira.ServiceRequest)) jira.ServiceRequest {
	r := jira.ServiceRequest{
		ServiceDesk: "src", RequestType: "report a problem", Summary: "orders stopped at 09:00",
		Description: jira.Document(jira.Paragraph(jira.Text("No file since "), jira.Code("09:00"))),
		Incident:    "INC-7", Target: "jira:SRC",
	}
	if change != nil {
		change(&r)
	}
	return r
}

func isUnclear(err error) bool {
	_, ok := errors.AsType[*workflows.UnclearError](err)
	return ok
}

func TestCreate(t *testing.T) {
	t.Parallel()
	for name, cloud := range map[string]bool{"Cloud": true, "Data Center": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := run(t, cloud, nil)
			issue, err := v.client.Create(t.Context(), ticket(nil))
			if err != nil {
				t.Fatal(err)
			}
			if issue.Key != "OPS-1" || issue.URL != v.url+"/browse/OPS-1" {
				t.Errorf("answer %+v", issue)
			}
			stands := v.Issues()
			if len(stands) != 1 || stands[0].Summary() != "orders: half of the rows are missing" || string(stands[0].Fields["labels"]) != `["data-quality"]` {
				t.Fatalf("issues %+v", stands)
			}
			mark := jira.Tag{Incident: "INC-7", Target: "jira:OPS"}.Mark()
			if d := stands[0].Description(); !strings.Contains(strings.ReplaceAll(d, "&#58;", ":"), mark) || !strings.Contains(d, "stg") {
				t.Errorf("description %q, want %s in it", d, mark)
			}
			back, err := v.client.Get(t.Context(), issue.Key)
			if err != nil || back.Tag != (jira.Tag{Incident: "INC-7", Target: "jira:OPS"}) || back.Status != "To Do" || back.ID != issue.ID {
				t.Errorf("read back %+v, %v", back, err)
			}
		})
	}
}

// TestTourOnDataCenter makes the same calls on REST v2, where the descriptions
// cannot judge.
func TestTourOnDataCenter(t *testing.T) {
	t.Parallel()
	v := run(t, false, nil)
	tour(t, v)
	if i := v.Issues(); len(i) != 1 || len(i[0].Links) != 1 || len(i[0].Comments) != 1 || i[0].Status != "Done" {
		t.Errorf("issues %+v", i)
	}
}

func TestCreateNamesFieldsBeforeCreating(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*jira.Ticket)
		says   []string
	}{
		"unknown project":           {func(tk *jira.Ticket) { tk.Project = "OSP" }, []string{`no project "OSP"`, "Did you mean OPS (Data operations), SRC (Source team)?"}},
		"unknown issue type":        {func(tk *jira.Ticket) { tk.IssueType = "Incidnt" }, []string{`no issue type "Incidnt"`, "Did you mean Incident"}},
		"required custom field":     {func(tk *jira.Ticket) { tk.IssueType = "Incident" }, []string{"nothing was created", "Severity (customfield_10042; one of: High, Low)", "domain's ticket settings"}},
		"value that is not offered": {func(tk *jira.Ticket) { tk.IssueType, tk.Fields = "Incident", map[string]any{"Severity": "Huge"} }, []string{`has no value "Huge"`, "High, Low"}},
		"no number": {func(tk *jira.Ticket) {
			tk.IssueType, tk.Fields = "Incident", map[string]any{"severity": "low", "Rows": "many"}
		}, []string{"Rows (customfield_10044) wants a number"}},
		"field not on the screen": {func(tk *jira.Ticket) { tk.Fields = map[string]any{"Team": "x"} }, []string{"Team is not on the create screen"}},
		"field of dw":             {func(tk *jira.Ticket) { tk.Fields = map[string]any{"Summary": "x"} }, []string{"Summary is set by dw"}},
		"no description":          {func(tk *jira.Ticket) { tk.IssueType = "Bare" }, []string{"Description is not on the create screen of Bare"}},
		"no summary":              {func(tk *jira.Ticket) { tk.Summary = " \n" }, []string{"a summary is needed"}},
		"no incident":             {func(tk *jira.Ticket) { tk.Incident = "" }, []string{"the incident and the target"}},
		"project of another path": {func(tk *jira.Ticket) { tk.Project = "../OPS" }, []string{`"../OPS" is no project key`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := start(t, nil)
			_, err := v.client.Create(t.Context(), ticket(tc.change))
			for _, want := range tc.says {
				if !strings.Contains(fmt.Sprint(err), want) {
					t.Errorf("%v, want %q in it", err, want)
				}
			}
			if len(v.Issues()) != 0 || v.Calls("createIssue") != 0 {
				t.Errorf("something was sent: %d issues, %d calls", len(v.Issues()), v.Calls("createIssue"))
			}
		})
	}
}

// TestCreateWithoutAnyProject is what Cloud answers to an account whose token no
// longer counts: nothing is there.
func TestCreateWithoutAnyProject(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/project") {
			fmt.Fprint(w, `[]`)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"errorMessages":["No project could be found with key 'OPS'."],"errors":{}}`)
	})
	_, err := client.Create(t.Context(), ticket(nil))
	if _, ok := errors.AsType[*jira.UnknownError](err); !ok || !strings.Contains(err.Error(), "It sees none at all: ask the Jira admin whether the account and its token are still valid") {
		t.Errorf("%v", err)
	}
}

// TestAnswersThatAreNotWhatTheyShouldBe: a read fails, a change is unclear.
func TestAnswersThatAreNotWhatTheyShouldBe(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"empty": "", "no JSON": "<html>", "another form": `[]`, "names nothing": `{}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
			if _, err := client.Get(t.Context(), "OPS-1"); err == nil || isUnclear(err) {
				t.Errorf("read: %v", err)
			}
			if _, err := client.Account(t.Context()); err == nil || isUnclear(err) {
				t.Errorf("account: %v", err)
			}
			if _, err := client.Comment(t.Context(), "OPS-1", jira.Document(jira.Paragraph(jira.Text("x"))), ""); !isUnclear(err) {
				t.Errorf("comment: %v, want unclear", err)
			}
		})
	}
}

func TestNoConnectionIsNoDoubt(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.NotFoundHandler())
	web.Close()
	c, err := jira.New(jira.Options{BaseURL: web.URL, Token: token, Retries: -1, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	link := jira.RemoteLink{GlobalID: "g", URL: "https://dw.example", Title: "t"}
	if err := c.Link(t.Context(), "OPS-1", link); err == nil || isUnclear(err) {
		t.Errorf("%v, want a plain error: nothing was sent", err)
	}
}

func TestCreateGivesFieldsTheirForm(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	fields := map[string]any{"severity": "low", "Impact": "three *dashboards*", "customfield_10044": "12.5"}
	_, err := v.client.Create(t.Context(), ticket(func(tk *jira.Ticket) { tk.IssueType, tk.Fields = "Incident", fields }))
	if err != nil {
		t.Fatal(err)
	}
	got := v.Issues()[0].Fields
	if string(got["customfield_10042"]) != `{"value":"Low"}` || fake.PlainText(got["customfield_10043"]) != "three *dashboards*\n" || string(got["customfield_10044"]) != "12.5" {
		t.Errorf("fields %s", got)
	}
	if _, sent := got["labels"]; sent {
		t.Error("labels were sent though they are not on the screen")
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault fake.Fault
		says  string
		retry time.Time
	}{
		"expired token":            {fake.Fault{Kind: fake.Expired}, "expired (Atlassian API tokens live a year at most): ask the admin", time.Time{}},
		"too many, with seconds":   {fake.Fault{Kind: fake.TooMany, RetryAfter: "90"}, "until 12:01:30 UTC", noon.Add(90 * time.Second)},
		"too many, with a date":    {fake.Fault{Kind: fake.TooMany, RetryAfter: "Wed, 04 Mar 2026 12:05:00 GMT"}, "until 4 Mar 12:05:00 UTC", noon.Add(5 * time.Minute)},
		"too many, without a time": {fake.Fault{Kind: fake.TooMany}, "does not say for how long: try again after 12:01:00 UTC", noon.Add(time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := start(t, nil)
			tc.fault.Call = "createIssue"
			v.Fail(tc.fault)
			_, err := v.client.Create(t.Context(), ticket(nil))
			refused, ok := errors.AsType[*jira.RefusedError](err)
			if !ok || !strings.Contains(err.Error(), tc.says) || !refused.RetryAt.Equal(tc.retry) {
				t.Errorf("%v, want %q in it", err, tc.says)
			}
			if len(v.Issues()) != 0 || v.Calls("createIssue") != 1 {
				t.Errorf("%d issues after %d calls", len(v.Issues()), v.Calls("createIssue"))
			}
		})
	}
}

func TestWrongTokenIsToldOnceToTheAdmin(t *testing.T) {
	t.Parallel()
	v := start(t, func(held *fake.Options, _ *jira.Options) { held.Token = "another" })
	_, err := v.client.Account(t.Context())
	refused, ok := errors.AsType[*jira.RefusedError](err)
	if !ok || refused.Status != http.StatusUnauthorized || !strings.Contains(err.Error(), "ask the admin of dw") {
		t.Errorf("%v, want a refusal that names the admin", err)
	}
}

func TestNothingPrintsTheToken(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"errorMessages":["bad %s"],"errors":{"token":"%s"}}`, token, r.Header.Get("Authorization"))
	})
	_, err := client.Get(t.Context(), "OPS-1")
	if err == nil || strings.Contains(fmt.Sprintf("%v %+v %#v", err, client, client), token) || !strings.Contains(err.Error(), "[redacted]") {
		t.Errorf("%v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return noon }
	for name, o := range map[string]jira.Options{
		"no clock":        {BaseURL: "https://x.example", Token: token},
		"negative days":   {BaseURL: "https://x.example", Token: token, Now: now, FindDays: -1},
		"no token":        {BaseURL: "https://x.example", Now: now},
		"no URL":          {Token: token, Now: now},
		"user in the URL": {BaseURL: "https://me:pass-word@x.example", Token: token, Now: now},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := jira.New(o); err == nil || strings.Contains(err.Error(), "pass-word") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestBasePathIsKept(t *testing.T) {
	t.Parallel()
	var path string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		fmt.Fprint(w, `{"displayName":"dw"}`)
	}))
	transport := &http.Transport{}
	t.Cleanup(func() { transport.CloseIdleConnections(); web.Close() })
	c, err := jira.New(jira.Options{BaseURL: web.URL + "/ex/jira/cloud-1/", Cloud: true, Token: token, Transport: transport, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Account(t.Context()); err != nil || path != "/ex/jira/cloud-1/rest/api/3/myself" {
		t.Errorf("path %q, %v", path, err)
	}
}
