package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"dw/lineage"
)

// The kinds of row in table lineage.
const (
	lineageAsset = "asset"
	lineageEdge  = "edge"
)

// PutLineage folds what one source states into what it stated before, whole or
// not at all: see lineage.FoldAsset and lineage.FoldEdge. Every statement must
// name that source. Stating the same again changes nothing but the time.
func (db *DB) PutLineage(ctx context.Context, s lineage.Statements) error {
	s = s.Folded()
	err := db.update(ctx, func(t *writer) error {
		for _, a := range s.Assets {
			if err := putFolded(ctx, t, lineageAsset, a.From[0], []string{string(a.ID)}, a, lineage.FoldAsset); err != nil {
				return fmt.Errorf("asset %s: %w", a.ID, err)
			}
		}
		for _, e := range s.Edges {
			if err := putFolded(ctx, t, lineageEdge, e.Seen, []string{string(e.From), string(e.To)}, e, lineage.FoldEdge); err != nil {
				return fmt.Errorf("edge %s -> %s: %w", e.From, e.To, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store lineage: %w", err)
	}
	return nil
}

// putFolded stores one statement with what was stored of it.
func putFolded[T any](ctx context.Context, t *writer, kind string, from lineage.Provenance, id []string, v T, fold func(before, now T) T) error {
	key := lineageKey(append([]string{kind, from.Source}, id...))
	before, found, err := firstDoc[T](ctx, &t.reader, "lineage_get", key)
	if err != nil {
		return err
	}
	if found {
		v = fold(before, v)
	}
	doc, err := encodeDoc(v)
	if err != nil {
		return t.fail(err)
	}
	_, err = t.exec(ctx, "lineage_put", key, kind, from.Source, toMicros(seenOrZero(from.SeenAt)), doc)
	return err
}

// seenOrZero makes the epoch of a time that is not known.
func seenOrZero(at time.Time) time.Time {
	if at.IsZero() {
		return time.UnixMicro(0)
	}
	return at
}

// lineageKey is one text for a list of texts; no text holds the separator's
// length twice, since each is written with its own.
func lineageKey(parts []string) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "%d:%s", len(p), p)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}

// Lineage returns every statement that was put, and its revision: it grows with
// each put.
func (db *DB) Lineage(ctx context.Context) (lineage.Statements, int64, error) {
	var out lineage.Statements
	var rev int64
	err := db.viewOwn(ctx, func(r *reader) (err error) {
		if rev, err = lineageRev(ctx, r); err != nil {
			return err
		}
		if out.Assets, err = listDocs[lineage.Asset](ctx, r, "lineage_list", lineageAsset); err != nil {
			return err
		}
		out.Edges, err = listDocs[lineage.Edge](ctx, r, "lineage_list", lineageEdge)
		return err
	})
	if err != nil {
		return lineage.Statements{}, 0, fmt.Errorf("read lineage: %w", err)
	}
	return out, rev, nil
}

// LineageRev returns the revision of what Lineage returns, without reading it.
func (db *DB) LineageRev(ctx context.Context) (rev int64, err error) {
	err = db.viewOwn(ctx, func(r *reader) (err error) {
		rev, err = lineageRev(ctx, r)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("read the revision of lineage: %w", err)
	}
	return rev, nil
}

func lineageRev(ctx context.Context, r *reader) (rev int64, err error) {
	err = r.scan(ctx, "lineage_rev", func(rows *sql.Rows) error { return rows.Scan(&rev) })
	return rev, err
}

// viewOwn is View for what only store knows of.
func (db *DB) viewOwn(ctx context.Context, do func(*reader) error) error {
	tx, err := db.beginView(ctx)
	if err != nil {
		return fmt.Errorf("begin view: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	return do(&reader{queries: db.sql, run: db.reads.bind(tx)})
}
