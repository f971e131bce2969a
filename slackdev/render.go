package slackdev

import (
	"encoding/json"
	"fmt"
)

// blocks renders blocks for the reader. The keys say where an act on an
// element goes: the message's channel and ts, or the view.
func (r reader) blocks(raw json.RawMessage, errs map[string]string) []node {
	var out []node
	for _, block := range decodeBlocks(raw) {
		out = append(out, r.block(block, errs))
	}
	return out
}

func (r reader) block(block map[string]any, errs map[string]string) node {
	switch block["type"] {
	case "divider":
		return el("hr", nil)
	case "header":
		return el("h3", class("b-header"), r.text(block["text"])...)
	case "section":
		return r.section(block)
	case "context":
		return el("div", class("b-context"), r.each(block["elements"], r.contextPart)...)
	case "actions":
		return el("div", class("b-actions"), r.each(block["elements"], r.element)...)
	case "image":
		return el("div", class("b-image"), r.text(block["title"])...).with(image(block))
	case "input":
		return r.input(block, errs)
	case "rich_text":
		return el("div", class("b-rich"), r.each(block["elements"], r.richPart)...)
	case "markdown":
		words, _ := block["text"].(string)
		return el("div", class("b-markdown"), txt(words))
	case "alert":
		return el("div", at("class", "b-alert", "role", "note"), r.text(block["text"])...)
	case "table":
		return el("div", class("b-table"), el("table", nil, r.each(block["rows"], r.row)...))
	}
	return el("div", class("unknown"), txt(fmt.Sprintf("block %v is not drawn here", block["type"])))
}

func (n node) with(kids ...node) node {
	n.kids = append(n.kids, kids...)
	return n
}

// each renders the items of a JSON array.
func (r reader) each(v any, draw func(any) node) []node {
	items, _ := v.([]any)
	out := make([]node, 0, len(items))
	for _, item := range items {
		out = append(out, draw(item))
	}
	return out
}

// text renders a text object.
func (r reader) text(v any) []node {
	object, _ := v.(map[string]any)
	s, _ := object["text"].(string)
	if object["type"] == "mrkdwn" {
		return r.mrkdwn(s)
	}
	return []node{el("span", class("plain"), txt(emojis(s)))}
}

func (r reader) section(block map[string]any) node {
	body := el("div", class("b-text"))
	if block["text"] != nil {
		body = body.with(el("div", nil, r.text(block["text"])...))
	}
	if block["fields"] != nil {
		body = body.with(el("div", class("b-fields"), r.each(block["fields"], func(f any) node {
			return el("div", nil, r.text(f)...)
		})...))
	}
	out := el("div", class("b-section"), body)
	if block["accessory"] != nil {
		out = out.with(el("div", class("b-accessory"), r.element(block["accessory"])))
	}
	return out
}

func (r reader) contextPart(v any) node {
	object, _ := v.(map[string]any)
	if object["type"] == "image" {
		return image(object)
	}
	return el("span", class("b-part"), r.text(v)...)
}

// image is named, not loaded: the page fetches nothing from elsewhere.
func image(object map[string]any) node {
	alt, _ := object["alt_text"].(string)
	address, _ := object["image_url"].(string)
	return el("span", class("image"), txt("🖼 "), anchor(address, txt(alt)))
}

func (r reader) row(v any) node {
	return el("tr", nil, r.each(v, func(cell any) node {
		object, _ := cell.(map[string]any)
		if object["type"] == "rich_text" {
			return el("td", nil, r.each(object["elements"], r.richPart)...)
		}
		s, _ := object["text"].(string)
		if object["type"] == "raw_number" {
			return el("td", class("num"), txt(s))
		}
		return el("td", nil, txt(s))
	})...)
}
