package blocks

import (
	"time"

	"dw/workflows"

	"github.com/slack-go/slack"
)

// line is one line of rich text, in which Slack parses no markup at all.
type line []slack.RichTextSectionElement

func bold(s string) slack.RichTextSectionElement {
	return slack.NewRichTextSectionTextElement(keepEdges(s), &slack.RichTextSectionTextStyle{Bold: true})
}

func text(s string) slack.RichTextSectionElement {
	return slack.NewRichTextSectionTextElement(keepEdges(s), nil)
}

func code(s string) slack.RichTextSectionElement {
	return slack.NewRichTextSectionTextElement(clean(s, maxElement), &slack.RichTextSectionTextStyle{Code: true})
}

// keepEdges cleans s but keeps one space at its edges, so that elements of one
// line do not run together.
func keepEdges(s string) string {
	out := clean(s, maxElement)
	if s == "" {
		return out
	}
	if s[0] == ' ' {
		out = " " + out
	}
	if len(s) > 1 && s[len(s)-1] == ' ' {
		out += " "
	}
	return out
}

// at shows a time in each reader's own zone; the fallback is in zone.
func at(t, now time.Time, zone *time.Location) slack.RichTextSectionElement {
	if t.IsZero() {
		return text("unknown")
	}
	format := "{time}"
	if t.In(zone).Format(time.DateOnly) != now.In(zone).Format(time.DateOnly) {
		format = "{date_short_pretty} {time}"
	}
	fallback := clock(t, now, zone)
	return slack.NewRichTextSectionDateElement(t.Unix(), format, nil, &fallback)
}

// mention names a person; Slack notifies them where the message is new.
func mention(p workflows.Person) slack.RichTextSectionElement {
	if p.User == "" {
		return text("nobody")
	}
	return slack.NewRichTextSectionUserElement(p.User, nil)
}

// rich makes one block of lines.
func rich(id string, lines ...line) slack.Block {
	section := make([]slack.RichTextSectionElement, 0, 4*len(lines))
	for i, l := range lines {
		if i > 0 {
			section = append(section, slack.NewRichTextSectionTextElement("\n", nil))
		}
		section = append(section, l...)
	}
	return slack.NewRichTextBlock(id, slack.NewRichTextSection(section...))
}

// preformatted shows text with its line breaks, such as a diff.
func preformatted(id, s string, max int) slack.Block {
	return slack.NewRichTextBlock(id, &slack.RichTextPreformatted{
		Type:     slack.RTEPreformatted,
		Elements: []slack.RichTextSectionElement{slack.NewRichTextSectionTextElement(cleanLines(s, max), nil)},
	})
}

// list makes one block of bullets.
func list(id string, items ...line) slack.Block {
	sections := make([]slack.RichTextElement, len(items))
	for i, item := range items {
		sections[i] = slack.NewRichTextSection(item...)
	}
	return slack.NewRichTextBlock(id, slack.NewRichTextList(slack.RTEListBullet, 0, sections...))
}

func button(actionID, value, label string, style slack.Style) *slack.ButtonBlockElement {
	b := slack.NewButtonBlockElement(actionID, value, plain(label, maxButton))
	b.Style = style
	return b
}
