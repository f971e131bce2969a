package slackdev

import (
	"regexp"
	"strings"
)

var emojiName = regexp.MustCompile(`:[a-z0-9_+-]{1,40}:`)

// emojis replaces the names of the commonest emoji; others stay as written.
func emojis(s string) string {
	if strings.Count(s, ":") < 2 {
		return s
	}
	return emojiName.ReplaceAllStringFunc(s, func(name string) string {
		if c := emoji(strings.Trim(name, ":")); c != "" {
			return c
		}
		return name
	})
}

func emoji(name string) string {
	switch name {
	case "warning":
		return "⚠️"
	case "white_check_mark", "heavy_check_mark":
		return "✅"
	case "x", "no_entry", "no_entry_sign":
		return "❌"
	case "rotating_light":
		return "🚨"
	case "red_circle":
		return "🔴"
	case "large_yellow_circle":
		return "🟡"
	case "large_orange_circle":
		return "🟠"
	case "large_green_circle":
		return "🟢"
	case "large_blue_circle":
		return "🔵"
	case "white_circle":
		return "⚪"
	case "hourglass", "hourglass_flowing_sand":
		return "⏳"
	case "eyes":
		return "👀"
	case "lock":
		return "🔒"
	case "bell":
		return "🔔"
	case "octagonal_sign":
		return "🛑"
	case "information_source":
		return "ℹ️"
	case "memo":
		return "📝"
	case "receipt":
		return "🧾"
	case "arrow_right":
		return "➡️"
	case "tada":
		return "🎉"
	case "bust_in_silhouette":
		return "👤"
	case "+1", "thumbsup":
		return "👍"
	}
	return ""
}
