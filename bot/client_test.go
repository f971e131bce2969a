package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slack-go/slack"
)

const botToken = "xoxb-1-secret"

// client returns a Client of a server with one handler, in memory: for use in
// virtual time.
func client(t *testing.T, h http.HandlerFunc, o ClientOptions) *Client {
	t.Helper()
	m := &memory{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: h}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(m) }()
	o.HTTP = NewHTTPClient()
	o.HTTP.Transport = &http.Transport{DialContext: m.dial, MaxIdleConnsPerHost: idlePerHost}
	o.APIURL = "http://slack.test/api"
	c, err := NewClient(botToken, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); _ = server.Close(); <-served })
	return c
}

func TestPostOnTheWire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var form url.Values
		c := client(t, func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			form = r.PostForm
			fmt.Fprint(w, `{"ok":true,"channel":"C1","ts":"1.000100"}`)
		}, ClientOptions{})
		m := Message{Text: "a &amp; b", Blocks: []slack.Block{slack.NewDividerBlock()}}
		ts, err := c.Post(t.Context(), "C1", m, PostOptions{ThreadTS: "0.9", Key: "card:1"})
		if err != nil || ts != "1.000100" {
			t.Fatalf("Post gave %q, %v", ts, err)
		}
		for field, want := range map[string]string{
			"channel": "C1", "text": "a &amp; b", "thread_ts": "0.9", "unfurl_links": "false", "unfurl_media": "false",
			"parse": "none", "link_names": "", "blocks": `[{"type":"divider"}]`,
			"metadata": `{"event_type":"dw_message","event_payload":{"key":"card:1"}}`,
		} {
			if got := form.Get(field); got != want {
				t.Errorf("%s is %s, want %s", field, got, want)
			}
		}
		if err := c.Update(t.Context(), "C1", ts, Message{Text: "closed"}); err != nil {
			t.Fatal(err)
		}
		if got := form.Get("blocks"); got != "[]" {
			t.Errorf("an update without blocks sent %q, which leaves the old buttons", got)
		}
	})
}

func TestPostEnds(t *testing.T) {
	t.Parallel()
	cut := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}
	say := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	cases := []struct {
		name   string
		answer http.HandlerFunc
		want   any // pointer to the error's type
	}{
		{"connection cut", cut, new(*UnclearError)},
		{"server error", say(500, "<html>"), new(*UnclearError)},
		{"no JSON", say(200, "<html>"), new(*UnclearError)},
		{"neither yes nor no", say(200, "{}"), new(*UnclearError)},
		{"fatal_error", say(200, `{"ok":false,"error":"fatal_error"}`), new(*UnclearError)},
		{"time-out", func(_ http.ResponseWriter, r *http.Request) { _ = r.ParseForm(); <-r.Context().Done() }, new(*UnclearError)},
		{"channel_not_found", say(200, `{"ok":false,"error":"channel_not_found"}`), new(*RefusedError)},
		{"redirect", say(302, ""), new(*RefusedError)},
		{"limit for ever", say(200, `{"ok":false,"error":"ratelimited"}`), new(*UnsentError)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int32
				cl := client(t, func(w http.ResponseWriter, r *http.Request) { calls.Add(1); c.answer(w, r) }, ClientOptions{})
				_, err := cl.Post(t.Context(), "C1", Message{Text: "x"}, PostOptions{})
				if err == nil || !errors.As(err, c.want) {
					t.Fatalf("Post gave %v, want a %T", err, c.want)
				}
				if _, limited := c.want.(**UnsentError); !limited && calls.Load() != 1 {
					t.Fatalf("sent %d times, want once", calls.Load())
				}
				if strings.Contains(err.Error(), botToken) {
					t.Fatal("the error shows the token")
				}
			})
		})
	}
}

func TestPostToNobody(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	_ = l.Close() // nobody listens there now
	c, err := NewClient(botToken, ClientOptions{APIURL: address})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Post(t.Context(), "C1", Message{Text: "x"}, PostOptions{})
	if _, ok := errors.AsType[*UnsentError](err); !ok {
		t.Fatalf("Post gave %v, want *UnsentError", err)
	}
}

func TestFault18PostHonoursRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		c := client(t, func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1) == 1 {
				w.Header().Set("Retry-After", "20")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			fmt.Fprint(w, `{"ok":true,"channel":"C1","ts":"1.1"}`)
		}, ClientOptions{})
		start := time.Now()
		if _, err := c.Post(t.Context(), "C1", Message{Text: "x"}, PostOptions{}); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited != 20*time.Second || calls.Load() != 2 {
			t.Fatalf("%d calls, the last after %s", calls.Load(), waited)
		}
	})
}

func TestPostDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := client(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusTooManyRequests)
		}, ClientOptions{MaxWait: 30 * time.Second})
		start := time.Now()
		_, err := c.Post(t.Context(), "C1", Message{Text: "x"}, PostOptions{})
		unsent, ok := errors.AsType[*UnsentError](err)
		if !ok || unsent.RetryAfter != 2*time.Minute || time.Since(start) > 30*time.Second {
			t.Fatalf("Post gave %v after %s", err, time.Since(start))
		}
	})
}

func TestUpdateIsRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		c := client(t, func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1) < maxTries {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			fmt.Fprint(w, `{"ok":true,"channel":"C1","ts":"1.1"}`)
		}, ClientOptions{})
		if err := c.Update(t.Context(), "C1", "1.1", Message{Text: "x"}); err != nil || calls.Load() != maxTries {
			t.Fatalf("Update gave %v after %d calls", err, calls.Load())
		}
	})
}

func TestMethodGateHoldsAllItsCallers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		c := client(t, func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1) == 1 {
				w.Header().Set("Retry-After", "10")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			fmt.Fprint(w, `{"ok":true,"channel":"C1","ts":"1.1"}`)
		}, ClientOptions{})
		start := time.Now()
		first := make(chan error)
		go func() { first <- c.Update(t.Context(), "C1", "1.1", Message{Text: "x"}) }()
		synctest.Wait()
		if err := c.Update(t.Context(), "C2", "1.1", Message{Text: "x"}); err != nil || time.Since(start) != 10*time.Second {
			t.Fatalf("another channel's update gave %v after %s", err, time.Since(start))
		}
		if err := <-first; err != nil {
			t.Fatal(err)
		}
	})
}

// unwritable is a block that cannot be encoded.
type unwritable struct{ slack.DividerBlock }

func (unwritable) MarshalJSON() ([]byte, error) { return nil, errors.New("no JSON") }

