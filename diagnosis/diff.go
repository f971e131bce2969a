package diagnosis

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// UnifiedDiff returns the change of one file as text that `git apply` takes in
// the directory below which name stands. Equal texts are an error.
func UnifiedDiff(name string, before, after []byte) (string, error) {
	if err := diffableName(name); err != nil {
		return "", err
	}
	if string(before) == string(after) {
		return "", errors.New("write diff of " + name + ": nothing changes")
	}
	body, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: diffLines(before), B: diffLines(after), Context: 3, Eol: "\n"})
	if err != nil {
		return "", fmt.Errorf("write diff of %s: %w", name, err)
	}
	tab := ""
	if strings.Contains(name, " ") {
		tab = "\t" // ends a name with spaces, as git writes it
	}
	return "--- a/" + name + tab + "\n+++ b/" + name + tab + "\n" + body, nil
}

// diffableName refuses names that leave the root or that a diff header would
// have to quote.
func diffableName(name string) error {
	if name == "" || path.IsAbs(name) || path.Clean(name) != name || name == ".." || strings.HasPrefix(name, "../") {
		return fmt.Errorf("file name %q is not a plain path below its root", name)
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '\\' }) {
		return fmt.Errorf("file name %q holds characters that a diff cannot carry", name)
	}
	return nil
}

// diffLines splits a text for difflib; a last line without an end carries the
// marker that git expects.
func diffLines(text []byte) []string {
	var out []string
	for l := range strings.Lines(string(text)) {
		if !strings.HasSuffix(l, "\n") {
			l += "\n\\ No newline at end of file\n"
		}
		out = append(out, l)
	}
	return out
}
