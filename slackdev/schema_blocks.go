package slackdev

import (
	"slices"
	"unicode/utf8"
)

// Limits of whole surfaces.
const (
	maxMessageBlocks = 50
	maxViewBlocks    = 100
	maxBlockChars    = 13200 // of a message's blocks together, as JSON
	maxTableChars    = 10000
	maxViewBytes     = 250 << 10
)

// schema is the set of checks, built once and only read afterwards.
type schema struct {
	blocks map[string]check
	view   check
}

func newSchema() *schema {
	elements := elementChecks()
	s := &schema{blocks: blockChecks(elements)}
	s.view = viewCheck()
	return s
}

// pick restricts the elements that a block may hold.
func pick(elements map[string]check, kinds ...string) check {
	chosen := map[string]check{}
	for _, kind := range kinds {
		chosen[kind] = elements[kind]
	}
	return byType(chosen)
}

func blockChecks(elements map[string]check) map[string]check {
	id := may(unique("block_id"))
	contextKinds := map[string]check{
		"image": elements["image"], "mrkdwn": text(3000, "mrkdwn"), "plain_text": plain(3000),
	}
	interactive := slices.DeleteFunc(sortedKeys(elements), func(kind string) bool {
		return kind == "image" || kind == "plain_text_input"
	})
	accessory := append(slices.Clone(interactive), "image")
	inputs := slices.DeleteFunc(slices.Clone(interactive), func(kind string) bool {
		return kind == "button" || kind == "overflow"
	})
	return map[string]check{
		"divider": fields{"type": need(oneOf("divider")), "block_id": id}.check,
		"header": fields{
			"type": need(oneOf("header")), "block_id": id, "text": need(plain(150)), "level": may(whole(1, 4)),
		}.check,
		"section": sectionCheck(id, pick(elements, accessory...)),
		"context": fields{
			"type": need(oneOf("context")), "block_id": id, "elements": need(list(1, 10, byType(contextKinds))),
		}.check,
		"actions": fields{
			"type": need(oneOf("actions")), "block_id": id,
			"elements": need(list(1, 25, pick(elements, interactive...))),
		}.check,
		"image": exactlyOne("image_url", "slack_file", fields{
			"type": need(oneOf("image")), "block_id": id, "image_url": may(str(1, 3000)), "slack_file": may(anything),
			"alt_text": need(str(1, 2000)), "title": may(plain(2000)),
		}.check),
		"input":     inputCheck(id, pick(elements, append(inputs, "plain_text_input")...)),
		"rich_text": richTextCheck(id),
		"table":     tableCheck(id),
		"markdown":  markdownCheck(id),
		"alert":     alertCheck(id),
	}
}

func sectionCheck(id field, accessory check) check {
	shape := fields{
		"type": need(oneOf("section")), "block_id": id, "text": may(either(3000)),
		"fields": may(list(1, 10, either(2000))), "accessory": may(accessory), "expand": may(boolean),
	}
	return func(f *findings, at string, v any) {
		shape.check(f, at, v)
		object, _ := v.(map[string]any)
		if object["text"] == nil && object["fields"] == nil {
			f.add(at, "must have at least one of: text, fields")
		}
	}
}

func inputCheck(id field, element check) check {
	shape := fields{
		"type": need(oneOf("input")), "block_id": id, "label": need(plain(2000)), "element": need(element),
		"hint": may(plain(2000)), "optional": may(boolean), "dispatch_action": may(boolean),
	}
	return func(f *findings, at string, v any) {
		f.inputs++
		shape.check(f, at, v)
	}
}

func tableCheck(id field) check {
	cell := byType(map[string]check{
		"raw_text":   fields{"type": need(oneOf("raw_text")), "text": need(str(1, maxTableChars))}.check,
		"raw_number": fields{"type": need(oneOf("raw_number")), "value": need(anything), "text": need(str(1, 255))}.check,
		"rich_text":  richTextCheck(may(anything)),
	})
	column := fields{"align": may(oneOf("left", "center", "right")), "is_wrapped": may(boolean)}
	shape := fields{
		"type": need(oneOf("table")), "block_id": id, "rows": need(list(1, 100, list(1, 20, cell))),
		"column_settings": may(list(0, 20, column.check)),
	}
	return func(f *findings, at string, v any) {
		f.tables++
		f.onlyOn("message", at, "table")
		if f.tables > 1 {
			f.add(at, "only_one_table_allowed")
		}
		shape.check(f, at, v)
		if n := textChars(v); n > maxTableChars {
			f.add(at, "table has %d characters, must be less than %d", n, maxTableChars+1)
		}
	}
}

// textChars counts the code points of every "text" in a value.
func textChars(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if s, ok := inner.(string); ok && key == "text" {
				n += utf8.RuneCountInString(s)
			}
			n += textChars(inner)
		}
	case []any:
		for _, inner := range v {
			n += textChars(inner)
		}
	}
	return n
}

func viewCheck() check {
	modal := fields{
		"type": need(oneOf("modal")), "title": need(plain(24)), "blocks": need(anything), "submit": may(plain(24)),
		"close": may(plain(24)), "private_metadata": may(str(0, 3000)), "callback_id": may(str(0, 255)),
		"external_id": may(str(0, 255)), "clear_on_close": may(boolean), "notify_on_close": may(boolean),
		"submit_disabled": may(boolean),
	}
	home := fields{
		"type": need(oneOf("home")), "blocks": need(anything), "private_metadata": may(str(0, 3000)),
		"callback_id": may(str(0, 255)), "external_id": may(str(0, 255)),
	}
	return byType(map[string]check{"modal": modal.check, "home": home.check})
}
