package slackdev

// richTextCheck is a rich_text block or table cell.
func richTextCheck(blockID field) check {
	style := fields{
		"bold": may(boolean), "italic": may(boolean), "strike": may(boolean), "code": may(boolean),
		"underline": may(boolean), "highlight": may(boolean), "client_highlight": may(boolean), "unlink": may(boolean),
	}
	inline := inlineChecks(may(style.check))
	run := list(0, 1000, byType(inline))
	section := fields{"type": need(oneOf("rich_text_section")), "elements": need(run)}.check
	parts := map[string]check{
		"rich_text_section": section,
		"rich_text_list": fields{
			"type": need(oneOf("rich_text_list")), "style": need(oneOf("bullet", "ordered")),
			"elements": need(list(1, 1000, byType(map[string]check{"rich_text_section": section}))),
			"indent":   may(whole(0, 8)), "offset": may(whole(0, 1<<31)), "border": may(whole(0, 1)),
		}.check,
		"rich_text_quote": fields{
			"type": need(oneOf("rich_text_quote")), "elements": need(run), "border": may(whole(0, 1)),
		}.check,
		"rich_text_preformatted": fields{
			"type": need(oneOf("rich_text_preformatted")), "border": may(whole(0, 1)), "language": may(str(1, 50)),
			"elements": need(list(0, 1000, byType(map[string]check{"text": inline["text"], "link": inline["link"]}))),
		}.check,
	}
	return fields{
		"type": need(oneOf("rich_text")), "block_id": blockID, "elements": need(list(1, 1000, byType(parts))),
	}.check
}

// inlineChecks are the pieces a rich text line is made of.
func inlineChecks(style field) map[string]check {
	return map[string]check{
		"text": fields{"type": need(oneOf("text")), "text": need(str(1, 12000)), "style": style}.check,
		"link": fields{
			"type": need(oneOf("link")), "url": need(str(1, 3000)), "text": may(str(0, 3000)),
			"unsafe": may(boolean), "style": style,
		}.check,
		"user":      fields{"type": need(oneOf("user")), "user_id": need(str(1, 255)), "style": style}.check,
		"usergroup": fields{"type": need(oneOf("usergroup")), "usergroup_id": need(str(1, 255)), "style": style}.check,
		"channel":   fields{"type": need(oneOf("channel")), "channel_id": need(str(1, 255)), "style": style}.check,
		"emoji": fields{
			"type": need(oneOf("emoji")), "name": need(str(1, 255)), "unicode": may(str(1, 255)), "style": style,
		}.check,
		"broadcast": fields{
			"type": need(oneOf("broadcast")), "range": need(oneOf("here", "channel", "everyone")), "style": style,
		}.check,
		"date": fields{
			"type": need(oneOf("date")), "timestamp": need(whole(0, 1<<40)), "format": need(str(1, 255)),
			"url": may(str(1, 3000)), "fallback": may(str(1, 255)), "style": style,
		}.check,
		"color": fields{"type": need(oneOf("color")), "value": need(str(1, 20)), "style": style}.check,
	}
}
