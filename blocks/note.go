package blocks

import (
	"strings"

	"dw/workflows"

	"github.com/slack-go/slack"
)

// Note is one line of an incident's thread, with the people it notifies.
func Note(body string, mentions []workflows.Person) Message {
	l := line{}
	names := make([]string, 0, len(mentions))
	for _, p := range mentions {
		l = append(l, mention(p), text(" "))
		names = append(names, "<@"+p.User+">")
	}
	fallback := escape(clean(body, 900))
	if len(names) > 0 {
		fallback = strings.Join(names, " ") + " " + fallback
	}
	return Message{Text: fallback, Blocks: []slack.Block{slack.NewRichTextBlock("note", slack.NewRichTextSection(append(l, text(body))...))}}
}

// Private is an answer that only the person who acted sees.
func Private(body string) Message {
	return Message{Text: escape(clean(body, 900)), Blocks: []slack.Block{rich("answer", line{text(body)})}}
}
