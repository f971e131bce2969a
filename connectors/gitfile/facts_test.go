package gitfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"dw/diagnosis"
	"dw/workflows"
)

// TestFactsOfAFile: the effect that is declared before the change is what is read
// after it, byte for byte; any other edit is a difference.
func TestFactsOfAFile(t *testing.T) {
	t.Parallel()
	dir := tree(t)
	g, s := observer(t, dir), step(t, dir, diagnosis.ActionApplyDiff)
	read := func() map[string]string {
		t.Helper()
		got, err := g.ReadFacts(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return byName(got)
	}
	effect, err := g.Effect(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	undo, err := g.Effect(t.Context(), step(t, dir, diagnosis.ActionRevertDiff))
	if err != nil {
		t.Fatal(err)
	}
	start, want, back := read(), byName(effect), byName(undo)
	if start["change"] != "does not hold the change" || start["sha256"] != back["sha256"] || start["sha256"] == want["sha256"] {
		t.Errorf("read %v, the undo makes %v, the step %v", start, back, want)
	}
	write(t, dir, "models/m.sql", after)
	if got := read(); got["change"] != want["change"] || got["sha256"] != want["sha256"] {
		t.Errorf("read %v after the change, %v was declared", got, want)
	}
	write(t, dir, "models/m.sql", "zero\n"+after)
	if got := read(); got["sha256"] == want["sha256"] {
		t.Error("a further edit is not seen")
	}
	if err := os.Remove(filepath.Join(dir, "models/m.sql")); err != nil {
		t.Fatal(err)
	}
	if got, err := g.ReadFacts(t.Context(), s); err == nil {
		t.Errorf("facts %v of a file that is gone", got)
	}
}

func byName(facts []workflows.Fact) map[string]string {
	out := map[string]string{}
	for _, f := range facts {
		out[f.Name] = f.Value
	}
	return out
}

func TestEffectOfADiffThatDoesNotFit(t *testing.T) {
	t.Parallel()
	dir := tree(t)
	write(t, dir, "models/m.sql", "something else\n")
	if got, err := observer(t, dir).Effect(t.Context(), step(t, dir, diagnosis.ActionApplyDiff)); err == nil {
		t.Errorf("effect %v", got)
	}
}
