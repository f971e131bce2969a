package blocks

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/slack-go/slack"
)

// Limits of Slack that dw's messages run into; slack.md section 1.4 lists all.
const (
	maxHeader  = 150
	maxButton  = 75
	maxConfirm = 300
	// Of the question before a click: title and buttons.
	maxConfirmTitle  = 100
	maxConfirmButton = 30
	maxModal         = 24   // title and buttons of a modal
	maxElement       = 2000 // own limit of one text element, far under the 3,000 of a text object
)

const ellipsis = "…"

// clean makes foreign text safe to show: control, bidirectional and zero-width
// characters go, line breaks become spaces, and the rest is cut at max code
// points with a visible mark. It does not escape: text goes into plain_text and
// rich_text elements, where Slack parses no markup.
func clean(s string, max int) string {
	return cut(strings.Join(strings.Fields(strings.Map(visible, s)), " "), max)
}

// cleanLines is clean for text whose line breaks matter, such as a diff.
func cleanLines(s string, max int) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.Map(visible, line), " \t\r")
	}
	return cut(strings.Join(lines, "\n"), max)
}

func visible(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return ' '
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r == utf8.RuneError:
		return -1
	default:
		return r
	}
}

func cut(s string, max int) string {
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	return string([]rune(s)[:max-1]) + ellipsis
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escape makes text safe for a field that Slack parses as mrkdwn, such as the
// fallback text: a table named <!channel> must page nobody.
func escape(s string) string { return escaper.Replace(s) }

func plain(s string, max int) *slack.TextBlockObject {
	text := clean(s, max)
	if text == "" {
		text = "-" // Slack refuses an empty text
	}
	return slack.NewTextBlockObject(slack.PlainTextType, text, false, false)
}

// clock writes a time as people say it, in zone: "11:02", with the date where
// it is another day than now's.
func clock(at, now time.Time, zone *time.Location) string {
	if at.IsZero() {
		return "unknown"
	}
	at, now = at.In(zone), now.In(zone)
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("Mon 2 Jan 15:04")
}
