package slackdev_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"dw/slackdev"
)

// get fetches a path of the page.
func (b *bundle) get(t *testing.T, path string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(b.ctx, http.MethodGet, b.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return do(t, r)
}

func do(t *testing.T, r *http.Request) (int, http.Header, string) {
	t.Helper()
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(raw)
}

func at(user, channel, thread string) string {
	return "/?" + url.Values{"user": {user}, "channel": {channel}, "thread": {thread}}.Encode()
}

func TestPageDrawsBlocks(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ blocks, want string }{
		"header":      {`{"type":"header","text":{"type":"plain_text","text":":warning: Late"}}`, `⚠️ Late</span></h3>`},
		"bold":        {section("a *b c* d"), "a <b>b c</b> d"},
		"italic":      {section("_b_"), "<i>b</i>"},
		"strike":      {section("~b~"), "<s>b</s>"},
		"snake_case":  {section("fct_ticket_orders"), "fct_ticket_orders"},
		"code":        {section("`a*b*`"), "<code>a*b*</code>"},
		"code block":  {section("```x < y```"), "<pre>x &lt; y</pre>"},
		"quote":       {section(`&gt; said`), "<blockquote><div>said</div></blockquote>"},
		"link":        {section("<https://example.com/?a=1&amp;b=2|the run>"), `href="https://example.com/?a=1&amp;b=2"`},
		"user":        {section("<@" + ann + ">"), `<span class="mention">@Ann Ode</span>`},
		"channel":     {section("<#" + open + ">"), `<span class="mention">#open</span>`},
		"broadcast":   {section("<!channel>"), `<span class="mention loud">@channel</span>`},
		"date":        {section("<!date^1772366400^{date_num} {time}|then>"), "2026-03-01 13:00</time>"},
		"escaped":     {section("&lt;!channel&gt; &amp;"), "&lt;!channel&gt; &amp;"},
		"script":      {section("<script>alert(1)</script>"), `alert(1)`},
		"bad link":    {section("<javascript:alert(1)|x>"), `<span class="badlink">x</span>`},
		"fields":      {`{"type":"section","fields":[{"type":"mrkdwn","text":"*A*"},{"type":"plain_text","text":"*B*"}]}`, `<span class="plain">*B*</span>`},
		"context":     {`{"type":"context","elements":[{"type":"mrkdwn","text":"seen _now_"}]}`, `<div class="b-context">`},
		"button":      {approveBlocks[1 : len(approveBlocks)-1], `class="btn primary" type="button" data-act="click" data-action="approve"`},
		"select":      {approveBlocks[1 : len(approveBlocks)-1], `<option value="later">Later</option>`},
		"rich text":   {`{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"*no* <b>","style":{"bold":true}}]}]}`, `<b>*no* &lt;b&gt;</b>`},
		"rich list":   {`{"type":"rich_text","elements":[{"type":"rich_text_list","style":"ordered","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"one"}]}]}]}`, `<ol><li>`},
		"diff":        {`{"type":"rich_text","elements":[{"type":"rich_text_preformatted","language":"diff","elements":[{"type":"text","text":"-a\n+b\n c"}]}]}`, `<span class="add">+b`},
		"table":       {`{"type":"table","rows":[[{"type":"raw_text","text":"<i>"}]]}`, `<td>&lt;i&gt;</td>`},
		"image":       {`{"type":"image","image_url":"https://example.com/i.png","alt_text":"trend"}`, `>trend</a>`},
		"markdown":    {`{"type":"markdown","text":"# <b>raw</b>"}`, `# &lt;b&gt;raw&lt;/b&gt;</div>`},
		"input label": {`{"type":"input","label":{"type":"plain_text","text":"Why?"},"element":{"type":"plain_text_input"}}`, `Why?`},
	}
	b := setup(t, func(o *slackdev.Options) { o.Unlimited = true })
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			raw, err := json.Marshal(json.RawMessage("[" + c.blocks + "]"))
			if err != nil {
				t.Fatal(err)
			}
			b.post(t, "text", "x", "blocks", string(raw))
			status, _, page := b.get(t, at(ann, open, ""))
			last := page[strings.LastIndex(page, `<article class="message`):]
			if status != 200 || !strings.Contains(last, c.want) {
				t.Errorf("status %d, no %q in %s", status, c.want, last)
			}
			if strings.Contains(page, "<script>") || strings.Contains(page, "href=\"javascript") {
				t.Error("foreign markup in the page")
			}
		})
	}
}

func TestPageShowsEachUserTheirOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	root := b.post(t, "text", "the root")
	b.post(t, "text", "the reply", "thread_ts", root)
	if a := b.call(t, "chat.postEphemeral", "channel", open, "user", bob, "text", "for bob"); !a.OK {
		t.Fatal(a)
	}
	if a := b.call(t, "chat.update", "channel", open, "ts", root, "text", "the new root"); !a.OK {
		t.Fatal(a)
	}
	if a := b.call(t, "chat.postEphemeral", "channel", inside, "user", ann, "text", "whispered inside"); !a.OK {
		t.Fatal(a)
	}
	cases := map[string]struct {
		path           string
		shows, conceal []string
	}{
		"bob":         {at(bob, open, ""), []string{"for bob", "Only visible to you", "the new root", "(edited)", "1 reply"}, []string{"the reply", "secret"}},
		"ann":         {at(ann, open, ""), []string{"the new root", "🔒 secret"}, []string{"for bob", "Only visible to you", "whispered inside"}},
		"thread":      {at(ann, open, root), []string{"the reply", `aria-label="Thread"`}, nil},
		"guest":       {at(guest, open, ""), []string{"gus (guest)", "App Home"}, []string{"the new root", "# open"}},
		"a stranger":  {at(foreign, "", ""), []string{"fay (other company)"}, []string{"the new root"}},
		"no app":      {at(ann, open, ""), []string{"no app connected"}, nil},
		"Home":        {at(ann, "home", ""), []string{"published no Home"}, []string{"composer"}},
		"the default": {"/", []string{"You are:", "# open"}, []string{"gone"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			status, _, page := b.get(t, c.path)
			if status != 200 {
				t.Fatalf("status %d: %s", status, page)
			}
			for _, want := range c.shows {
				if !strings.Contains(page, want) {
					t.Errorf("the page does not show %q", want)
				}
			}
			for _, hidden := range c.conceal {
				if strings.Contains(page, hidden) {
					t.Errorf("the page shows %q", hidden)
				}
			}
		})
	}
	if status, _, _ := b.get(t, at("U0", open, "")); status != http.StatusNotFound {
		t.Errorf("an unknown person: status %d", status)
	}
}

func TestPageShowsTheModalWithErrors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	view := b.openModal(t, b.dial(t).hello())
	if _, err := b.Submit(b.ctx, ann, view, nil); err != nil {
		t.Fatal(err)
	}
	_, _, page := b.get(t, at(ann, open, ""))
	for _, want := range []string{
		`role="dialog"`, "Reject</h2>", `data-view="` + view + `"`, `data-block="why"`, `type="checkbox"`, "Wrong cause",
		"Please complete this required field.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if _, _, other := b.get(t, at(bob, open, "")); strings.Contains(other, `role="dialog"`) {
		t.Error("bob sees ann's modal")
	}
}

func TestPageLoadsNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, header, page := b.get(t, "/")
	if csp := header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'self';") {
		t.Errorf("policy %q", csp)
	}
	if strings.Contains(page, "src=\"http") || strings.Contains(page, " style=") || strings.Contains(page, " onclick=") {
		t.Error("the page has foreign sources or inline code")
	}
	for _, file := range []string{"page.css", "page.js", "icon.svg"} {
		if status, _, _ := b.get(t, "/assets/"+file); status != 200 {
			t.Errorf("%s: status %d", file, status)
		}
	}
	for _, file := range []string{"page.html", "nothing"} {
		if status, _, _ := b.get(t, "/assets/"+file); status != 404 {
			t.Errorf("%s: status %d", file, status)
		}
	}
}

