package slackdev

import (
	"encoding/json"
	"unicode/utf8"
)

// refusal is an error as the Web API answers it.
type refusal struct {
	code    string   // Slack's error name
	details []string // for "errors" and response_metadata.messages

	needed, provided string // of missing_scope: the scope that lacks and those there are
}

func refuse(code string, details ...string) *refusal { return &refusal{code: code, details: details} }

// messageBlocks checks the blocks of a message and returns them with every id
// filled in; nil for none.
func (s *Server) messageBlocks(raw []byte) (json.RawMessage, *refusal) {
	if len(raw) == 0 {
		return nil, nil
	}
	v, err := decodeAny(raw)
	items, ok := v.([]any)
	if err != nil || !ok {
		return nil, refuse("invalid_blocks_format", "must be a JSON array of blocks")
	}
	if found := s.check.surface("message", maxMessageBlocks, "/blocks", items); len(found) > 0 {
		return nil, refuse("invalid_blocks", found...)
	}
	if blockChars(items) > maxBlockChars {
		return nil, refuse("msg_blocks_too_long")
	}
	if len(items) == 0 {
		return nil, nil
	}
	return s.withIDs(items), nil
}

// surface checks the blocks of a message, modal or home and returns what is wrong.
func (c *schema) surface(name string, most int, at string, items []any) []string {
	f := &findings{ids: map[string]bool{}, surface: name}
	list(0, most, byType(c.blocks))(f, at, items)
	return f.errors
}

// blockChars is the length of the blocks as JSON, in code points; of a table,
// which has its own limit, only the frame is counted.
func blockChars(items []any) int {
	n := 0
	for _, item := range items {
		object, _ := item.(map[string]any)
		if object["type"] == "table" {
			continue
		}
		raw, err := marshalPlain(item)
		if err != nil {
			continue
		}
		n += utf8.RuneCount(raw)
	}
	return n
}

// withIDs fills in the block_id and action_id that the app left to Slack.
func (s *Server) withIDs(items []any) json.RawMessage {
	for _, item := range items {
		block, _ := item.(map[string]any)
		if _, ok := block["block_id"]; !ok {
			block["block_id"] = s.id("")[5:]
		}
		for _, element := range elementsOf(block) {
			if _, ok := element["action_id"]; !ok && element["type"] != "image" {
				element["action_id"] = s.id("")[5:]
			}
		}
	}
	raw, err := marshalPlain(items)
	if err != nil {
		s.opts.Logger.Error("encode blocks", "error", err)
	}
	return raw
}

// elementsOf are the elements of a block that can have an action_id.
func elementsOf(block map[string]any) []map[string]any {
	var found []map[string]any
	add := func(v any) {
		if object, ok := v.(map[string]any); ok {
			found = append(found, object)
		}
	}
	switch block["type"] {
	case "actions":
		items, _ := block["elements"].([]any)
		for _, item := range items {
			add(item)
		}
	case "section":
		add(block["accessory"])
	case "input":
		add(block["element"])
	}
	return found
}

// decodeBlocks reads stored blocks back; they were checked before.
func decodeBlocks(raw json.RawMessage) []map[string]any {
	v, err := decodeAny(raw)
	items, _ := v.([]any)
	if err != nil {
		return nil
	}
	blocks := make([]map[string]any, 0, len(items))
	for _, item := range items {
		if block, ok := item.(map[string]any); ok {
			blocks = append(blocks, block)
		}
	}
	return blocks
}
