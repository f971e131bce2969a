package lineage

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"time"
)

// defaultManifestLimit is the most that is read of a manifest, in bytes after
// decompression.
const defaultManifestLimit = 50 << 20

// ManifestOptions says how to read a dbt manifest. The zero value is good for
// one that names its project.
type ManifestOptions struct {
	Project   string    // the first part of the ids; empty means the manifest's own project name
	Root      string    // the folder of the project, kept with each asset's file
	SeenAt    time.Time // the age of a manifest that does not say when it was generated
	SizeLimit int64     // bytes after decompression; 0 means 50 MB
}

// TooLargeError says that a manifest is larger than what dw reads of one.
type TooLargeError struct{ Limit int64 }

// Error names the limit, in bytes.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("it is larger than the limit of %d bytes after decompression", e.Limit)
}

// LoadManifest reads a dbt manifest (schema v1 to v12, plain or gzip) and
// returns its models, sources, seeds, snapshots and exposures, ordered by id,
// with the edges between them. Ids are `dbt://<project>/<unique_id>`; every
// statement carries the time at which the manifest was generated. An error says
// what is wrong, at which byte and in which entry; nothing is returned with it.
func LoadManifest(r io.Reader, opts ManifestOptions) ([]Asset, []Edge, error) {
	text, err := openManifest(r, opts.SizeLimit)
	if err != nil {
		return nil, nil, fmt.Errorf("read dbt manifest: %w", err)
	}
	m, err := decodeManifest(text)
	if err != nil {
		return nil, nil, fmt.Errorf("read dbt manifest: %w", err)
	}
	builder, err := newManifestReader(m, opts)
	if err != nil {
		return nil, nil, fmt.Errorf("read dbt manifest: %w", err)
	}
	assets, edges, err := builder.read()
	if err != nil {
		return nil, nil, fmt.Errorf("read dbt manifest: %w", err)
	}
	return assets, edges, nil
}

// OpenText takes off gzip and a byte order mark, where r has them, and puts on a
// limit, in bytes after decompression: beyond it, reading fails with a
// *TooLargeError.
func OpenText(r io.Reader, limit int64) (io.Reader, error) { return openManifest(r, limit) }

// openManifest is OpenText with a default for the limit.
func openManifest(r io.Reader, limit int64) (io.Reader, error) {
	if limit <= 0 {
		limit = defaultManifestLimit
	}
	buffered := bufio.NewReader(r)
	start, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.Equal(start, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("open gzip: %w", err)
		}
		buffered = bufio.NewReader(unzipped)
	}
	if mark, _ := buffered.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = buffered.Discard(len(mark)) // cannot fail: the bytes were just peeked
	}
	return &limitedReader{from: buffered, limit: limit, left: limit}, nil
}

// limitedReader fails where io.LimitReader ends: a manifest that was cut off
// must not look like one that is broken.
type limitedReader struct {
	from        io.Reader
	limit, left int64
}

// Read is for io.Reader. It reads one byte beyond the limit to tell a manifest
// of exactly that size from a larger one.
func (l *limitedReader) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.from.Read(p)
	l.left -= int64(n)
	if l.left < 0 {
		return 0, &TooLargeError{Limit: l.limit}
	}
	return n, err
}
