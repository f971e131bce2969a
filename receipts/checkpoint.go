package receipts

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

var (
	// ErrMalformed reports a checkpoint, key or export line that cannot be
	// parsed.
	ErrMalformed = errors.New("malformed")
	// ErrSignature reports a checkpoint that the given key did not sign.
	ErrSignature = errors.New("signature does not match")
)

// Checkpoint is what a signed note says: the log with this Origin, which is
// "dw/<instance>", had Size receipts and this Root.
type Checkpoint struct {
	Origin string
	Size   int64
	Root   tlog.Hash
}

func checkpointText(origin string, size int64, root tlog.Hash) string {
	return fmt.Sprintf("%s\n%d\n%s\n", origin, size, root)
}

// OpenCheckpoint parses data and, if verifierKey is not empty, checks that this
// key signed it; with an empty key nothing vouches for the answer. Errors wrap
// ErrMalformed or ErrSignature. A second signature, of the key before or after, is
// allowed while keys change; it is not checked here.
func OpenCheckpoint(data []byte, verifierKey string) (Checkpoint, error) {
	n, err := parseSigned(data)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("open checkpoint: %w", err)
	}
	if verifierKey == "" {
		return n.Checkpoint, nil
	}
	if _, err := newVerifier(verifierKey); err != nil {
		return Checkpoint{}, fmt.Errorf("open checkpoint: %w", err)
	}
	if !n.signedBy([]string{verifierKey}) {
		return Checkpoint{}, fmt.Errorf("open checkpoint: %w: not signed by %s", ErrSignature, verifierKey)
	}
	return n.Checkpoint, nil
}

// openNote reads a note whose signatures nobody has checked.
func openNote(data []byte) (*note.Note, error) {
	_, err := note.Open(data, note.VerifierList())
	if unverified, ok := errors.AsType[*note.UnverifiedNoteError](err); ok {
		return unverified.Note, nil
	}
	return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
}

func newVerifier(key string) (note.Verifier, error) {
	v, err := note.NewVerifier(key)
	if err != nil {
		return nil, fmt.Errorf("public key: %w: %w (want dw/<instance>+<id>+<base64>)", ErrMalformed, err)
	}
	return v, nil
}

func parseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 {
		return Checkpoint{}, fmt.Errorf("%w: want the lines origin, size, root", ErrMalformed)
	}
	if !strings.HasPrefix(lines[0], originPrefix) {
		return Checkpoint{}, fmt.Errorf("%w: origin %q is not dw/<instance>", ErrMalformed, lines[0])
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w size: %w", ErrMalformed, err)
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w root: %w", ErrMalformed, err)
	}
	// Writing it again refuses a second spelling of the same numbers.
	if size < 0 || checkpointText(lines[0], size, root) != text {
		return Checkpoint{}, fmt.Errorf("%w: size or root is not written as dw writes it", ErrMalformed)
	}
	return Checkpoint{Origin: lines[0], Size: size, Root: root}, nil
}
