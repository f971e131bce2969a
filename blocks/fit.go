package blocks

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/slack-go/slack"
)

// maxMessage is how many characters of JSON dw puts into the blocks of one
// message. Slack refuses a message at about 13,200 (undocumented;
// slackapi/bolt-js#2509).
const maxMessage = 12500

// smallestCut is the shortest that a text is cut to make a message fit.
const smallestCut = 40

// fit cuts the longest texts until the message is within Slack's limit, so that
// an alert is shown shortened, with a mark, and never lost.
func fit(blocks []slack.Block) []slack.Block {
	texts := richTexts(blocks)
	for limit := maxElement; limit >= smallestCut && length(blocks) > maxMessage; limit = limit * 3 / 4 {
		for _, t := range texts {
			t.Text = cut(t.Text, limit)
		}
	}
	return blocks
}

// length is how long the blocks are as Slack counts them: as JSON.
func length(blocks []slack.Block) int {
	encoded, err := json.Marshal(blocks)
	if err != nil {
		return 0 // what cannot be encoded is refused when it is sent
	}
	return utf8.RuneCount(encoded)
}

// richTexts lists every text element of the rich text blocks.
func richTexts(blocks []slack.Block) []*slack.RichTextSectionTextElement {
	var out []*slack.RichTextSectionTextElement
	for _, b := range blocks {
		if rich, ok := b.(*slack.RichTextBlock); ok {
			for _, element := range rich.Elements {
				out = append(out, elementTexts(element)...)
			}
		}
	}
	return out
}

func elementTexts(element slack.RichTextElement) []*slack.RichTextSectionTextElement {
	var sections []slack.RichTextSectionElement
	var out []*slack.RichTextSectionTextElement
	switch e := element.(type) {
	case *slack.RichTextSection:
		sections = e.Elements
	case *slack.RichTextPreformatted:
		sections = e.Elements
	case *slack.RichTextList:
		for _, item := range e.Elements {
			out = append(out, elementTexts(item)...)
		}
	}
	for _, s := range sections {
		if t, ok := s.(*slack.RichTextSectionTextElement); ok {
			out = append(out, t)
		}
	}
	return out
}
