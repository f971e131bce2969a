package jira_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"dw/connectors/jira"

	fake "dw/internal/fakes/jira"
)

// shared is where the vendors' descriptions and sample data are.
func shared() string {
	root := os.Getenv("DW_SHARED")
	if root == "" {
		return filepath.Join("..", "..", "..", "shared")
	}
	if !filepath.IsAbs(root) {
		return filepath.Join("..", "..", root)
	}
	return root
}

// sample reads a shared file, or skips; with CI=true its absence is a failure.
func sample(t *testing.T, elements ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{shared()}, elements...)...))
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatalf("a shared file is missing: %v", err)
	}
	if err != nil {
		t.Skipf("a shared file is missing: %v", err)
	}
	return text
}

// descriptions loads the vendor's descriptions once; they are read only.
var descriptions = sync.OnceValues(func() ([]routers.Router, error) {
	var out []routers.Router
	for _, file := range []string{"platform-v3.subset.openapi.json", "jsm.openapi.json"} {
		doc, err := openapi3.NewLoader().LoadFromFile(filepath.Join(shared(), "specs", "jira", file))
		if err != nil {
			return nil, err
		}
		// The vendor's files fail doc.Validate and route all the same.
		doc.Servers = openapi3.Servers{{URL: "http://contract.test"}}
		router, err := gorillamux.NewRouter(doc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, router)
	}
	return out, nil
})

// contract is a transport that validates each request and each answer against the
// vendor's descriptions.
type contract struct {
	base    http.RoundTripper
	routers []routers.Router
	fail    func(format string, args ...any)

	mu        sync.Mutex
	validated map[string]int // by operation
	broken    bool           // the test breaks answers on purpose
}

// judged puts the descriptions over a transport, where they are there. With
// CI=true their absence is a failure; elsewhere TestContract counts the skip.
func judged(t *testing.T, base http.RoundTripper) *contract {
	t.Helper()
	routers, err := descriptions()
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatalf("the vendor's descriptions are missing: %v", err)
	}
	return &contract{base: base, routers: routers, fail: t.Errorf, validated: map[string]int{}}
}

// RoundTrip validates, sends, and validates.
func (c *contract) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.routers == nil {
		return c.base.RoundTrip(r)
	}
	in, body, err := c.request(r)
	if err != nil {
		c.fail("unvalidated call %s %s: %v", r.Method, r.URL.Path, err)
		return nil, err
	}
	sent := r.Clone(r.Context())
	sent.Body = io.NopCloser(bytes.NewReader(body))
	res, err := c.base.RoundTrip(sent)
	if err != nil {
		return nil, err // no answer to validate
	}
	return res, c.answer(in, res)
}

// request validates a request; its URL is put on the description's server.
func (c *contract) request(r *http.Request) (*openapi3filter.RequestValidationInput, []byte, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, nil, err
		}
	}
	asked := r.Clone(context.WithoutCancel(r.Context()))
	asked.URL.Scheme, asked.URL.Host, asked.Host = "http", "contract.test", "contract.test"
	asked.Body = io.NopCloser(bytes.NewReader(body))
	in := &openapi3filter.RequestValidationInput{Request: asked, Options: &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true, SkipSettingDefaults: true,
		ExcludeRequestBody: len(body) == 0, RejectWhenRequestBodyNotSpecified: true,
	}}
	for _, router := range c.routers {
		route, params, err := router.FindRoute(asked)
		if err != nil {
			continue
		}
		in.Route, in.PathParams = route, params
		if err := openapi3filter.ValidateRequest(asked.Context(), in); err != nil {
			c.fail("contract: %s: request %s: %s", route.Operation.OperationID, body, brief(err))
		}
		c.byHand(route.Operation.OperationID, body)
		return in, body, nil
	}
	return nil, nil, fmt.Errorf("no description has it")
}

// brief leaves out the schema that kin-openapi writes behind the reason.
func brief(err error) string {
	reason, _, _ := strings.Cut(err.Error(), "Schema:")
	return strings.TrimSpace(reason)
}

// byHand checks what the description leaves open: rich text is an ADF document.
func (c *contract) byHand(operation string, body []byte) {
	var in struct {
		Fields struct{ Description json.RawMessage }
		Body   json.RawMessage
	}
	if operation != "createIssue" && operation != "addComment" {
		return
	}
	if err := json.Unmarshal(body, &in); err != nil {
		c.fail("contract: %s: %v", operation, err)
		return
	}
	text := in.Body
	if operation == "createIssue" {
		text = in.Fields.Description
	}
	if !bytes.HasPrefix(text, []byte(`{"type":"doc","version":1,"content":[`)) {
		c.fail("contract: %s: its text is no ADF document: %s", operation, text)
	}
}

// answer validates an answer and counts the operation.
func (c *contract) answer(in *openapi3filter.RequestValidationInput, res *http.Response) error {
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	options := *in.Options
	options.ExcludeResponseBody = len(body) == 0 && res.StatusCode == http.StatusNoContent
	err = openapi3filter.ValidateResponse(in.Request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: res.StatusCode, Header: res.Header, Body: io.NopCloser(bytes.NewReader(body)), Options: &options,
	})
	if err != nil && !c.broken {
		c.fail("contract: %s: answer %d %s: %s", in.Route.Operation.OperationID, res.StatusCode, body, brief(err))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.validated[in.Route.Operation.OperationID]++
	return nil
}

