package jira_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"dw/connectors/jira"
)

func TestDocumentForms(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		doc              jira.Doc
		adf, wiki, plain string
	}{
		"empty": {jira.Document(jira.Paragraph(jira.Text(" "))), `{"type":"doc","version":1,"content":[]}`, "", ""},
		"marks": {
			jira.Document(jira.Paragraph(jira.Text("a "), jira.Bold("b"), jira.Code("c_d"), jira.Href("e", "https://f.example/g?h=1|2"))),
			`{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"a "},{"type":"text","text":"b","marks":[{"type":"strong"}]},{"type":"text","text":"c_d","marks":[{"type":"code"}]},{"type":"text","text":"e","marks":[{"type":"link","attrs":{"href":"https://f.example/g?h=1|2"}}]}]}]}`,
			"a {*}b{*}{{c&#95;d}}[e|https://f.example/g?h=1%7C2]", "a bc_de (https://f.example/g?h=1|2)",
		},
		"list with a break": {
			jira.Document(jira.Bullets([]jira.Span{jira.Text("a\nb")}, []jira.Span{jira.Text("")}, []jira.Span{jira.Text("c")})),
			`{"type":"doc","version":1,"content":[{"type":"bulletList","content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"a"},{"type":"hardBreak"},{"type":"text","text":"b"}]}]},{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"c"}]}]}]}]}`,
			"* a\nb\n* c", "* a\nb\n* c",
		},
		"markup stays text": {
			jira.Document(jira.Paragraph(jira.Text("h1. {color:red}\x00</script>"))),
			`{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"h1. {color:red}\u003c/script\u003e"}]}]}`,
			"h1&#46; &#123;color&#58;red&#125;&#60;/script&#62;", "h1. {color:red}</script>",
		},
		"a link that is none": {
			jira.Document(jira.Paragraph(jira.Href("click", "javascript:alert(1)"))),
			`{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"click javascript:alert(1)"}]}]}`,
			"click javascript&#58;alert&#40;1&#41;", "click javascript:alert(1)",
		},
		"a link with a password": {
			jira.Document(jira.Paragraph(jira.Href("a", "https://u:p@x.example"))),
			`{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"a https://u:p@x.example"}]}]}`,
			"a https&#58;//u&#58;p&#64;x.example", "a https://u:p@x.example",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			adf, err := json.Marshal(tc.doc)
			if err != nil || string(adf) != tc.adf {
				t.Errorf("ADF %s\nwant %s, %v", adf, tc.adf, err)
			}
			if got := tc.doc.Wiki(); got != tc.wiki {
				t.Errorf("wiki %q, want %q", got, tc.wiki)
			}
			if got := tc.doc.Plain(); got != tc.plain {
				t.Errorf("plain %q, want %q", got, tc.plain)
			}
		})
	}
}

// TestLongTextIsCutAndSaysSo: the stand-in refuses a text over Jira's limit.
func TestLongTextIsCutAndSaysSo(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"words": strings.Repeat("word ", 20000), "markup": strings.Repeat("{*}", 30000)} {
		for flavour, cloud := range map[string]bool{"Cloud": true, "Data Center": false} {
			t.Run(name+", "+flavour, func(t *testing.T) {
				t.Parallel()
				v := run(t, cloud, nil)
				_, err := v.client.Create(t.Context(), ticket(func(tk *jira.Ticket) {
					tk.Summary = strings.Repeat("s", 300)
					tk.Description = jira.Document(jira.Paragraph(jira.Text("First. "), jira.Text(text)), jira.Paragraph(jira.Text("last")))
				}))
				if err != nil {
					t.Fatal(err)
				}
				d := v.Issues()[0].Description()
				if !strings.Contains(d, "First. ") || !strings.Contains(d, "shortened by dw") || !strings.Contains(d, "Opened by dw for incident") || strings.Contains(d, "last\n") {
					t.Errorf("description of %d bytes ends in %q", len(d), d[max(0, len(d)-200):])
				}
				if len(d) < 4000 {
					t.Errorf("only %d bytes are left", len(d))
				}
			})
		}
	}
}

// rawWiki is what begins markup of wiki text.
var rawWiki = regexp.MustCompile(`[\\{}\[\]()*_+^~!|#<>@%:-]|(?m)^\s*(h[1-6]|bq)\.`)

// FuzzDocument: whatever the text, the document is valid JSON whose text nodes give
// the text back, and its wiki form holds no markup of the text.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{"", "plain", `"}],"type":"media`, "{noformat}*b*\nh1. x", "a\x00b\xff", "&#123;", "[x|javascript:y]", "line\r\nline\u2028", "a\n\n\nb", "bq. q"} {
		f.Add(seed, "https://x.example/"+seed)
	}
	f.Fuzz(func(t *testing.T, text, target string) {
		doc := jira.Document(
			jira.Paragraph(jira.Text(text), jira.Bold(text), jira.Code(text)),
			jira.Bullets([]jira.Span{jira.Href(text, target)}, []jira.Span{jira.Text(text)}),
		)
		raw, err := json.Marshal(doc)
		if err != nil || !json.Valid(raw) {
			t.Fatalf("no JSON: %v", err)
		}
		var tree map[string]any
		if err := json.Unmarshal(raw, &tree); err != nil {
			t.Fatal(err)
		}
		checkTree(t, tree)
		wiki := jira.Document(jira.Paragraph(jira.Text(text))).Wiki()
		if bare := regexp.MustCompile(`&#[0-9]+;`).ReplaceAllString(wiki, ""); rawWiki.MatchString(bare) || strings.ContainsAny(bare, "&") {
			t.Errorf("markup in %q", wiki)
		}
	})
}

// checkTree demands known nodes, and text only in text nodes.
func checkTree(t *testing.T, n map[string]any) {
	t.Helper()
	text, has := n["text"].(string)
	switch kind := n["type"]; {
	case kind == "text" && (!has || text == "" || strings.Contains(text, "\n")):
		t.Errorf("text %q", text)
	case kind != "text" && has:
		t.Errorf("text in %v", kind)
	case kind != "text" && kind != "doc" && kind != "paragraph" && kind != "bulletList" && kind != "listItem" && kind != "hardBreak":
		t.Errorf("unknown node %v", kind)
	}
	marks, _ := n["marks"].([]any)
	for _, m := range marks {
		m, _ := m.(map[string]any)
		attrs, _ := m["attrs"].(map[string]any)
		href, _ := attrs["href"].(string)
		if m["type"] == "link" && !strings.HasPrefix(href, "http://") && !strings.HasPrefix(href, "https://") {
			t.Errorf("link to %q", href)
		}
	}
	content, _ := n["content"].([]any)
	for _, child := range content {
		child, _ := child.(map[string]any)
		checkTree(t, child)
	}
}
