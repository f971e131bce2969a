package jira_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"dw/connectors/jira"

	fake "dw/internal/fakes/jira"
)

// short lets a call that hangs end soon; what may be repeated is.
func short(_ *fake.Options, asks *jira.Options) {
	asks.Timeout, asks.Retries = 1500*time.Millisecond, 2
}

// lost are the ways in which an answer is lost after the effect.
var lost = map[string]fake.FaultKind{"hangs": fake.HangAfterEffect, "is cut": fake.CutAfterEffect, "is garbled": fake.Garbled}

func TestCreateWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	for name, kind := range lost {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := start(t, func(held *fake.Options, asks *jira.Options) {
				short(held, asks)
				held.SearchLag = 2
			})
			v.contract.broken = kind == fake.Garbled
			v.Fail(fake.Fault{Call: "createIssue", Kind: kind})
			_, err := v.client.Create(t.Context(), ticket(nil))
			if !isUnclear(err) {
				t.Fatalf("%v, want unclear", err)
			}
			if len(v.Issues()) != 1 || v.Calls("createIssue") != 1 {
				t.Fatalf("%d issues after %d calls, want one and one", len(v.Issues()), v.Calls("createIssue"))
			}
			for range 2 { // the index lags
				if _, ok, err := v.client.Find(t.Context(), "INC-7", "jira:OPS"); ok || err != nil {
					t.Fatalf("found too early: %v, %v", ok, err)
				}
			}
			issue, ok, err := v.client.Find(t.Context(), "INC-7", "jira:OPS")
			if err != nil || !ok || issue.Key != v.Issues()[0].Key {
				t.Errorf("found %+v, %v, %v", issue, ok, err)
			}
			if n := v.Calls("oldSearch"); n != 0 {
				t.Errorf("the removed search was called %d times", n)
			}
		})
	}
}

func TestCreateThatFailedBeforeTheEffect(t *testing.T) {
	t.Parallel()
	v := start(t, func(_ *fake.Options, asks *jira.Options) { asks.Retries = 2 })
	v.Fail(fake.Fault{Call: "createIssue", Kind: fake.Status500})
	if _, err := v.client.Create(t.Context(), ticket(nil)); !isUnclear(err) {
		t.Errorf("%v, want unclear: a 500 may come after the effect", err)
	}
	if v.Calls("createIssue") != 1 || len(v.Issues()) != 0 {
		t.Errorf("%d calls, %d issues", v.Calls("createIssue"), len(v.Issues()))
	}
}

func TestRequestWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	v := start(t, short)
	v.Fail(fake.Fault{Call: "createCustomerRequest", Kind: fake.HangAfterEffect})
	if _, err := v.client.Request(t.Context(), serviceRequest(nil)); !isUnclear(err) {
		t.Fatalf("%v, want unclear", err)
	}
	// The property was never set: only the mark in the text is there.
	issue, ok, err := v.client.Find(t.Context(), "INC-7", "jira:SRC")
	if err != nil || !ok || len(v.Issues()) != 1 || issue.Key != v.Issues()[0].Key || v.Calls("createCustomerRequest") != 1 {
		t.Errorf("found %+v, %v, %v; %d issues", issue, ok, err, len(v.Issues()))
	}
}

// TestLinkWhoseAnswerIsLost: a link may be repeated, so one call makes it whole.
func TestLinkWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	link := jira.RemoteLink{GlobalID: "dw=r1", URL: "https://dw.example/r1", Title: "Receipt"}
	for name, kind := range lost {
		for flavour, cloud := range map[string]bool{"Cloud": true, "Data Center": false} {
			for how, retries := range map[string]int{"repeated": 1, "read back": -1} {
				t.Run(strings.Join([]string{name, flavour, how}, ", "), func(t *testing.T) {
					t.Parallel()
					v := run(t, cloud, func(held *fake.Options, asks *jira.Options) {
						short(held, asks)
						asks.Retries = retries
					})
					if cloud {
						v.contract.broken = kind == fake.Garbled
					}
					issue, err := v.client.Create(t.Context(), ticket(nil))
					if err != nil {
						t.Fatal(err)
					}
					v.Fail(fake.Fault{Call: "createOrUpdateRemoteIssueLink", Kind: kind})
					if err := v.client.Link(t.Context(), issue.Key, link); err != nil {
						t.Errorf("the link is there, and dw says %v", err)
					}
					if l := v.Issues()[0].Links; len(l) != 1 || l[0].URL != link.URL {
						t.Errorf("links %+v", l)
					}
				})
			}
		}
	}
}

