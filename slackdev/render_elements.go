package slackdev

import "slices"

// element renders an interactive element; the page's script sends the act.
func (r reader) element(v any) node {
	object, _ := v.(map[string]any)
	id, _ := object["action_id"].(string)
	switch object["type"] {
	case "image":
		return image(object)
	case "button":
		return r.button(object, id)
	case "checkboxes", "radio_buttons":
		return el("div", class("choices"), r.options(object, id, true)...)
	case "static_select", "multi_static_select", "overflow":
		return r.selectBox(object, id, true)
	}
	return r.picker(object, id, true)
}

func (r reader) button(object map[string]any, id string) node {
	style, _ := object["style"].(string)
	if slices.Contains(r.snap.Warnings, Warning{User: r.user.ID, Place: r.place, Action: id}) {
		style += " failed"
	}
	attrs := at("class", "btn "+style, "type", "button", "data-act", "click", "data-action", id)
	if confirm, ok := object["confirm"].(map[string]any); ok {
		attrs = append(attrs, "data-confirm", plainText(confirm["title"])+"\n\n"+plainText(confirm["text"]))
	}
	n := el("button", attrs, r.text(object["text"])...)
	if address, ok := object["url"].(string); ok {
		n = n.with(anchor(address, txt(" ↗")))
	}
	return n
}

// plainText is the text of a text object without markup.
func plainText(v any) string {
	object, _ := v.(map[string]any)
	s, _ := object["text"].(string)
	return s
}

// options renders checkboxes or radio buttons.
func (r reader) options(object map[string]any, id string, acts bool) []node {
	kind, chosen := "radio", []any{object["initial_option"]}
	if object["type"] == "checkboxes" {
		kind = "checkbox"
		chosen, _ = object["initial_options"].([]any)
	}
	var out []node
	for _, o := range optionsOf(object) {
		value, _ := o["value"].(string)
		attrs := at("type", kind, "name", id, "value", value)
		if acts {
			attrs = append(attrs, "data-act", "choose", "data-action", id)
		}
		if slices.ContainsFunc(chosen, func(c any) bool { return optionValue(c) == value }) {
			attrs = append(attrs, "checked", "")
		}
		label := el("label", nil, el("input", attrs), txt(" "))
		out = append(out, label.with(r.text(o["text"])...).with(el("small", nil, r.text(o["description"])...)))
	}
	return out
}

func optionValue(v any) string {
	object, _ := v.(map[string]any)
	s, _ := object["value"].(string)
	return s
}

func (r reader) selectBox(object map[string]any, id string, acts bool) node {
	attrs := at("name", id)
	if object["type"] == "multi_static_select" {
		attrs = append(attrs, "multiple", "")
	}
	if acts {
		attrs = append(attrs, "data-act", "choose", "data-action", id)
	}
	n := el("select", attrs, el("option", at("value", ""), txt(orElse(plainText(object["placeholder"]), "Choose…"))))
	chosen := append([]any{object["initial_option"]}, listOf(object["initial_options"])...)
	for _, o := range optionsOf(object) {
		value, _ := o["value"].(string)
		attrs := at("value", value)
		if slices.ContainsFunc(chosen, func(c any) bool { return c != nil && optionValue(c) == value }) {
			attrs = append(attrs, "selected", "")
		}
		n = n.with(el("option", attrs, txt(plainText(o["text"]))))
	}
	return n
}

func listOf(v any) []any {
	items, _ := v.([]any)
	return items
}

// picker renders the selects of people and channels, and dates and times.
func (r reader) picker(object map[string]any, id string, acts bool) node {
	attrs := at("name", id)
	if acts {
		attrs = append(attrs, "data-act", "choose", "data-action", id)
	}
	n := el("select", attrs, el("option", at("value", ""), txt("Choose…")))
	switch object["type"] {
	case "datepicker":
		return el("input", append(attrs, "type", "date"))
	case "timepicker":
		return el("input", append(attrs, "type", "time"))
	case "users_select":
		for _, u := range r.snap.Users {
			n = n.with(el("option", at("value", u.ID), txt(displayName(u))))
		}
		return n
	}
	for _, c := range r.snap.Channels {
		n = n.with(el("option", at("value", c.ID), txt("#"+orElse(c.Name, c.ID))))
	}
	return n
}

// input renders an input block with its label, hint and error.
func (r reader) input(block map[string]any, errs map[string]string) node {
	element, _ := block["element"].(map[string]any)
	id, _ := element["action_id"].(string)
	blockID, _ := block["block_id"].(string)
	kind, _ := element["type"].(string)
	out := el("div", at("class", "b-input", "data-block", blockID, "data-action", id, "data-kind", kind))
	label := el("div", class("label"), r.text(block["label"])...)
	if block["optional"] == true {
		label = label.with(el("small", nil, txt(" (optional)")))
	}
	out = out.with(label)
	switch kind {
	case "plain_text_input":
		out = out.with(textInput(element, id))
	case "checkboxes", "radio_buttons":
		out = out.with(el("div", class("choices"), r.options(element, id, false)...))
	case "static_select", "multi_static_select":
		out = out.with(r.selectBox(element, id, false))
	default:
		out = out.with(r.picker(element, id, false))
	}
	if block["hint"] != nil {
		out = out.with(el("div", class("hint"), r.text(block["hint"])...))
	}
	if complaint := errs[blockID]; complaint != "" {
		out = out.with(el("div", at("class", "field-error", "role", "alert"), txt(complaint)))
	}
	return out
}

func textInput(element map[string]any, id string) node {
	start, _ := element["initial_value"].(string)
	hint := plainText(element["placeholder"])
	if element["multiline"] == true {
		return el("textarea", at("name", id, "rows", "4", "placeholder", hint), txt(start))
	}
	return el("input", at("type", "text", "name", id, "value", start, "placeholder", hint, "autocomplete", "off"))
}
