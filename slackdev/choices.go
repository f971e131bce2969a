package slackdev

import (
	"fmt"
	"slices"
)

// choose fills an element's entry in "actions" or "state" with the choice.
func choose(entry, element map[string]any, given any) error {
	kind, _ := element["type"].(string)
	switch kind {
	case "plain_text_input":
		s, ok := given.(string)
		if !ok {
			return fmt.Errorf("%s takes a string", kind)
		}
		entry["value"] = s
		return nil
	case "checkboxes", "multi_static_select":
		return chooseMany(entry, element, given)
	case "static_select", "radio_buttons", "overflow":
		s, _ := given.(string)
		chosen := optionOf(element, s)
		if chosen == nil {
			return fmt.Errorf("%s has no option %q", kind, s)
		}
		entry["selected_option"] = chosen
		return nil
	}
	key, ok := pickerKeys()[kind]
	s, isString := given.(string)
	if !ok || !isString || s == "" {
		return fmt.Errorf("%s cannot take %v", kind, given)
	}
	entry[key] = s
	return nil
}

// pickerKeys name the chosen value of the elements without options.
func pickerKeys() map[string]string {
	return map[string]string{
		"users_select": "selected_user", "channels_select": "selected_channel",
		"conversations_select": "selected_conversation", "datepicker": "selected_date", "timepicker": "selected_time",
	}
}

func chooseMany(entry, element map[string]any, given any) error {
	values, err := stringList(given)
	if err != nil {
		return err
	}
	chosen := []any{}
	for _, value := range values {
		option := optionOf(element, value)
		if option == nil {
			return fmt.Errorf("%v has no option %q", element["type"], value)
		}
		chosen = append(chosen, option)
	}
	entry["selected_options"] = chosen
	return nil
}

func stringList(given any) ([]string, error) {
	switch v := given.(type) {
	case string:
		return []string{v}, nil
	case []string:
		return v, nil
	case []any:
		out := make([]string, 0, len(v))
		for _, item := range v {
			s, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("a choice must be a string, not %T", item)
			}
			out = append(out, s)
		}
		return out, nil
	}
	return nil, fmt.Errorf("choices must be a list of strings, not %T", given)
}

// optionsOf are all options of an element, those in groups too.
func optionsOf(element map[string]any) []map[string]any {
	var found []map[string]any
	add := func(v any) {
		items, _ := v.([]any)
		for _, item := range items {
			if option, ok := item.(map[string]any); ok {
				found = append(found, option)
			}
		}
	}
	add(element["options"])
	groups, _ := element["option_groups"].([]any)
	for _, group := range groups {
		if g, ok := group.(map[string]any); ok {
			add(g["options"])
		}
	}
	return found
}

func optionOf(element map[string]any, value string) map[string]any {
	options := optionsOf(element)
	i := slices.IndexFunc(options, func(o map[string]any) bool { return o["value"] == value })
	if i < 0 {
		return nil
	}
	return options[i]
}

// initial is an element's entry in "state" before anyone touched it.
func initial(element map[string]any) map[string]any {
	kind, _ := element["type"].(string)
	entry := map[string]any{"type": kind}
	switch kind {
	case "plain_text_input":
		entry["value"] = element["initial_value"]
	case "checkboxes", "multi_static_select":
		entry["selected_options"] = []any{}
		if chosen, ok := element["initial_options"]; ok {
			entry["selected_options"] = chosen
		}
	case "static_select", "radio_buttons":
		entry["selected_option"] = element["initial_option"]
	default:
		if key, ok := pickerKeys()[kind]; ok {
			entry[key] = element["initial_"+key[len("selected_"):]]
		}
	}
	return entry
}

// stateValues is "state.values": every element with a value, by block and
// action, with the choice just made.
func stateValues(blocks []map[string]any, action map[string]any) map[string]map[string]any {
	values := map[string]map[string]any{}
	for _, block := range blocks {
		blockID, _ := block["block_id"].(string)
		for _, element := range elementsOf(block) {
			actionID, _ := element["action_id"].(string)
			if kind := element["type"]; kind == "button" || kind == "overflow" || kind == "image" {
				continue
			}
			entry := initial(element)
			if action["action_id"] == actionID && action["block_id"] == blockID {
				for key := range entry {
					entry[key] = action[key]
				}
			}
			if values[blockID] == nil {
				values[blockID] = map[string]any{}
			}
			values[blockID][actionID] = entry
		}
	}
	return values
}