func TestLinkThatIsNotThereIsUnclear(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	issue, err := v.client.Create(t.Context(), ticket(nil))
	if err != nil {
		t.Fatal(err)
	}
	v.Fail(fake.Fault{Call: "createOrUpdateRemoteIssueLink", Kind: fake.Status500})
	err = v.client.Link(t.Context(), issue.Key, jira.RemoteLink{GlobalID: "g", URL: "https://dw.example/r1", Title: "Receipt"})
	if !isUnclear(err) || len(v.Issues()[0].Links) != 0 {
		t.Errorf("%v, want unclear", err)
	}
}

// TestLinkThatStandsAsBeforeIsUnclear: a link with the same id is no proof that the
// change arrived.
func TestLinkThatStandsAsBeforeIsUnclear(t *testing.T) {
	t.Parallel()
	old := jira.RemoteLink{GlobalID: "g", URL: "https://dw.example/r1", Title: "Receipt", Summary: "open"}
	for name, change := range map[string]func(*jira.RemoteLink){
		"URL":     func(l *jira.RemoteLink) { l.URL = "https://dw.example/r2" },
		"title":   func(l *jira.RemoteLink) { l.Title = "Receipt 2" },
		"summary": func(l *jira.RemoteLink) { l.Summary = "resolved" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := start(t, nil)
			issue, err := v.client.Create(t.Context(), ticket(nil))
			if err != nil {
				t.Fatal(err)
			}
			if err := v.client.Link(t.Context(), issue.Key, old); err != nil {
				t.Fatal(err)
			}
			v.Fail(fake.Fault{Call: "createOrUpdateRemoteIssueLink", Kind: fake.Status500})
			changed := old
			change(&changed)
			if err := v.client.Link(t.Context(), issue.Key, changed); !isUnclear(err) {
				t.Errorf("%v, want unclear", err)
			}
		})
	}
}

func TestCommentWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	for flavour, cloud := range map[string]bool{"Cloud": true, "Data Center": false} {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			v := run(t, cloud, short)
			issue, err := v.client.Create(t.Context(), ticket(nil))
			if err != nil {
				t.Fatal(err)
			}
			v.Fail(fake.Fault{Call: "addComment", Kind: fake.HangAfterEffect})
			_, err = v.client.Comment(t.Context(), issue.Key, jira.Document(jira.Paragraph(jira.Text("Approved"))), "dw:decision-1")
			if !isUnclear(err) {
				t.Fatalf("%v, want unclear", err)
			}
			if n := v.Calls("addComment"); n != 1 {
				t.Fatalf("it was sent %d times", n)
			}
			id, ok, err := v.client.FindComment(t.Context(), issue.Key, "dw:decision-1")
			if have := v.Issues()[0].Comments; err != nil || !ok || len(have) != 1 || have[0].ID != id {
				t.Errorf("found %q, %v, %v in %+v", id, ok, err, have)
			}
			if _, ok, err := v.client.FindComment(t.Context(), issue.Key, "dw:decision-2"); ok || err != nil {
				t.Errorf("found another's: %v, %v", ok, err)
			}
		})
	}
}

func TestTransitionWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		kind    fake.FaultKind
		unclear bool
	}{"after the effect": {fake.CutAfterEffect, false}, "before the effect": {fake.Status500, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := start(t, nil)
			issue, err := v.client.Create(t.Context(), ticket(nil))
			if err != nil {
				t.Fatal(err)
			}
			v.Fail(fake.Fault{Call: "doTransition", Kind: tc.kind})
			err = v.client.Transition(t.Context(), issue.Key, "Resolve")
			if isUnclear(err) != tc.unclear || (err == nil) == tc.unclear || v.Calls("doTransition") != 1 {
				t.Errorf("%v, want unclear %v", err, tc.unclear)
			}
		})
	}
}

func TestDeletedIssue(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	issue, err := v.client.Create(t.Context(), ticket(nil))
	if err != nil {
		t.Fatal(err)
	}
	v.Delete(issue.Key)
	_, get := v.client.Get(t.Context(), issue.Key)
	_, comment := v.client.Comment(t.Context(), issue.Key, jira.Document(jira.Paragraph(jira.Text("x"))), "")
	for name, err := range map[string]error{
		"get": get, "comment": comment,
		"link":       v.client.Link(t.Context(), issue.Key, jira.RemoteLink{GlobalID: "g", URL: "https://dw.example", Title: "t"}),
		"transition": v.client.Transition(t.Context(), issue.Key, "done"),
		"title":      v.client.SetSummary(t.Context(), issue.Key, "t"),
	} {
		deleted, ok := errors.AsType[*jira.DeletedError](err)
		if !ok || deleted.Key != issue.Key || !strings.Contains(err.Error(), "was deleted") {
			t.Errorf("%s: %v, want deleted", name, err)
		}
	}
	if _, ok, err := v.client.Find(t.Context(), "INC-7", "jira:OPS"); ok || err != nil {
		t.Errorf("found a deleted issue: %v, %v", ok, err)
	}
}
