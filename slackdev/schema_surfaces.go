package slackdev

import "unicode/utf8"

// maxMarkdown is for all markdown blocks of a message together.
const maxMarkdown = 12000

// markdownCheck is a block of standard markdown, in messages only.
func markdownCheck(id field) check {
	shape := fields{"type": need(oneOf("markdown")), "block_id": id, "text": need(str(1, maxMarkdown))}
	return func(f *findings, at string, v any) {
		f.onlyOn("message", at, "markdown")
		shape.check(f, at, v)
		object, _ := v.(map[string]any)
		words, _ := object["text"].(string)
		before := f.markdown
		f.markdown += utf8.RuneCountInString(words)
		if before <= maxMarkdown && f.markdown > maxMarkdown && before > 0 {
			f.add(at, "markdown blocks have %d characters together, must be less than %d", f.markdown, maxMarkdown+1)
		}
	}
}

// alertCheck is a coloured line, in modals only: chat.postMessage refuses it.
func alertCheck(id field) check {
	shape := fields{
		"type": need(oneOf("alert")), "block_id": id, "text": need(either(200)),
		"level": may(oneOf("default", "info", "warning", "error", "success")),
	}
	return func(f *findings, at string, v any) {
		f.onlyOn("modal", at, "alert")
		shape.check(f, at, v)
	}
}

// onlyOn notes a block that its surface does not take.
func (f *findings) onlyOn(surface, at, kind string) {
	if f.surface != surface {
		f.add(at+"/type", "unsupported type: %s", kind)
	}
}
