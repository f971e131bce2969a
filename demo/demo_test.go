package demo

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// playAuto plays a variant and returns the last line of its timeline.
func playAuto(t *testing.T, o Options) (outcome, []entry) {
	t.Helper()
	var out bytes.Buffer
	o.Dir, o.Auto, o.JSON, o.Out, o.history = filepath.Join(t.TempDir(), "demo"), true, true, &out, testHistory(t)
	err := Run(t.Context(), o)
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(o.Dir, "dw.log"))
		t.Fatalf("%v\n%s\n%s", err, out.String(), tail(log, 4000))
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var end outcome
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &end); err != nil {
		t.Fatalf("last line %s: %v", lines[len(lines)-1], err)
	}
	var entries []entry
	for _, line := range lines[:len(lines)-1] {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("line %s: %v", line, err)
		}
		entries = append(entries, e)
	}
	t.Log(out.String())
	return end, entries
}

func tail(b []byte, n int) []byte { return b[max(0, len(b)-n):] }

func TestVariants(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{variantDay, variantNone, variantDropApp, variantLate} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			end, _ := playAuto(t, Options{Variant: variant})
			if !end.Verified {
				t.Error("not verified")
			}
		})
	}
}
