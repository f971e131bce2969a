package jira

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
)

// Wiki writes the document as the wiki text of Data Center. Characters that wiki
// text gives a meaning are written as entities, which have none.
func (d Doc) Wiki() string {
	return d.lines(func(s Span) string {
		text := wikiText(s.text)
		switch s.mark {
		case "strong":
			return eachLine(text, "{*}", "{*}")
		case "code":
			return eachLine(text, "{{", "}}")
		case "link":
			return "[" + strings.ReplaceAll(text, "\n", " ") + "|" + wikiURL.Replace(s.href) + "]"
		}
		return text
	})
}

// Plain writes the document as plain text, with URLs behind their words.
func (d Doc) Plain() string {
	return d.lines(func(s Span) string {
		if s.mark == "link" && s.text != s.href {
			return s.text + " (" + s.href + ")"
		}
		return s.text
	})
}

func (d Doc) lines(write func(Span) string) string {
	var blocks []string
	for _, b := range d.blocks {
		var rows []string
		for _, row := range b.rows {
			var line strings.Builder
			if b.bullets {
				line.WriteString("* ")
			}
			for _, s := range row {
				line.WriteString(write(s))
			}
			rows = append(rows, line.String())
		}
		blocks = append(blocks, strings.Join(rows, "\n"))
	}
	return strings.Join(blocks, "\n\n")
}

// wikiSpecial is what wiki text gives a meaning, and what begins an entity.
const wikiSpecial = `\{}[]()*_-+^~!|?#&<>@%:;`

// wikiBlock begins a heading or a quote at the start of a line.
var wikiBlock = regexp.MustCompile(`(?m)^(\s*)(h[1-6]|bq)\.`)

func wikiText(s string) string {
	s = wikiBlock.ReplaceAllString(s, "$1$2\x00")
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == 0:
			b.WriteString("&#46;")
		case strings.ContainsRune(wikiSpecial, r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// wikiURL keeps a URL from ending the link that it is in.
var wikiURL = strings.NewReplacer("|", "%7C", "[", "%5B", "]", "%5D", "{", "%7B", "}", "%7D", "!", "%21", "*", "%2A", " ", "%20", "\n", "")

// eachLine puts marks around each line: they do not reach over a break.
func eachLine(s, open, end string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) != "" {
			lines[i] = open + l + end
		}
	}
	return strings.Join(lines, "\n")
}

// flat is the text of a rich field as Jira answers it: a string on Data Center,
// with the entities of Wiki, an ADF document on Cloud.
func flat(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return html.UnescapeString(text)
	}
	var n node
	if json.Unmarshal(raw, &n) != nil {
		return ""
	}
	return n.flat()
}

func (n node) flat() string {
	var text strings.Builder
	text.WriteString(n.Text)
	for _, child := range n.Content {
		text.WriteString(child.flat())
	}
	if n.Type == "paragraph" {
		text.WriteString("\n")
	}
	return text.String()
}