func TestPostRefusesBlocksItCannotWrite(t *testing.T) {
	t.Parallel()
	c, err := NewClient(botToken, ClientOptions{APIURL: "http://127.0.0.1:1/"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Post(t.Context(), "C1", Message{Blocks: []slack.Block{unwritable{}}}, PostOptions{})
	if r, ok := errors.AsType[*RefusedError](err); !ok || r.Code != "invalid_blocks" {
		t.Fatalf("Post gave %v", err)
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"channel_not_found", "not_in_channel", "is_archived", "invalid_auth", "not_authed", "token_revoked", "account_inactive",
		"missing_scope", "msg_too_long", "msg_blocks_too_long", "invalid_blocks", "message_not_found", "cant_update_message",
		"edit_window_closed", "expired_trigger_id", "view_too_large", "hash_conflict", "users_not_found", "user_not_in_channel",
		"expired_url", "used_url", "restricted_action",
	} {
		r := refusal("chat.postMessage", code, "d")
		if r.What == "" || r.Do == "" || strings.Contains(r.What, "no other reason") {
			t.Errorf("%s: %v", code, r)
		}
	}
	r := refusal("chat.postMessage", "brand_new", "")
	if !strings.Contains(r.Error(), "brand_new") || !strings.Contains(r.Error(), "chat.postMessage") || r.Do == "" {
		t.Errorf("an unknown code gave %v", r)
	}
}

func TestMissingScopeNamesTheScope(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := client(t, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"ok":false,"error":"missing_scope","needed":"chat:write","provided":"commands"}`)
		}, ClientOptions{})
		_, err := c.Post(t.Context(), "C1", Message{Text: "x"}, PostOptions{})
		if err == nil || !strings.Contains(err.Error(), "chat:write") {
			t.Fatalf("Post gave %v", err)
		}
	})
}

func TestRespond(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		status int
		body   string
		want   any
	}{
		{"ok", 200, "ok", nil},
		{"ok as JSON", 200, `{"ok":true}`, nil},
		{"used up", 404, `{"ok":false,"error":"used_url"}`, new(*RefusedError)},
		{"expired, as text", 404, "expired_url", new(*RefusedError)},
		{"bad blocks", 400, `{"ok":false,"error":"invalid_blocks"}`, new(*RefusedError)},
		{"refused with 200", 200, `{"ok":false,"error":"invalid_blocks"}`, new(*RefusedError)},
		{"server error", 503, "", new(*UnclearError)},
		{"nonsense", 200, "<html>", new(*UnclearError)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var got map[string]any
				cl := client(t, func(w http.ResponseWriter, r *http.Request) {
					_ = json.NewDecoder(r.Body).Decode(&got)
					if r.Header.Get("Authorization") != "" {
						t.Error("the token went to the response_url")
					}
					w.WriteHeader(c.status)
					fmt.Fprint(w, c.body)
				}, ClientOptions{})
				err := cl.Respond(t.Context(), "http://slack.test/hooks/very-secret", Message{Text: "hi"}, false)
				if (c.want == nil) != (err == nil) || c.want != nil && !errors.As(err, c.want) {
					t.Fatalf("Respond gave %v, want a %T", err, c.want)
				}
				if err != nil && strings.Contains(err.Error(), "very-secret") {
					t.Fatal("the error shows the address")
				}
				if got["text"] != "hi" || got["response_type"] != "ephemeral" || got["replace_original"] != false {
					t.Fatalf("sent %v", got)
				}
			})
		})
	}
}

func TestRespondOnlyToSlack(t *testing.T) {
	t.Parallel()
	c, err := NewClient(botToken, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for address, ok := range map[string]bool{
		"https://hooks.slack.com/commands/1":    true,
		"https://hooks.slack-gov.com/actions/1": true,
		"http://hooks.slack.com/commands/1":     false,
		"https://hooks.slack.com.evil.example/": false,
		"https://169.254.169.254/latest":        false,
		"":                                      false,
		"::":                                    false,
	} {
		if err := c.checkResponseURL(address); (err == nil) != ok {
			t.Errorf("%q: %v, want allowed %v", address, err, ok)
		}
	}
}

func TestRedirectDoesNotCarryTheToken(t *testing.T) {
	t.Parallel()
	var reached atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer elsewhere.Close()
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	}))
	defer here.Close()
	c, err := NewClient(botToken, ClientOptions{APIURL: here.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.AuthTest(t.Context()); err == nil || reached.Load() {
		t.Fatalf("AuthTest gave %v, token sent elsewhere: %v", err, reached.Load())
	}
}

func TestTokensDoNotPrint(t *testing.T) {
	t.Parallel()
	c, err := NewClient(botToken, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSocket(testToken, SocketOptions{
		Handler: handlerFunc(quiet), Log: discard(), Now: time.Now, Rand: func() float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	tok := newSecret(botToken)
	raw, err := json.Marshal(map[string]any{"t": tok})
	if err != nil {
		t.Fatal(err)
	}
	for _, printed := range []string{
		fmt.Sprintf("%v %+v %#v", c, c, c), fmt.Sprintf("%v %+v %#v %+v", s, s, s, s.api),
		fmt.Sprintf("%v %+v %#v %s %q", tok, tok, tok, tok, tok), string(raw),
	} {
		if strings.Contains(printed, "-secret") {
			t.Errorf("printed a token: %s", printed)
		}
	}
	if tok.reveal() != botToken {
		t.Error("the token itself is lost")
	}
}

func TestNewClientWantsAToken(t *testing.T) {
	t.Parallel()
	if _, err := NewClient("", ClientOptions{}); err == nil {
		t.Error("no error for an empty token")
	}
}

func TestFindByKeySkipsForeignMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := client(t, func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			meta := `"metadata":{"event_type":"dw_message","event_payload":{"key":"k1"}}`
			switch {
			case strings.HasSuffix(r.URL.Path, "auth.test"):
				fmt.Fprint(w, `{"ok":true,"team_id":"T1","user_id":"UBOT","bot_id":"BBOT"}`)
			case r.Header.Get("Authorization") != "Bearer "+botToken || r.PostForm.Get("include_all_metadata") != "true":
				fmt.Fprint(w, `{"ok":false,"error":"invalid_auth"}`)
			case r.PostForm.Get("cursor") == "":
				fmt.Fprint(w, `{"ok":true,"messages":[{"ts":"3.0","user":"UEVIL","bot_id":"BEVIL",`+meta+`},{"ts":"2.5","blocks":[{"type":7}],"metadata":[]}],"response_metadata":{"next_cursor":"more"}}`)
			default:
				fmt.Fprint(w, `{"ok":true,"messages":[{"ts":"2.0","user":"UBOT","bot_id":"BBOT",`+meta+`}]}`)
			}
		}, ClientOptions{})
		ts, found, err := c.FindByKey(t.Context(), "C1", "k1", "", time.Now())
		if err != nil || !found || ts != "2.0" {
			t.Fatalf("FindByKey gave %q, %v, %v, want dw's own message on the second page", ts, found, err)
		}
		if _, found, err = c.FindByKey(t.Context(), "C1", "other", "", time.Now()); err != nil || found {
			t.Fatalf("FindByKey of an unknown key gave %v, %v", found, err)
		}
	})
}

func TestFindByKeyWithoutScope(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := client(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "auth.test") {
				fmt.Fprint(w, `{"ok":true,"team_id":"T1","user_id":"UBOT"}`)
				return
			}
			fmt.Fprint(w, `{"ok":false,"error":"missing_scope","needed":"channels:history"}`)
		}, ClientOptions{})
		_, _, err := c.FindByKey(context.Background(), "C1", "k1", "1.0", time.Now())
		if _, ok := errors.AsType[*NoHistoryError](err); !ok {
			t.Fatalf("FindByKey gave %v, want *NoHistoryError", err)
		}
	})
}
