package receipts

import (
	"fmt"
	"strings"
)

// FindCheckpoints returns the checkpoints that stand in text, as it was copied out
// of a Slack message, a mail or a file: quotes, fences, blank lines and spaces around
// the lines are left out. It fails with ErrMalformed where there is none, or where one
// lost its signature. Nothing vouches for them yet: pass them to a verification.
func FindCheckpoints(text string) ([][]byte, error) {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.Trim(line, " \t\r\n>`\u00a0"); line != "" {
			lines = append(lines, line)
		}
	}
	var found [][]byte
	for n, line := range lines {
		if !strings.HasPrefix(line, originPrefix) || len(lines) < n+4 || strings.ContainsAny(line, " +") {
			continue
		}
		note := fmt.Appendf(nil, "%s\n%s\n%s\n\n", line, lines[n+1], lines[n+2])
		for _, sig := range lines[n+3:] {
			if !strings.HasPrefix(sig, "— ") {
				break
			}
			note = append(note, sig+"\n"...)
		}
		if _, err := parseSigned(note); err != nil {
			return nil, fmt.Errorf("the checkpoint of %s: %w", line, err)
		}
		found = append(found, note)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: no checkpoint stands in it (origin, size, root, and the signature's line that begins with a dash)", ErrMalformed)
	}
	return found, nil
}
