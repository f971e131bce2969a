package slackdev

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// reader is who looks at the page: names are resolved and dates are shown for them.
type reader struct {
	snap  Snapshot
	user  User
	place string // the message or view being drawn
}

// mrkdwn renders Slack's markup: code, quotes, lists of lines, bold, italic,
// strike, links, mentions and dates.
func (r reader) mrkdwn(s string) []node {
	var out []node
	for i, part := range strings.Split(s, "```") {
		if i%2 == 1 {
			out = append(out, el("pre", nil, txt(unescape(strings.Trim(part, "\n")))))
			continue
		}
		out = append(out, r.lines(part)...)
	}
	return out
}

// lines renders text outside of code blocks; lines that begin with ">" are a quote.
func (r reader) lines(s string) []node {
	var out, quote []node
	flush := func() {
		if quote != nil {
			out = append(out, el("blockquote", nil, quote...))
			quote = nil
		}
	}
	for i, line := range strings.Split(s, "\n") {
		if rest, quoted := cutQuote(line); quoted {
			quote = append(quote, el("div", nil, r.inline(rest)...))
			continue
		}
		if i > 0 && quote == nil {
			out = append(out, el("br", nil))
		}
		flush()
		out = append(out, r.inline(line)...)
	}
	flush()
	return out
}

func cutQuote(line string) (string, bool) {
	for _, mark := range []string{"&gt; ", "&gt;", "> "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return rest, true
		}
	}
	return line, false
}

// inline renders one line.
func (r reader) inline(s string) []node {
	var out []node
	plain := 0 // start of text not yet emitted
	for i := 0; i < len(s); {
		n, size := r.span(s, i)
		if size == 0 {
			i++
			continue
		}
		out = append(out, words(s[plain:i])...)
		out = append(out, n)
		i += size
		plain = i
	}
	return append(out, words(s[plain:])...)
}

func words(s string) []node {
	if s == "" {
		return nil
	}
	return []node{txt(emojis(unescape(s)))}
}

// span renders the marked piece that starts at s[i]; size 0 if there is none.
func (r reader) span(s string, i int) (node, int) {
	switch s[i] {
	case '<':
		if end := strings.IndexByte(s[i:], '>'); end > 0 {
			return r.special(s[i+1 : i+end]), end + 1
		}
	case '`':
		if end := strings.IndexByte(s[i+1:], '`'); end > 0 {
			return el("code", nil, txt(unescape(s[i+1:i+1+end]))), end + 2
		}
	case '*', '_', '~':
		if size := marked(s, i); size > 0 {
			tag := map[byte]string{'*': "b", '_': "i", '~': "s"}[s[i]]
			return el(tag, nil, r.inline(s[i+1:i+size-1])...), size
		}
	}
	return node{}, 0
}

// marked is the length of a piece between two equal marks at word borders.
func marked(s string, i int) int {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	if i > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before)) {
		return 0
	}
	for j := i + 2; j < len(s); j++ {
		if s[j] != s[i] || s[i+1] == ' ' || s[j-1] == ' ' {
			continue
		}
		after, _ := utf8.DecodeRuneInString(s[j+1:])
		if j+1 == len(s) || !unicode.IsLetter(after) && !unicode.IsDigit(after) {
			return j + 1 - i
		}
	}
	return 0
}

// special renders what stands between < and >.
func (r reader) special(s string) node {
	target, label, labelled := strings.Cut(s, "|")
	switch {
	case strings.HasPrefix(target, "@"):
		return el("span", class("mention"), txt("@"+r.userName(target[1:])))
	case strings.HasPrefix(target, "#"):
		return el("span", class("mention"), txt("#"+r.channelName(target[1:])))
	case strings.HasPrefix(target, "!date^"):
		return r.date(target, label)
	case strings.HasPrefix(target, "!subteam^"):
		return el("span", class("mention"), txt(orElse(label, target[1:])))
	case strings.HasPrefix(target, "!"):
		return el("span", class("mention loud"), txt("@"+target[1:]))
	}
	if !labelled {
		label = target
	}
	return anchor(unescape(target), txt(emojis(unescape(label))))
}

func (r reader) userName(id string) string {
	if id == slackbot {
		return "Slackbot"
	}
	for _, u := range r.snap.Users {
		if u.ID == id {
			return displayName(u)
		}
	}
	return id
}

func displayName(u User) string { return orElse(u.RealName, orElse(u.Name, u.ID)) }

func (r reader) channelName(id string) string { return orElse(r.snap.Channel(id).Name, id) }

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

// unescape turns Slack's three entities back into characters.
func unescape(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s)
}
