package jira_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"dw/connectors/jira"

	fake "dw/internal/fakes/jira"
)

func TestLinkIsOneForEachGlobalID(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	issue, err := v.client.Create(t.Context(), ticket(nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"Receipt", "Receipt, resolved"} {
		if err := v.client.Link(t.Context(), issue.Key, jira.RemoteLink{GlobalID: "dw=r1", URL: "https://dw.example/r1", Title: title}); err != nil {
			t.Fatal(err)
		}
	}
	if l := v.Issues()[0].Links; len(l) != 1 || l[0].Title != "Receipt, resolved" {
		t.Errorf("links %+v", l)
	}
	if _, ok, err := v.client.ReadLink(t.Context(), issue.Key, "dw=r2"); ok || err != nil {
		t.Errorf("read a link that is not there: %v, %v", ok, err)
	}
}

func TestBadInputIsNotSent(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	doc := jira.Document(jira.Paragraph(jira.Text("x")))
	good := jira.RemoteLink{GlobalID: "g", URL: "https://dw.example", Title: "t"}
	link := func(key string, change func(*jira.RemoteLink)) error {
		l := good
		change(&l)
		return v.client.Link(t.Context(), key, l)
	}
	comment := func(key string, d jira.Doc) error {
		_, err := v.client.Comment(t.Context(), key, d, "")
		return err
	}
	get := func(key string) error {
		_, err := v.client.Get(t.Context(), key)
		return err
	}
	for name, tc := range map[string]struct {
		err  error
		says string
	}{
		"key with a path":    {get("OPS-1/../../myself"), "is no issue key"},
		"empty key":          {get(""), "is no issue key"},
		"comment, bad key":   {comment("OPS", doc), "is no issue key"},
		"comment, no text":   {comment("OPS-1", jira.Document(jira.Paragraph(jira.Text(" ")))), "it has no text"},
		"link, no id":        {link("OPS-1", func(l *jira.RemoteLink) { l.GlobalID = "" }), "a global id"},
		"link, long id":      {link("OPS-1", func(l *jira.RemoteLink) { l.GlobalID = strings.Repeat("g", 256) }), "at most 255"},
		"link, script":       {link("OPS-1", func(l *jira.RemoteLink) { l.URL = "javascript:alert(1)" }), "must be http"},
		"link, no title":     {link("OPS-1", func(l *jira.RemoteLink) { l.Title = "\n" }), "a title is needed"},
		"title, no key":      {v.client.SetSummary(t.Context(), "x", "t"), "is no issue key"},
		"title, empty":       {v.client.SetSummary(t.Context(), "OPS-1", " \n"), "a summary is needed"},
		"transition, no key": {v.client.Transition(t.Context(), "x", "done"), "is no issue key"},
	} {
		if !strings.Contains(fmt.Sprint(tc.err), tc.says) {
			t.Errorf("%s: %v, want %q in it", name, tc.err, tc.says)
		}
	}
	for _, call := range []string{"getIssue", "addComment", "createOrUpdateRemoteIssueLink", "getCurrentUser"} {
		if v.Calls(call) != 0 {
			t.Errorf("%s was called", call)
		}
	}
}

func TestTransition(t *testing.T) {
	t.Parallel()
	twice := []fake.Move{
		{ID: "1", Name: "Fix", To: "Fixed", Category: "done"},
		{ID: "2", Name: "Give up", To: "Won't fix", Category: "done"},
		{ID: "3", Name: "Close", To: "Closed", Category: "new", Needs: []fake.Field{{ID: "resolution", Name: "Resolution", Type: "resolution", Required: true}}},
	}
	for name, tc := range map[string]struct {
		moves []fake.Move
		to    string
		state string
		says  string
	}{
		"by the name of the move":    {nil, "resolve", "Done", ""},
		"by the name of the status":  {nil, "In Progress", "In Progress", ""},
		"by the key of the category": {nil, "done", "Done", ""},
		"there already":              {nil, "to do", "To Do", ""},
		"not offered":                {nil, "Shipped", "To Do", `from To Do to "Shipped": there is no such move; possible: Start (to In Progress), Resolve (to Done)`},
		"ambiguous":                  {twice, "done", "To Do", "more than one move leads there; name one in the settings; possible: Fix (to Fixed), Give up (to Won't fix)"},
		"one of two":                 {twice, "Fixed", "Fixed", ""},
		"with a screen":              {twice, "Closed", "To Do", "its screen asks for Resolution (resolution)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := start(t, func(held *fake.Options, _ *jira.Options) { held.Moves = tc.moves })
			issue, err := v.client.Create(t.Context(), ticket(nil))
			if err != nil {
				t.Fatal(err)
			}
			err = v.client.Transition(t.Context(), issue.Key, tc.to)
			if _, ok := errors.AsType[*jira.TransitionError](err); ok != (tc.says != "") || !strings.Contains(fmt.Sprint(err), tc.says) {
				t.Errorf("%v, want %q", err, tc.says)
			}
			if got := v.Issues()[0].Status; got != tc.state {
				t.Errorf("status %s, want %s", got, tc.state)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	issue, err := v.client.Request(t.Context(), serviceRequest(nil))
	if err != nil {
		t.Fatal(err)
	}
	stands := v.Issues()
	if len(stands) != 1 || !stands[0].Request || issue.Key != stands[0].Key || issue.URL != v.url+"/servicedesk/customer/portal/4/SRC-1" {
		t.Fatalf("answer %+v, issues %+v", issue, stands)
	}
	if d := stands[0].Description(); !strings.HasPrefix(d, "No file since 09:00\n\nOpened by dw for incident INC-7") {
		t.Errorf("description %q", d)
	}
	back, err := v.client.Get(t.Context(), issue.Key)
	if err != nil || back.Tag != (jira.Tag{Incident: "INC-7", Target: "jira:SRC"}) {
		t.Errorf("read back %+v, %v", back, err)
	}
}

// TestRequestStandsWithoutItsProperty: the request is there and can be found, so it
// is not reported as failed.
func TestRequestStandsWithoutItsProperty(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	v.Fail(fake.Fault{Call: "setIssueProperty", Kind: fake.Status500})
	issue, err := v.client.Request(t.Context(), serviceRequest(nil))
	if err != nil || !strings.Contains(v.log.String(), "request raised without its entity property") {
		t.Fatalf("%v; log:\n%s", err, v.log)
	}
	found, ok, err := v.client.Find(t.Context(), "INC-7", "jira:SRC")
	if err != nil || !ok || found.Key != issue.Key {
		t.Errorf("found %+v, %v, %v", found, ok, err)
	}
}

func TestRequestNamesWhatIsWrongBeforeRaising(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*jira.ServiceRequest)
		says   string
	}{
		"unknown desk":         {func(r *jira.ServiceRequest) { r.ServiceDesk = "SCR" }, `no service desk "SCR" that the account of dw can use; nothing was created. Did you mean SRC (Source team)?`},
		"unknown request type": {func(r *jira.ServiceRequest) { r.RequestType = "Report" }, "Did you mean Report a problem"},
		"required field":       {func(r *jira.ServiceRequest) { r.RequestType = "12" }, "Urgency (customfield_1; one of: Now, Later)"},
		"no description":       {func(r *jira.ServiceRequest) { r.RequestType = "13" }, "Description is not in the form"},
		"for another":          {func(r *jira.ServiceRequest) { r.OnBehalfOf = "5b11" }, "Make it an agent"},
		"no target":            {func(r *jira.ServiceRequest) { r.Target = "" }, "the incident and the target"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := start(t, nil)
			_, err := v.client.Request(t.Context(), serviceRequest(tc.change))
			if !strings.Contains(fmt.Sprint(err), tc.says) || v.Calls("createCustomerRequest") != 0 {
				t.Errorf("%v, want %q in it", err, tc.says)
			}
		})
	}
}