// TestContract makes every call that the connector makes and has each request and
// answer validated.
func TestContract(t *testing.T) {
	t.Parallel()
	sample(t, "specs", "jira", "platform-v3.subset.openapi.json")
	sample(t, "specs", "jira", "jsm.openapi.json")
	v := start(t, nil)
	tour(t, v)
	// What the connector does not call in a tour without trouble.
	if _, err := v.client.Create(t.Context(), ticket(func(tk *jira.Ticket) { tk.Project = "OPZ" })); err == nil {
		t.Error("an unknown project was taken")
	}
	want := []string{
		"addComment", "createCustomerRequest", "createIssue", "createOrUpdateRemoteIssueLink", "doTransition", "editIssue", "getComments",
		"getCreateIssueMetaIssueTypeId", "getCreateIssueMetaIssueTypes", "getCurrentUser", "getIssue", "getRemoteIssueLinks",
		"getRequestTypeFields", "getRequestTypes", "getServiceDesks", "getTransitions", "searchAndReconsileIssuesUsingJqlPost",
		"searchProjects", "setIssueProperty",
	}
	got := slices.Sorted(maps.Keys(v.contract.validated))
	if !slices.Equal(got, want) {
		t.Errorf("validated %v, want %v", got, want)
	}
	for _, operation := range got {
		t.Logf("contract jira %s %d", operation, v.contract.validated[operation])
	}
}

// tour makes each call of the client once, against what Create and Request opened.
func tour(t *testing.T, v vendor) {
	t.Helper()
	ctx := t.Context()
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	name, err := v.client.Account(ctx)
	must("account", err)
	if name != "dw" {
		t.Errorf("account %q", name)
	}
	issue, err := v.client.Create(ctx, ticket(nil))
	must("create", err)
	if v.contract != nil {
		_, err = v.client.Request(ctx, serviceRequest(nil))
		must("request", err)
	}
	link := jira.RemoteLink{GlobalID: "dw=r1", URL: "https://dw.example/receipts/r1", Title: "Receipt r1", Summary: "signed"}
	must("link", v.client.Link(ctx, issue.Key, link))
	have, ok, err := v.client.ReadLink(ctx, issue.Key, link.GlobalID)
	must("read link", err)
	if !ok || have != link {
		t.Errorf("link %+v, want %+v", have, link)
	}
	id, err := v.client.Comment(ctx, issue.Key, jira.Document(jira.Paragraph(jira.Bold("Approved"))), "dw:c1")
	must("comment", err)
	found, ok, err := v.client.FindComment(ctx, issue.Key, "dw:c1")
	must("find comment", err)
	if !ok || found != id {
		t.Errorf("comment %q, want %q", found, id)
	}
	must("title", v.client.SetSummary(ctx, issue.Key, "orders were wrong"))
	must("transition", v.client.Transition(ctx, issue.Key, "done"))
	again, ok, err := v.client.Find(ctx, "INC-7", "jira:OPS")
	must("find", err)
	if !ok || again.Key != issue.Key || again.Category != "done" || again.Summary != "orders were wrong" {
		t.Errorf("found %+v, want %s done, under its new title", again, issue.Key)
	}
}

// TestContractFails proves that the validation can fail.
func TestContractFails(t *testing.T) {
	t.Parallel()
	sample(t, "specs", "jira", "platform-v3.subset.openapi.json")
	v := start(t, nil)
	for name, tc := range map[string]struct{ method, path, body, says string }{
		"unknown route":      {"GET", "/rest/api/3/nothing", "", "unvalidated call"},
		"REST v2":            {"GET", "/rest/api/2/myself", "", "unvalidated call"},
		"no object":          {"POST", "/rest/api/3/issue/OPS-1/remotelink", `{"globalId":"g"}`, `"object" is missing`},
		"fields a text":      {"POST", "/rest/api/3/issue", `{"fields":"x"}`, "must be an object"},
		"description a text": {"POST", "/rest/api/3/issue", `{"fields":{"description":"x"}}`, "no ADF document"},
		"unknown key":        {"POST", "/rest/api/3/search/jql", `{"jql":"project = OPS","startAt":0}`, "startAt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said []string
			c := judged(t, v.contract.base)
			c.fail = func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
			r, err := http.NewRequestWithContext(t.Context(), tc.method, v.url+tc.path, strings.NewReader(tc.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			if res, err := c.RoundTrip(r); err == nil {
				res.Body.Close()
			}
			if all := strings.Join(said, "\n"); !strings.Contains(all, tc.says) {
				t.Errorf("said %q, want %q in it", all, tc.says)
			}
		})
	}
}

// TestAnswersOfRealServers reads answers that real servers gave.
func TestAnswersOfRealServers(t *testing.T) {
	t.Parallel()
	moves := sample(t, "fixtures", "jira", "transitions.json")
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/transitions") {
			w.Write(moves)
			return
		}
		io.WriteString(w, `{"id":"1","key":"OPS-1","fields":{"summary":"s","status":{"name":"Open","statusCategory":{"key":"new"}}}}`)
	})
	err := client.Transition(t.Context(), "OPS-1", "Done")
	if want := `possible: Close Issue (to In Progress), QA Review (to Closed)`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

var _ http.Handler = (*fake.Server)(nil)