// act posts an act as a script or the page would.
func (b *bundle) act(t *testing.T, name, body string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(b.ctx, http.MethodPost, b.URL()+"/_dev/"+name, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	status, _, answer := do(t, r)
	return status, answer
}

func TestActsOverHTTP(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ts := b.post(t, "text", "x", "blocks", approveBlocks)
	command := `{"user":"` + ann + `","channel":"` + open + `","text":"/dw help"}`
	click := `{"user":"` + ann + `","channel":"` + open + `","ts":"` + ts + `","action":"approve"}`
	same := []string{"Sec-Fetch-Site", "same-origin"}
	cross := []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}
	if status, body := b.act(t, "command", command, same...); status != 200 || !strings.Contains(body, slackdev.NotDelivered) {
		t.Errorf("without an app: %d %s", status, body)
	}
	r := b.dial(t).hello()
	got := r.app(`{"text":"help"}`, `{}`)
	if status, body := b.act(t, "command", command, same...); status != 200 || !strings.Contains(body, `"acked":true`) {
		t.Errorf("command: %d %s", status, body)
	}
	<-got
	if status, body := b.act(t, "click", click); status != 200 || !strings.Contains(body, `"acked":true`) {
		t.Errorf("click: %d %s", status, body)
	}
	<-got
	said := `{"user":"` + ann + `","channel":"` + open + `","text":"hello"}`
	if status, body := b.act(t, "say", said, same...); status != 200 || !strings.Contains(body, `"acked":true`) {
		t.Errorf("say: %d %s", status, body)
	}
	if m := b.Messages(open); m[len(m)-1].Text != "hello" || m[len(m)-1].User != ann {
		t.Errorf("said: %+v", m)
	}
	refusals := map[string]struct {
		act, body string
		headers   []string
		status    int
	}{
		"from another site": {"click", click, cross, http.StatusForbidden},
		"unknown act":       {"explode", click, same, http.StatusNotFound},
		"no JSON":           {"click", "user=x", same, http.StatusBadRequest},
		"unknown field":     {"click", `{"usr":"x"}`, same, http.StatusBadRequest},
		"impossible":        {"click", `{"user":"U0"}`, same, http.StatusBadRequest},
	}
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			if status, body := b.act(t, c.act, c.body, c.headers...); status != c.status {
				t.Errorf("status %d, want %d: %s", status, c.status, body)
			}
		})
	}
}

func TestForeignHostNamesAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for host, want := range map[string]int{"evil.example": 403, "localhost:80": 200, "127.0.0.1": 200, "[::1]:80": 200} {
		r, err := http.NewRequestWithContext(b.ctx, http.MethodGet, b.URL()+"/_dev/state", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		if status, _, _ := do(t, r); status != want {
			t.Errorf("%s: status %d, want %d", host, status, want)
		}
	}
}

func TestStateHoldsNoTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.post(t, "text", "x")
	_, _, body := b.get(t, "/_dev/state")
	var snap slackdev.Snapshot
	if err := json.Unmarshal([]byte(body), &snap); err != nil {
		t.Fatal(err)
	}
	if m := snap.Channel(open).Messages; len(m) != 1 || m[0].Text != "x" {
		t.Errorf("messages: %+v", m)
	}
	if strings.Contains(body, botToken) || strings.Contains(body, appToken) {
		t.Error("the state tells a token")
	}
}

func TestPageIsToldOfChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r, err := http.NewRequestWithContext(b.ctx, http.MethodGet, b.URL()+"/_dev/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(resp.Body)
	next := func() string {
		for lines.Scan() {
			if lines.Text() != "" {
				return lines.Text()
			}
		}
		t.Fatal("the stream ended:", lines.Err())
		return ""
	}
	first := next()
	b.post(t, "text", "x")
	if second := next(); !strings.HasPrefix(second, "data: ") || second == first {
		t.Errorf("told %q, then %q", first, second)
	}
}
