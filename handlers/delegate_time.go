package handlers

import (
	"strings"
	"time"
)

// wish is a delegation as it was typed.
type wish struct {
	to, domain  string
	from, until time.Time
}

// parseDelegation reads "@person [domain] [from WHEN] until WHEN"; now is in the
// zone of who typed it. Without "from" it begins now.
func parseDelegation(words []string, now time.Time, command string) (wish, error) {
	usage := "Write " + command + " delegate @PERSON [DOMAIN] [from WHEN] until WHEN, where WHEN is now, 18:00, today, tomorrow, tomorrow 9:00, 2026-12-24 or 2026-12-24 18:00. A day alone begins with its first minute and ends with its last."
	if len(words) == 0 {
		return wish{}, wrong("%s", usage)
	}
	w := wish{from: now}
	switch found := mention.FindStringSubmatch(words[0]); {
	case found != nil:
		w.to = found[1]
	case userID.MatchString(words[0]):
		w.to = words[0]
	case strings.HasPrefix(words[0], "@"):
		return wish{}, wrong("Slack sent the name %s and not who that is, and dw matches no names. Switch on \"Escape channels, users, and links\" for the slash command in the app's settings, or write the person's member ID (U…, in their profile).", words[0])
	default:
		return wish{}, wrong("%q is nobody. %s", words[0], usage)
	}
	rest := words[1:]
	if len(rest) > 0 && !strings.EqualFold(rest[0], "from") && !strings.EqualFold(rest[0], "until") {
		w.domain, rest = rest[0], rest[1:]
	}
	from, until, ok := cutWord(rest, "until")
	if !ok || len(until) == 0 {
		return wish{}, wrong("Say until when. %s", usage)
	}
	if len(from) > 0 {
		if !strings.EqualFold(from[0], "from") || len(from) == 1 {
			return wish{}, wrong("%q is not understood. %s", strings.Join(from, " "), usage)
		}
		at, err := parseWhen(from[1:], now, false)
		if err != nil {
			return wish{}, err
		}
		w.from = at
	}
	at, err := parseWhen(until, now, true)
	w.until = at
	return w, err
}

// cutWord splits words around one of them.
func cutWord(words []string, word string) (before, after []string, found bool) {
	for n, w := range words {
		if strings.EqualFold(w, word) {
			return words[:n], words[n+1:], true
		}
	}
	return words, nil, false
}

// parseWhen reads one or two words as a time in now's zone. A day without a time
// of day is its beginning, or with end the beginning of the next one.
func parseWhen(words []string, now time.Time, end bool) (time.Time, error) {
	text := strings.Join(words, " ")
	if len(words) == 1 && strings.EqualFold(text, "now") {
		return now, nil
	}
	day, clock := "", ""
	switch len(words) {
	case 1:
		switch date, of, found := strings.Cut(words[0], "T"); {
		case found && len(date) == len(time.DateOnly):
			day, clock = date, of
		case strings.Contains(words[0], ":"):
			day, clock = "today", words[0]
		default:
			day = words[0]
		}
	case 2:
		day, clock = words[0], words[1]
	default:
		return time.Time{}, wrong("%q is no time. Write 18:00, tomorrow, 2026-12-24 or 2026-12-24 18:00.", text)
	}
	date, ok := parseDay(day, now)
	if !ok {
		return time.Time{}, wrong("%q is no time. Write 18:00, tomorrow, 2026-12-24 or 2026-12-24 18:00.", text)
	}
	if clock == "" {
		if end {
			date = date.AddDate(0, 0, 1)
		}
		return time.Date(date.Year(), date.Month(), date.Day(), 0, 0, 0, 0, now.Location()), nil
	}
	of, err := time.Parse("15:04", clock)
	if err != nil {
		return time.Time{}, wrong("%q is no time of day. Write it as 9:00 or 18:30.", clock)
	}
	at := time.Date(date.Year(), date.Month(), date.Day(), of.Hour(), of.Minute(), 0, 0, now.Location())
	if at.Hour() != of.Hour() || at.Minute() != of.Minute() {
		return time.Time{}, wrong("%s on %s does not exist in %s, where the clock goes forward. Write another time.", clock, date.Format(time.DateOnly), now.Location())
	}
	return at, nil
}

// parseDay reads a day in now's zone; its time of day is not set.
func parseDay(text string, now time.Time) (time.Time, bool) {
	switch strings.ToLower(text) {
	case "today":
		return now, true
	case "tomorrow":
		return now.AddDate(0, 0, 1), true
	}
	day, err := time.ParseInLocation(time.DateOnly, text, time.UTC)
	return day, err == nil
}
