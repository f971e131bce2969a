// Package lookml reads LookML projects: which table a view reads, which views an
// explore joins, which explores a dashboard asks, and through which fields.
package lookml

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// deepest bounds the nesting of blocks.
const deepest = 100

// node is one `key: value` of a file. A block has children; `key: name {…}` has
// a name, too; a list has items.
type node struct {
	key      string
	name     string
	value    string
	items    []string
	children []node
}

// all returns the children of a key.
func (n node) all(key string) []node {
	var out []node
	for _, c := range n.children {
		if c.key == key {
			out = append(out, c)
		}
	}
	return out
}

// text returns the value of the last child of a key, as a later one overrides.
func (n node) text(key string) string {
	out := ""
	for _, c := range n.children {
		if c.key == key {
			out = c.value
		}
	}
	return out
}

// one returns the last child of a key.
func (n node) one(key string) (node, bool) {
	all := n.all(key)
	if len(all) == 0 {
		return node{}, false
	}
	return all[len(all)-1], true
}

// parse reads a file in the grammar of LookML. The error names the line.
func parse(text string) (node, error) {
	if !utf8.ValidString(text) {
		return node{}, fmt.Errorf("it is not UTF-8")
	}
	p := parser{text: strings.TrimPrefix(text, "\ufeff"), line: 1}
	children, err := p.pairs(false, 0)
	if err != nil {
		return node{}, fmt.Errorf("line %d: %w", p.line, err)
	}
	return node{children: children}, nil
}

type parser struct {
	text string
	at   int
	line int
}

func (p *parser) rest() string { return p.text[p.at:] }

func (p *parser) advance(n int) {
	p.line += strings.Count(p.text[p.at:p.at+n], "\n")
	p.at += n
}

// space passes over blanks and comments.
func (p *parser) space() {
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.rest())
		switch {
		case unicode.IsSpace(r):
			p.advance(size)
		case r == '#':
			end := strings.IndexByte(p.rest(), '\n')
			if end < 0 {
				end = len(p.rest())
			}
			p.advance(end)
		default:
			return
		}
	}
}

// pairs reads up to the end of the file or, inside, of the block.
func (p *parser) pairs(inside bool, depth int) ([]node, error) {
	if depth > deepest {
		return nil, fmt.Errorf("blocks are nested more than %d deep", deepest)
	}
	var out []node
	for {
		p.space()
		switch {
		case p.at == len(p.text) && inside:
			return nil, fmt.Errorf("a block is not closed, the file may be truncated")
		case p.at == len(p.text):
			return out, nil
		case p.text[p.at] == '}' && inside:
			p.advance(1)
			return out, nil
		}
		n, err := p.pair(depth)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
}

func (p *parser) pair(depth int) (node, error) {
	key := p.name()
	p.space()
	if key == "" || p.at == len(p.text) || p.text[p.at] != ':' {
		return node{}, fmt.Errorf("want `key: value`, found %.20q", p.rest())
	}
	p.advance(1)
	p.space()
	n := node{key: key}
	if p.at == len(p.text) {
		return node{}, fmt.Errorf("%s has no value, the file may be truncated", key)
	}
	if expression(key) {
		return p.expression(n)
	}
	return p.value(n, depth)
}

// expression says that the value of a key goes on up to `;;`.
func expression(key string) bool {
	switch key {
	case "html", "expression", "expression_custom_filter":
		return true
	}
	return key == "sql" || strings.HasPrefix(key, "sql_") && key != "sql_quote_identifiers"
}

func (p *parser) expression(n node) (node, error) {
	end := strings.Index(p.rest(), ";;")
	if end < 0 {
		return node{}, fmt.Errorf("%s is not closed by ;;", n.key)
	}
	n.value = strings.TrimSpace(p.rest()[:end])
	p.advance(end + 2)
	return n, nil
}

// value reads a text, a word, a list, or a block with or without a name.
func (p *parser) value(n node, depth int) (node, error) {
	var err error
	switch p.text[p.at] {
	case '"':
		n.value, err = p.quoted()
		return n, err
	case '[':
		p.advance(1)
		n.items, err = p.list(depth)
		return n, err
	case '{':
		p.advance(1)
		n.children, err = p.pairs(true, depth+1)
		return n, err
	}
	n.value = p.name()
	if n.value == "" {
		return node{}, fmt.Errorf("%s has no value, found %.20q", n.key, p.rest())
	}
	before, line := p.at, p.line
	p.space()
	if p.at < len(p.text) && p.text[p.at] == '{' {
		n.name, n.value = n.value, ""
		p.advance(1)
		n.children, err = p.pairs(true, depth+1)
		return n, err
	}
	p.at, p.line = before, line
	return n, nil
}

func (p *parser) quoted() (string, error) {
	for i := p.at + 1; i < len(p.text); i++ {
		switch p.text[i] {
		case '\\':
			i++
		case '"':
			value := p.text[p.at+1 : i]
			p.advance(i + 1 - p.at)
			return strings.ReplaceAll(value, `\"`, `"`), nil
		}
	}
	return "", fmt.Errorf("a text is not closed")
}

// list reads the items of a list; of `field: value` the field is kept.
func (p *parser) list(depth int) ([]string, error) {
	var out []string
	for {
		p.space()
		if p.at == len(p.text) {
			return nil, fmt.Errorf("a list is not closed")
		}
		switch c := p.text[p.at]; c {
		case ']':
			p.advance(1)
			return out, nil
		case ',':
			p.advance(1)
			continue
		case ':':
			p.advance(1)
			p.space()
			if p.at < len(p.text) {
				if _, err := p.value(node{key: "list"}, depth+1); err != nil {
					return nil, err
				}
			}
			continue
		case '"':
			item, err := p.quoted()
			if err != nil {
				return nil, err
			}
			out = append(out, item)
			continue
		}
		item := p.name()
		if item == "" {
			return nil, fmt.Errorf("want an item of a list, found %.20q", p.rest())
		}
		out = append(out, item)
	}
}

// name reads what is written without quotes.
func (p *parser) name() string {
	end := strings.IndexFunc(p.rest(), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`:{}[],"#`, r)
	})
	if end < 0 {
		end = len(p.rest())
	}
	name := p.rest()[:end]
	p.advance(end)
	return name
}
