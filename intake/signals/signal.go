// Package signals takes in what other tools say of the data: results of tests,
// failed runs and alerts. Each tool's payload is decoded into signals that name
// the check, the asset, and what the tool found; which asset of the context
// graph that is, and what follows, is decided by who records them.
package signals

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"dw/checks"
)

// Limits of what is taken in.
const (
	MaxBody    = 8 << 20 // bytes of one request or file: run results of a large dbt project
	MaxSignals = 20_000  // of one request or file
	maxName    = 240     // bytes of a name
	maxText    = 1000    // bytes of a message
	maxURL     = 2000    // bytes of an address
)

// Signal is one statement of a tool about one check.
type Signal struct {
	Check   string        // what the tool calls its test, monitor or run
	Named   []string      // what the tool calls the asset, the surest name first; empty where it names none
	Keys    []string      // other names by which a configured source may tie the check to an asset
	Status  checks.Status // Pass, Warn, Fail, Error or Skipped
	Message string        // one sentence, never values of rows
	URL     string        // a page of the tool about it, empty where it gives none
	Run     string        // the tool's own id of this statement; with Check and Status it tells repeats
	Since   time.Time     // since when by the tool, zero where it does not say
	At      time.Time     // when the tool said it, zero where it does not say
}

// Event returns an id that is the same for each delivery of one statement of a
// source, and different for any other.
func (s Signal) Event(source string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{source, s.Check, s.Run, string(s.Status), s.At.UTC().Format(time.RFC3339Nano)}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// checked finds what a signal lacks, and makes its texts fit to be shown.
func (s Signal) checked() (Signal, error) {
	blank := func(name string) bool { return strings.TrimSpace(name) == "" }
	s.Named, s.Keys = slices.DeleteFunc(slices.Clone(s.Named), blank), slices.DeleteFunc(slices.Clone(s.Keys), blank)
	if strings.TrimSpace(s.Check) == "" {
		return s, errors.New("what the check is called is missing")
	}
	s.Check = shown(s.Check, maxName)
	for i, name := range s.Named {
		s.Named[i] = shown(name, maxName)
	}
	s.Message = shown(cmp.Or(s.Message, s.Check+" says "+string(s.Status)), maxText)
	if len(s.URL) > maxURL || strings.ContainsFunc(s.URL, unicode.IsControl) {
		s.URL = ""
	}
	return s, nil
}

// shown makes a text one line of valid UTF-8 of at most limit bytes.
func shown(text string, limit int) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "?"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if len(text) <= limit {
		return text
	}
	cut := limit - len("…")
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
