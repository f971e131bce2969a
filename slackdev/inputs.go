package slackdev

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// fill puts the given values into the state.
func fill(state map[string]map[string]any, blocks []map[string]any, values map[string]map[string]any) error {
	for blockID, byAction := range values {
		for actionID, given := range byAction {
			element := findElement(blocks, blockID, actionID)
			entry, _ := state[blockID][actionID].(map[string]any)
			if element == nil || entry == nil {
				return fmt.Errorf("no input %s/%s", blockID, actionID)
			}
			if given == nil || given == "" {
				clearChoice(entry)
				continue
			}
			if err := choose(entry, element, given); err != nil {
				return fmt.Errorf("input %s/%s: %w", blockID, actionID, err)
			}
		}
	}
	return nil
}

// clearChoice empties an input.
func clearChoice(entry map[string]any) {
	for key := range entry {
		switch key {
		case "type":
		case "selected_options":
			entry[key] = []any{}
		default:
			entry[key] = nil
		}
	}
}

func findElement(blocks []map[string]any, blockID, actionID string) map[string]any {
	for _, block := range blocks {
		if block["block_id"] != blockID {
			continue
		}
		for _, element := range elementsOf(block) {
			if element["action_id"] == actionID {
				return element
			}
		}
	}
	return nil
}

// incomplete says what Slack's own client refuses, by block_id.
func incomplete(state map[string]map[string]any, blocks []map[string]any) map[string]string {
	wrong := map[string]string{}
	for _, block := range blocks {
		if block["type"] != "input" {
			continue
		}
		element, _ := block["element"].(map[string]any)
		blockID, _ := block["block_id"].(string)
		actionID, _ := element["action_id"].(string)
		entry, _ := state[blockID][actionID].(map[string]any)
		if complaint := complain(entry, element, block["optional"] == true); complaint != "" {
			wrong[blockID] = complaint
		}
	}
	return wrong
}

func complain(entry, element map[string]any, optional bool) string {
	if empty(entry) {
		if optional {
			return ""
		}
		return "Please complete this required field."
	}
	text, _ := entry["value"].(string)
	n := int64(utf8.RuneCountInString(text))
	if least, ok := number(element["min_length"]); ok && n < least {
		return fmt.Sprintf("Please enter at least %d characters.", least)
	}
	if most, ok := number(element["max_length"]); ok && n > most {
		return fmt.Sprintf("Please enter at most %d characters.", most)
	}
	return ""
}

func empty(entry map[string]any) bool {
	for key, v := range entry {
		items, isList := v.([]any)
		if key != "type" && v != nil && v != "" && (!isList || len(items) > 0) {
			return false
		}
	}
	return true
}

func number(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}
