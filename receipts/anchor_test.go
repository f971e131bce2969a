package receipts

import (
	"errors"
	"strings"
	"testing"
)

// TestFindCheckpoints: a checkpoint is read out of what people copy, and a log that
// has lost receipts since is named.
func TestFindCheckpoints(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 9)
	key, note := l.signer.VerifierKey(), string(l.checkpoint(t, 7))
	for name, text := range map[string]string{
		"the file":           note,
		"a Slack message":    "dw 10:31\nCheckpoint of 7 receipts\n```\n" + note + "```\nthanks",
		"quoted":             "> " + strings.ReplaceAll(strings.TrimSpace(note), "\n", "\n> "),
		"from a web page":    strings.ReplaceAll(note, "\n", "  \r\n"),
		"without blank line": strings.ReplaceAll(note, "\n\n", "\n"),
	} {
		found, err := FindCheckpoints(text)
		if err != nil || len(found) != 1 || string(found[0]) != note {
			t.Errorf("%s: %q, %v", name, found, err)
			continue
		}
		if r := VerifyEntries(seq(l.entries), l.head, l.checkpoint(t, 9), key, found...); r.Code != CodeGood {
			t.Errorf("%s: %+v", name, r)
		}
		cut := Head{Seq: 5, Chain: l.entries[4].Chain}
		if r := VerifyEntries(seq(l.entries[:5]), cut, l.checkpoint(t, 5), key, found...); r.Code != CodeTruncated {
			t.Errorf("%s, cut: %+v", name, r)
		}
	}
	if found, err := FindCheckpoints(note + "\n" + string(l.checkpoint(t, 8))); err != nil || len(found) != 2 {
		t.Errorf("two: %q, %v", found, err)
	}
	for name, text := range map[string]string{
		"nothing": "", "words": "dw says hello", "no signature": strings.Split(note, "\n\n")[0],
		"signature lost": strings.Split(note, "—")[0] + "and more words\n", "another size": strings.Replace(note, "\n7\n", "\nseven\n", 1),
	} {
		if found, err := FindCheckpoints(text); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %q, %v", name, found, err)
		}
	}
}
