package jira

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Span is a run of text with one look. Make it by Text, Bold, Code or Href.
type Span struct {
	text string
	mark string // "", "strong", "code", "link"
	href string
}

// Text is plain text. Nothing in it is markup; a line break stays one.
func Text(s string) Span { return Span{text: clean(s)} }

// Bold is strong text.
func Bold(s string) Span { return Span{text: clean(s), mark: "strong"} }

// Code is monospaced text, for names and values.
func Code(s string) Span { return Span{text: clean(s), mark: "code"} }

// Href is text that opens a page. A URL that is not http or https with a host is
// shown as text behind the words and opens nothing.
func Href(text, target string) Span {
	text = clean(text)
	u, err := url.Parse(strings.TrimSpace(target))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return Span{text: strings.TrimSpace(text + " " + clean(target))}
	}
	if strings.TrimSpace(text) == "" {
		text = clean(u.String())
	}
	return Span{text: text, mark: "link", href: u.String()}
}

// clean keeps text valid: UTF-8, without control characters but the line break.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r != '\n' && unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
}

// Block is a paragraph or a list. Make it by Paragraph or Bullets.
type Block struct {
	bullets bool
	rows    [][]Span // a paragraph has one
}

// Paragraph is one paragraph.
func Paragraph(spans ...Span) Block { return Block{rows: [][]Span{spans}} }

// Bullets is a list with one item for each row.
func Bullets(rows ...[]Span) Block { return Block{bullets: true, rows: rows} }

// Doc is a document that the client sends as ADF to Cloud, as wiki text to Data
// Center and as plain text to a service desk.
type Doc struct{ blocks []Block }

// Document puts blocks into a document. Blocks without text are left out.
func Document(blocks ...Block) Doc {
	var d Doc
	for _, b := range blocks {
		rows := slices.DeleteFunc(slices.Clone(b.rows), func(row []Span) bool {
			return !slices.ContainsFunc(row, func(s Span) bool { return strings.TrimSpace(s.text) != "" })
		})
		if len(rows) > 0 {
			d.blocks = append(d.blocks, Block{bullets: b.bullets, rows: rows})
		}
	}
	return d
}

// with returns the document with more blocks behind its own.
func (d Doc) with(blocks ...Block) Doc {
	return Doc{blocks: append(slices.Clone(d.blocks), Document(blocks...).blocks...)}
}

// maxWiki keeps a document under the 32,767 characters that Jira takes, with room
// for the tag, counted in bytes of the wiki form, which is the longer one.
const maxWiki = 30000

// cut shortens a document to maxWiki and says so in its last paragraph.
func (d Doc) cut() Doc {
	left, out := maxWiki, Doc{}
	for _, b := range d.blocks {
		kept := Block{bullets: b.bullets}
		for _, row := range b.rows {
			fits, n := fit(row, left)
			kept.rows = append(kept.rows, fits)
			if left -= n; left < 0 {
				return out.with(kept, Paragraph(Text("… shortened by dw; the receipt has all of it.")))
			}
		}
		out = out.with(kept)
	}
	return out
}

// fit returns as much of a row as fits into the bytes left, and what all of it
// would take.
func fit(row []Span, left int) ([]Span, int) {
	n := 0
	var out []Span
	for _, s := range row {
		size := len(wikiText(s.text)) + len(s.href) + len("{*}{*}")
		if n += size; n <= left {
			out = append(out, s)
			continue
		}
		const entity = len("&#1234;")
		text := []rune(s.text)
		s.text = string(text[:min(len(text), max(0, left-n+size-len(s.href))/entity)])
		return append(out, s), n
	}
	return out, n
}

// node is a node of ADF.
type node struct {
	Type    string `json:"type"`
	Text    string `json:"text,omitempty"`
	Marks   []mark `json:"marks,omitempty"`
	Content []node `json:"content,omitempty"`
}

type mark struct {
	Type  string            `json:"type"`
	Attrs map[string]string `json:"attrs,omitempty"`
}

// MarshalJSON writes the document as ADF. Text is only ever the value of a text
// node, so that nothing in it can become markup.
func (d Doc) MarshalJSON() ([]byte, error) {
	root := struct {
		Type    string `json:"type"`
		Version int    `json:"version"`
		Content []node `json:"content"` // there even where empty, as ADF wants it
	}{Type: "doc", Version: 1, Content: []node{}}
	for _, b := range d.blocks {
		root.Content = append(root.Content, b.node())
	}
	return json.Marshal(root)
}

func (b Block) node() node {
	if !b.bullets {
		return paragraph(b.rows[0])
	}
	list := node{Type: "bulletList"}
	for _, row := range b.rows {
		list.Content = append(list.Content, node{Type: "listItem", Content: []node{paragraph(row)}})
	}
	return list
}

// paragraph writes spans; ADF knows no line break in a text and no empty text.
func paragraph(spans []Span) node {
	p := node{Type: "paragraph"}
	for _, s := range spans {
		for i, line := range strings.Split(s.text, "\n") {
			if i > 0 {
				p.Content = append(p.Content, node{Type: "hardBreak"})
			}
			if line != "" {
				p.Content = append(p.Content, node{Type: "text", Text: line, Marks: s.marks()})
			}
		}
	}
	return p
}

func (s Span) marks() []mark {
	switch s.mark {
	case "":
		return nil
	case "link":
		return []mark{{Type: "link", Attrs: map[string]string{"href": s.href}}}
	}
	return []mark{{Type: s.mark}}
}
