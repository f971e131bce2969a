package slackdev

import (
	"encoding/json"
	"strings"
)

// richPart renders a section, list, quote or preformatted part of rich text.
func (r reader) richPart(v any) node {
	object, _ := v.(map[string]any)
	switch object["type"] {
	case "rich_text_list":
		tag := "ul"
		if object["style"] == "ordered" {
			tag = "ol"
		}
		return el(tag, nil, r.each(object["elements"], func(item any) node {
			return el("li", nil, r.richPart(item))
		})...)
	case "rich_text_quote":
		return el("blockquote", nil, r.each(object["elements"], r.richInline)...)
	case "rich_text_preformatted":
		return r.preformatted(object)
	}
	return el("div", class("rich-section"), r.each(object["elements"], r.richInline)...)
}

// preformatted renders code; a diff gets its lines coloured.
func (r reader) preformatted(object map[string]any) node {
	if object["language"] != "diff" {
		return el("pre", nil, r.each(object["elements"], r.richInline)...)
	}
	var text strings.Builder
	items, _ := object["elements"].([]any)
	for _, item := range items {
		piece, _ := item.(map[string]any)
		s, _ := piece["text"].(string)
		text.WriteString(s)
	}
	out := el("pre", class("diff"))
	for line := range strings.SplitSeq(strings.TrimSuffix(text.String(), "\n"), "\n") {
		out = out.with(el("span", class(diffClass(line)), txt(line+"\n")))
	}
	return out
}

func diffClass(line string) string {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "@@"):
		return "meta"
	case strings.HasPrefix(line, "+"):
		return "add"
	case strings.HasPrefix(line, "-"):
		return "del"
	}
	return "same"
}

// richInline renders a piece of a rich text line; its text is never parsed.
func (r reader) richInline(v any) node {
	object, _ := v.(map[string]any)
	str := func(key string) string {
		s, _ := object[key].(string)
		return s
	}
	var n node
	switch object["type"] {
	case "text":
		n = txt(str("text"))
	case "link":
		n = anchor(str("url"), txt(orElse(str("text"), str("url"))))
	case "user":
		n = el("span", class("mention"), txt("@"+r.userName(str("user_id"))))
	case "channel":
		n = el("span", class("mention"), txt("#"+r.channelName(str("channel_id"))))
	case "broadcast":
		n = el("span", class("mention loud"), txt("@"+str("range")))
	case "usergroup":
		n = el("span", class("mention"), txt("@"+str("usergroup_id")))
	case "emoji":
		n = txt(orElse(emoji(str("name")), ":"+str("name")+":"))
	case "date":
		seconds, _ := object["timestamp"].(json.Number)
		unix, _ := seconds.Int64()
		n = el("time", nil, txt(r.formatDate(unix, str("format"))))
	case "color":
		n = el("code", nil, txt(str("value")))
	}
	return styled(n, object["style"])
}

func styled(n node, style any) node {
	on, _ := style.(map[string]any)
	for _, s := range [][2]string{{"code", "code"}, {"bold", "b"}, {"italic", "i"}, {"strike", "s"}, {"underline", "u"}} {
		if on[s[0]] == true {
			n = el(s[1], nil, n)
		}
	}
	return n
}
