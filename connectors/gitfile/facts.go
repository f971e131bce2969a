package gitfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"dw/diagnosis"
	"dw/workflows"
)

// The names of the facts: whether the file holds the step's change, and the
// SHA-256 of what it holds.
const (
	factChange = "change"
	factHash   = "sha256"
)

var _ workflows.FactReader = (*Observer)(nil)

// Reads reports whether the observer can read the file of such an action.
func (g *Observer) Reads(a diagnosis.Action) bool { return g.Known(a) }

// ReadFacts reads the file that the step's diff changes.
func (g *Observer) ReadFacts(ctx context.Context, s diagnosis.PlannedStep) ([]workflows.Fact, error) {
	seen, err := g.look(ctx, s)
	if err != nil {
		return nil, err
	}
	content, err := readIn(seen.root, s.File)
	if err != nil {
		return nil, err
	}
	return []workflows.Fact{{Name: factChange, Value: seen.state}, {Name: factHash, Value: hashOf(content)}}, nil
}

// Effect declares what the file holds after the step: for apply_diff what git
// makes of it now, for revert_diff what it holds now.
func (g *Observer) Effect(ctx context.Context, s diagnosis.PlannedStep) ([]workflows.Fact, error) {
	root, _, err := g.file(s)
	if err != nil {
		return nil, err
	}
	content, err := readIn(root, s.File)
	if err != nil {
		return nil, err
	}
	if s.Action.Name == diagnosis.ActionRevertDiff {
		return []workflows.Fact{{Name: factChange, Value: unchanged}, {Name: factHash, Value: hashOf(content)}}, nil
	}
	after, err := g.after(ctx, s, content)
	if err != nil {
		return nil, err
	}
	return []workflows.Fact{{Name: factChange, Value: changed}, {Name: factHash, Value: hashOf(after)}}, nil
}

// after applies the diff to a copy of the file.
func (g *Observer) after(ctx context.Context, s diagnosis.PlannedStep, content []byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "dw-diff-")
	if err != nil {
		return nil, fmt.Errorf("gitfile: try the diff of %s: %w", s.File, err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	copied := filepath.Join(dir, filepath.FromSlash(s.File))
	if err := os.MkdirAll(filepath.Dir(copied), 0o700); err != nil {
		return nil, fmt.Errorf("gitfile: try the diff of %s: %w", s.File, err)
	}
	if err := os.WriteFile(copied, content, 0o600); err != nil {
		return nil, fmt.Errorf("gitfile: try the diff of %s: %w", s.File, err)
	}
	out, code, err := g.git(ctx, dir, s.Diff, "apply", "-")
	if err != nil {
		return nil, err
	}
	if code != 0 {
		return nil, fmt.Errorf("gitfile: the diff of %s does not fit: %s", s.File, firstLine(out.stderr))
	}
	return readIn(dir, s.File)
}

// readIn reads a file below a folder, and nothing outside of it.
func readIn(root, file string) ([]byte, error) {
	in, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("gitfile: open root %s: %w", root, err)
	}
	defer in.Close() //nolint:errcheck // only read
	content, err := in.ReadFile(filepath.FromSlash(file))
	if err != nil {
		return nil, fmt.Errorf("gitfile: read %s in %s: %w", file, root, err)
	}
	return content, nil
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
