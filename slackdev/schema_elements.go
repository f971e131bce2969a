package slackdev

// elementChecks are the block elements by type, with the limits of Block Kit.
func elementChecks() map[string]check {
	id := may(unique("action_id"))
	checks := map[string]check{
		"button": fields{
			"type": need(oneOf("button")), "text": need(plain(75)), "action_id": id,
			"value": may(str(0, 2000)), "url": may(str(1, 3000)), "style": may(oneOf("primary", "danger")),
			"confirm": may(confirmCheck), "accessibility_label": may(str(1, 75)),
		}.check,
		"overflow": fields{
			"type": need(oneOf("overflow")), "action_id": id, "options": need(list(1, 5, option(true))),
			"confirm": may(confirmCheck),
		}.check,
		"image": imageElement(),
		"plain_text_input": fields{
			"type": need(oneOf("plain_text_input")), "action_id": id, "initial_value": may(str(0, 3000)),
			"multiline": may(boolean), "min_length": may(whole(0, 3000)), "max_length": may(whole(1, 3000)),
			"dispatch_action_config": may(anything), "focus_on_load": may(boolean), "placeholder": may(plain(150)),
		}.check,
	}
	for _, kind := range []string{"checkboxes", "radio_buttons"} {
		checks[kind] = choices(kind, id)
	}
	for _, kind := range []string{"static_select", "multi_static_select"} {
		checks[kind] = selection(kind, id)
	}
	for kind, initial := range map[string]string{
		"users_select": "initial_user", "channels_select": "initial_channel",
		"conversations_select": "initial_conversation", "datepicker": "initial_date", "timepicker": "initial_time",
	} {
		checks[kind] = picker(kind, initial, id)
	}
	return checks
}

func anything(*findings, string, any) {}

func imageElement() check {
	return exactlyOne("image_url", "slack_file", fields{
		"type": need(oneOf("image")), "image_url": may(str(1, 3000)), "slack_file": may(anything),
		"alt_text": need(str(1, 2000)),
	}.check)
}

func confirmCheck(f *findings, at string, v any) {
	fields{
		"title": need(plain(100)), "text": need(either(300)), "confirm": need(plain(30)), "deny": need(plain(30)),
		"style": may(oneOf("primary", "danger")),
	}.check(f, at, v)
}

// option is one choice; only plain_text in selects and overflows.
func option(plainOnly bool) check {
	words := either(75)
	if plainOnly {
		words = plain(75)
	}
	return fields{
		"text": need(words), "value": need(str(1, 150)), "description": may(either(75)), "url": may(str(1, 3000)),
	}.check
}

func choices(kind string, id field) check {
	initial := field{check: option(false)}
	name := "initial_option"
	if kind == "checkboxes" {
		name, initial = "initial_options", field{check: list(1, 10, option(false))}
	}
	return fields{
		"type": need(oneOf(kind)), "action_id": id, "options": need(list(1, 10, option(false))),
		name: initial, "confirm": may(confirmCheck), "focus_on_load": may(boolean),
	}.check
}

func selection(kind string, id field) check {
	group := fields{"label": need(plain(75)), "options": need(list(1, 100, option(true)))}
	shape := fields{
		"type": need(oneOf(kind)), "action_id": id, "placeholder": may(plain(150)),
		"options": may(list(1, 100, option(true))), "option_groups": may(list(1, 100, group.check)),
		"confirm": may(confirmCheck), "focus_on_load": may(boolean),
	}
	if kind == "static_select" {
		shape["initial_option"] = may(option(true))
	} else {
		shape["initial_options"] = may(list(1, 100, option(true)))
		shape["max_selected_items"] = may(whole(1, 100))
	}
	return exactlyOne("options", "option_groups", shape.check)
}

func picker(kind, initial string, id field) check {
	shape := fields{
		"type": need(oneOf(kind)), "action_id": id, "placeholder": may(plain(150)), initial: may(str(1, 255)),
		"confirm": may(confirmCheck), "focus_on_load": may(boolean),
	}
	if kind == "conversations_select" {
		shape["default_to_current_conversation"] = may(boolean)
	}
	return shape.check
}

// exactlyOne asks for one of two keys besides the check of the whole.
func exactlyOne(a, b string, whole check) check {
	return func(f *findings, at string, v any) {
		whole(f, at, v)
		object, _ := v.(map[string]any)
		_, hasA := object[a]
		_, hasB := object[b]
		if object != nil && hasA == hasB {
			f.add(at, "must have exactly one of: %s, %s", a, b)
		}
	}
}
