package pagerduty_test

import (
	"bytes"
	"context"
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
)

// shared is a path below the shared data, from this package's directory.
func shared(parts ...string) string {
	root := os.Getenv("DW_SHARED")
	switch {
	case root == "":
		root = filepath.Join("..", "..", "..", "shared")
	case !filepath.IsAbs(root):
		root = filepath.Join("..", "..", root)
	}
	return filepath.Join(append([]string{root}, parts...)...)
}

// needShared skips a test where the shared data is not there; in CI it fails.
func needShared(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing", path)
	}
	t.Skipf("%s is missing", path)
}

// vendorFiles are the vendor's descriptions, with the path that each is served
// under.
func vendorFiles() map[string]string {
	return map[string]string{
		shared("specs", "pagerduty", "rest-v2.subset.openapi.json"): "/",
		shared("specs", "pagerduty", "events-v2.openapi.json"):      "/v2",
	}
}

// description loads both once. It is nil where they are not there.
var description = sync.OnceValues(func() ([]routers.Router, error) {
	var all []routers.Router
	for file, server := range vendorFiles() {
		if _, err := os.Stat(file); os.IsNotExist(err) {
			return nil, nil
		}
		doc, err := openapi3.NewLoader().LoadFromFile(file)
		if err != nil {
			return nil, fmt.Errorf("load %s: %w", file, err)
		}
		doc.Servers = openapi3.Servers{{URL: server}}
		router, err := gorillamux.NewRouter(doc) // not doc.Validate: the vendor's own file fails it
		if err != nil {
			return nil, fmt.Errorf("route %s: %w", file, err)
		}
		all = append(all, router)
	}
	return all, nil
})

// contract validates each request and each answer that passes through it.
type contract struct {
	base    http.RoundTripper
	routers []routers.Router

	mu        sync.Mutex
	validated map[string]int
	broken    []error
}

// underContract wraps a transport. Where the descriptions are missing nothing is
// validated, and TestContract says so.
func underContract(t *testing.T, base http.RoundTripper) *contract {
	t.Helper()
	all, err := description()
	if err != nil {
		t.Fatal(err)
	}
	c := &contract{base: base, routers: all, validated: map[string]int{}}
	t.Cleanup(func() {
		for _, err := range c.broken {
			t.Errorf("outside the contract: %v", err)
		}
	})
	return c
}

func (c *contract) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.routers == nil {
		return c.base.RoundTrip(r)
	}
	input, err := c.request(r)
	if err != nil {
		return nil, c.fail(err)
	}
	res, err := c.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil || res.StatusCode >= 500 || strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		return res, err // a fault of the stand-in, which no description has
	}
	operation := input.Route.Operation.OperationID
	if err := validateAnswer(r.Context(), input, res, body); err != nil {
		return nil, c.fail(fmt.Errorf("answer %d of %s: %w", res.StatusCode, operation, err))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.validated[operation]++
	return res, nil
}

func (c *contract) fail(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = append(c.broken, err)
	return err
}

// options validate all but security, which the descriptions spell in words.
func options() *openapi3filter.Options {
	return &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true, IncludeResponseStatus: true}
}

// request validates a copy of a request and leaves its body readable.
func (c *contract) request(r *http.Request) (*openapi3filter.RequestValidationInput, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	again := r.Clone(r.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	for _, router := range c.routers {
		route, params, err := router.FindRoute(again)
		if err != nil {
			continue
		}
		input := &openapi3filter.RequestValidationInput{Request: again, PathParams: params, Route: route, Options: options()}
		if err := openapi3filter.ValidateRequest(r.Context(), input); err != nil {
			return nil, fmt.Errorf("request of %s: %w", route.Operation.OperationID, err)
		}
		return input, nil
	}
	return nil, fmt.Errorf("%s %s is no operation of the vendor's descriptions", r.Method, r.URL.Path)
}

func validateAnswer(ctx context.Context, input *openapi3filter.RequestValidationInput, res *http.Response, body []byte) error {
	answer := &openapi3filter.ResponseValidationInput{RequestValidationInput: input, Status: res.StatusCode, Header: res.Header, Options: options()}
	answer.SetBodyBytes(body)
	return openapi3filter.ValidateResponse(ctx, answer)
}

// TestContract makes each call of the client once and holds that every call that
// the stand-in saw was validated, both ways, against the vendor's descriptions.
func TestContract(t *testing.T) {
	t.Parallel()
	for file := range vendorFiles() {
		needShared(t, file)
	}
	v := start(t, nil)
	everyCall(t, v)
	want := []string{
		"createIncidentNote", "createV2Event", "getEscalationPolicy", "getIncident", "getUser", "listAbilities", "listIncidentAlerts",
		"listIncidentNotes", "listIncidents", "listOnCalls", "listScheduleUsers", "listServices", "listUsers", "updateIncidents",
	}
	got := v.contract.validated
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
		t.Errorf("validated %v, want %v", names, want)
	}
	if seen := v.Calls(); !maps.Equal(seen, got) {
		t.Errorf("the stand-in saw %v, validated were %v", seen, got)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		t.Logf("contract pagerduty %s %d", name, got[name])
	}
}

// TestOutsideTheContract proves that the net has no hole: what is not described
// does not pass, in either direction.
func TestOutsideTheContract(t *testing.T) {
	t.Parallel()
	for file := range vendorFiles() {
		needShared(t, file)
	}
	all, err := description()
	if err != nil {
		t.Fatal(err)
	}
	note := "/incidents/PT4KHLK/notes"
	for name, tc := range map[string]struct {
		method, path, from, body, answer string
		status                           int
		says                             string
	}{
		"as described":         {"POST", note, "ana@example.com", `{"note":{"content":"x"}}`, `{"note":{"content":"x"}}`, 200, ""},
		"no such operation":    {"POST", "/incidents/PT4KHLK/sing", "", `{}`, `{}`, 200, "no operation"},
		"no such method":       {"DELETE", note, "", ``, `{}`, 200, "no operation"},
		"no content":           {"POST", note, "ana@example.com", `{"note":{}}`, `{}`, 200, "content"},
		"no From":              {"POST", note, "", `{"note":{"content":"x"}}`, `{}`, 200, "From"},
		"event without action": {"POST", "/v2/enqueue", "", `{"routing_key":"k"}`, `{"status":"success"}`, 202, "event_action"},
		"odd answer":           {"POST", note, "ana@example.com", `{"note":{"content":"x"}}`, `{"note":{"id":"P1"}}`, 200, "content"},
		"odd status":           {"POST", note, "ana@example.com", `{"note":{"content":"x"}}`, `{}`, 418, "418"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := answering{tc.status, tc.answer}
			c := &contract{base: base, routers: all, validated: map[string]int{}}
			r, err := http.NewRequest(tc.method, "http://127.0.0.1:9"+tc.path, strings.NewReader(tc.body))
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range map[string]string{"Accept": "application/vnd.pagerduty+json;version=2", "Content-Type": "application/json", "From": tc.from} {
				if v != "" {
					r.Header.Set(k, v)
				}
			}
			_, err = c.RoundTrip(r)
			switch {
			case tc.says == "" && (err != nil || len(c.validated) != 1):
				t.Errorf("%v, %v", err, c.validated)
			case tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says) || len(c.validated) != 0 || len(c.broken) != 1):
				t.Errorf("%v with %v validated, want an error that says %q", err, c.validated, tc.says)
			}
		})
	}
}

// answering answers everything the same.
type answering struct {
	status int
	body   string
}

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(a.body)), Request: r}, nil
}
