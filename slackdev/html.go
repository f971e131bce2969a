package slackdev

import (
	"html"
	"html/template"
	"net/url"
	"slices"
	"strings"
)

// node is a piece of HTML. Tags and attribute names are this package's own
// constants; every text and attribute value is escaped when it is written, so
// nothing that came from outside can become markup.
type node struct {
	tag   string // empty for text
	text  string
	attrs []string // name, value, name, value
	kids  []node
}

func txt(s string) node { return node{text: s} }

func el(tag string, attrs []string, kids ...node) node {
	return node{tag: tag, attrs: attrs, kids: kids}
}

// at lists attributes: name, value, name, value.
func at(pairs ...string) []string { return pairs }

func class(name string) []string { return []string{"class", name} }

func (n node) write(b *strings.Builder) {
	if n.tag == "" {
		b.WriteString(html.EscapeString(n.text))
	} else {
		b.WriteString("<" + n.tag)
		for i := 0; i+1 < len(n.attrs); i += 2 {
			b.WriteString(" " + n.attrs[i] + `="` + html.EscapeString(n.attrs[i+1]) + `"`)
		}
		b.WriteString(">")
	}
	for _, kid := range n.kids {
		kid.write(b)
	}
	if n.tag != "" && !slices.Contains([]string{"br", "input", "hr", "img"}, n.tag) {
		b.WriteString("</" + n.tag + ">")
	}
}

// markup writes nodes as HTML that templates take as it is.
func markup(nodes ...node) template.HTML {
	var b strings.Builder
	for _, n := range nodes {
		n.write(&b)
	}
	return template.HTML(b.String()) //nolint:gosec // escaped by node.write
}

// anchor is a link if the address is one a browser may open, else its text.
func anchor(address string, kids ...node) node {
	u, err := url.Parse(address)
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, u.Scheme) {
		return el("span", class("badlink"), kids...)
	}
	return el("a", at("href", address, "rel", "noopener noreferrer", "target", "_blank"), kids...)
}
