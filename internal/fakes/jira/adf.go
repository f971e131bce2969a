package jira

import (
	"encoding/json"
	"fmt"
	"strings"
)

// adfNode is a node of an Atlassian document.
type adfNode struct {
	Type    string    `json:"type"`
	Version *int      `json:"version"`
	Text    *string   `json:"text"`
	Marks   []adfMark `json:"marks"`
	Content []adfNode `json:"content"`
}

type adfMark struct {
	Type  string `json:"type"`
	Attrs struct {
		Href string `json:"href"`
	} `json:"attrs"`
}

// children lists what each node may hold; a node that is not a key is refused.
func children(kind string) ([]string, bool) {
	inside, known := map[string][]string{
		"doc":         {"paragraph", "bulletList", "orderedList", "heading", "codeBlock", "rule"},
		"paragraph":   {"text", "hardBreak"},
		"heading":     {"text", "hardBreak"},
		"codeBlock":   {"text"},
		"bulletList":  {"listItem"},
		"orderedList": {"listItem"},
		"listItem":    {"paragraph", "bulletList", "orderedList", "codeBlock"},
		"text":        nil, "hardBreak": nil, "rule": nil,
	}[kind]
	return inside, known
}

// checkADF refuses what is no document. The published description of the API does
// not: it leaves the fields open.
func checkADF(raw json.RawMessage) error {
	var doc adfNode
	if err := json.Unmarshal(raw, &doc); err != nil {
		return fmt.Errorf("no document: %w", err)
	}
	if doc.Type != "doc" || doc.Version == nil || *doc.Version != 1 || doc.Content == nil {
		return fmt.Errorf("a document has type doc, version 1 and content")
	}
	return doc.check()
}

func (n adfNode) check() error {
	inside, known := children(n.Type)
	if !known {
		return fmt.Errorf("unknown node %q", n.Type)
	}
	if n.Type == "text" {
		return n.checkText()
	}
	if (strings.HasSuffix(n.Type, "List") || n.Type == "listItem") && len(n.Content) == 0 {
		return fmt.Errorf("%s is empty", n.Type)
	}
	for _, child := range n.Content {
		if !strings.Contains(" "+strings.Join(inside, " ")+" ", " "+child.Type+" ") {
			return fmt.Errorf("%s in %s", child.Type, n.Type)
		}
		if err := child.check(); err != nil {
			return err
		}
	}
	return nil
}

func (n adfNode) checkText() error {
	if n.Text == nil || *n.Text == "" {
		return fmt.Errorf("text is empty")
	}
	for _, m := range n.Marks {
		switch m.Type {
		case "strong", "em", "code":
		case "link":
			if m.Attrs.Href == "" {
				return fmt.Errorf("link without href")
			}
		default:
			return fmt.Errorf("unknown mark %q", m.Type)
		}
		if m.Type == "code" && len(n.Marks) > 1 {
			return fmt.Errorf("code with another mark")
		}
	}
	return nil
}

// PlainText is the text of a rich field as it is stored: of an ADF document, or of
// a string. Paragraphs end in a line break.
func PlainText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var doc adfNode
	if json.Unmarshal(raw, &doc) != nil {
		return ""
	}
	return doc.plain()
}

func (n adfNode) plain() string {
	var b strings.Builder
	if n.Text != nil {
		b.WriteString(*n.Text)
	}
	for _, child := range n.Content {
		b.WriteString(child.plain())
	}
	if n.Type == "paragraph" || n.Type == "hardBreak" {
		b.WriteString("\n")
	}
	return b.String()
}

// rich checks a rich text as the flavour wants it and returns Jira's words against
// it.
func (s *Server) rich(raw json.RawMessage) string {
	var text string
	isText := json.Unmarshal(raw, &text) == nil
	switch {
	case !s.opts.Cloud && !isText:
		return "Operation value must be a string"
	case s.opts.Cloud && (isText || checkADF(raw) != nil):
		return "Operation value must be an Atlassian Document (see the Atlassian Document Format)"
	case len([]rune(PlainText(raw))) > 32767:
		return "The entered text is too long. It exceeds the allowed limit of 32,767 characters."
	}
	return ""
}
