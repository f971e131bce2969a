package slackdev

import (
	"encoding/json"
	"html"
	"strings"
	"testing"
)

// FuzzBlocks: whatever is sent, the check does not panic, and what it accepts
// can be stored, read back, accepted again and drawn without foreign markup.
func FuzzBlocks(f *testing.F) {
	for _, seed := range []string{
		`[]`, `[{"type":"divider"}]`, `[{"type":"section","text":{"type":"mrkdwn","text":"*a* <@U1> <b> ` + "`c`" + `"}}]`,
		`[{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"x"},"value":"v"}]}]`,
		`[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"<script>"}]}]}]`,
		`[{"type":"input","label":{"type":"plain_text","text":"l"},"element":{"type":"plain_text_input"}}]`,
		`[{"type":"table","rows":[[{"type":"raw_text","text":"\"><img>"}]]}]`, `[null]`, `[1]`, `{}`, `[{"type":null}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		s := &Server{check: newSchema()}
		stored, refused := s.messageBlocks([]byte(raw))
		if refused != nil || stored == nil {
			return
		}
		if !json.Valid(stored) {
			t.Fatalf("stored blocks are no JSON: %s", stored)
		}
		var items []any
		if err := json.Unmarshal(stored, &items); err != nil || len(items) > maxMessageBlocks {
			t.Fatalf("stored %d blocks, %v", len(items), err)
		}
		drawn := string(markup(reader{}.blocks(stored, nil)...))
		if strings.Contains(drawn, "<script") || strings.Contains(drawn, "<img") {
			t.Fatalf("foreign markup in %s", drawn)
		}
	})
}

// FuzzMrkdwn: no text becomes markup of its own, and none of it is lost from a
// text without marks.
func FuzzMrkdwn(f *testing.F) {
	for _, seed := range []string{
		"*bold* _it_ ~s~ `c`", "<!channel>", "<https://a.example|x>", "<javascript:alert(1)|x>", "&gt; q", "```a```", "<", "*", "**",
		"<!date^1^{date}|x>", "<!date^", "<img src=x onerror=alert(1)>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		drawn := string(markup(reader{}.mrkdwn(s)...))
		for _, bad := range []string{"<script", "<img", "href=\"javascript", "<svg", "<iframe"} {
			if strings.Contains(strings.ToLower(drawn), bad) {
				t.Fatalf("%q drew %s", s, drawn)
			}
		}
		if !strings.ContainsAny(s, "*_~`<>&\n:") && html.UnescapeString(drawn) != html.UnescapeString(html.EscapeString(s)) {
			t.Fatalf("%q drew %q", s, drawn)
		}
	})
}
