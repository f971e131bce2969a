package slackdev_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dw/slackdev"
)

// spec is what is read of Slack's own description of the Web API.
type spec struct {
	Paths map[string]map[string]struct {
		Parameters []struct{ Name string }
		Responses  map[string]struct {
			Schema struct{ Required []string }
		}
	}
}

func loadSpec(t *testing.T) spec {
	t.Helper()
	shared := os.Getenv("DW_SHARED")
	if shared == "" {
		shared = "../shared"
	}
	if !filepath.IsAbs(shared) {
		shared = filepath.Join("..", shared)
	}
	f, err := os.Open(filepath.Join(shared, "specs", "slack", "slack_web_openapi_v2_2021.json.gz"))
	if os.IsNotExist(err) && os.Getenv("CI") != "true" {
		t.Skip("Slack's description of its Web API is not here; set DW_SHARED")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var s spec
	if err := json.NewDecoder(unzipped).Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAnswersHaveWhatSlackDescribes calls each method well once and looks for
// every key that Slack's description of 2021 requires in the answer.
func TestAnswersHaveWhatSlackDescribes(t *testing.T) {
	t.Parallel()
	described := loadSpec(t)
	b := setup(t, func(o *slackdev.Options) { o.Unlimited = true })
	r := b.dial(t).hello()
	ts := b.post(t, "text", "x")
	calls := map[string][]string{
		"auth.test":             nil,
		"chat.getPermalink":     {"channel", open, "message_ts", ts},
		"chat.postEphemeral":    {"channel", open, "user", ann, "text", "x"},
		"chat.postMessage":      {"channel", open, "text", "x"},
		"chat.update":           {"channel", open, "ts", ts, "text", "y"},
		"conversations.history": {"channel", open},
		"conversations.info":    {"channel", open},
		"conversations.members": {"channel", open},
		"conversations.open":    {"users", ann},
		"conversations.replies": {"channel", open, "ts", ts},
		"usergroups.list":       nil,
		"users.info":            {"user", ann},
		"users.list":            nil,
		"users.lookupByEmail":   {"email", "ann@acme.example"},
		"views.open":            {"trigger_id", b.trigger(t, r), "view", modal},
		"views.publish":         {"user_id", ann, "view", home},
	}
	for name, args := range calls {
		t.Run(name, func(t *testing.T) {
			answer := b.body(t, name, args)
			if answer["ok"] != true {
				t.Fatalf("%v", answer)
			}
			for _, operation := range described.Paths["/"+name] {
				for _, key := range operation.Responses["200"].Schema.Required {
					if _, ok := answer[key]; !ok {
						t.Errorf("the answer lacks %q", key)
					}
				}
				return
			}
			t.Error("Slack's description does not know the method")
		})
	}
}

func (b *bundle) body(t *testing.T, method string, args []string) map[string]any {
	t.Helper()
	form := url.Values{"token": {botToken}}
	for i := 0; i < len(args); i += 2 {
		form.Set(args[i], args[i+1])
	}
	r, err := http.NewRequestWithContext(b.ctx, http.MethodPost, b.APIURL()+method, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	_, _, raw := do(t, r)
	var answer map[string]any
	if err := json.Unmarshal([]byte(raw), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestBodiesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cases := map[string]struct{ kind, body, want string }{
		"JSON cut short":  {"application/json", `{"channel":`, "invalid_json"},
		"a JSON array":    {"application/json", `[1]`, "json_not_object"},
		"a broken form":   {"application/x-www-form-urlencoded", "%zz", "invalid_form_data"},
		"plain text":      {"text/plain", "hello", "invalid_post_type"},
		"multipart mess":  {"multipart/form-data; boundary=x", "hello", "invalid_form_data"},
		"over a megabyte": {"application/json", `"` + strings.Repeat("x", 1<<20) + `"`, "request_too_large"},
		"multipart":       {"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + botToken + "\r\n--x--\r\n", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(b.ctx, http.MethodPost, b.APIURL()+"auth.test", io.NopCloser(strings.NewReader(c.body)))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", c.kind)
			if a := b.send(t, r); a.Error != c.want {
				t.Errorf("error %q, want %q", a.Error, c.want)
			}
		})
	}
}
