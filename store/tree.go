package store

import (
	"context"
	"database/sql"
	"fmt"

	"dw/receipts"
)

// growTree stores the tree hashes that a new receipt completes.
func (t *writer) growTree(ctx context.Context, e receipts.Entry) error {
	hashes, err := receipts.StoredHashes(e.Seq, e.Leaf, treeReader{ctx, &t.reader})
	if err != nil {
		return err
	}
	first := receipts.FirstIndex(e.Seq)
	for i, h := range hashes {
		if _, err := t.exec(ctx, "tree_insert", first+int64(i), h[:]); err != nil {
			return err
		}
	}
	return nil
}

// treeReader reads stored tree hashes within one transaction; the interface
// that it meets has no context, so it holds the one of the call it serves.
type treeReader struct {
	ctx context.Context
	r   *reader
}

// ReadHashes returns the hashes stored at the indexes, in their order.
func (t treeReader) ReadHashes(indexes []int64) ([]receipts.Hash, error) {
	hashes := make([]receipts.Hash, 0, len(indexes))
	for _, index := range indexes {
		h, err := t.one(index)
		if err != nil {
			return nil, fmt.Errorf("read tree hash %d: %w", index, err)
		}
		hashes = append(hashes, h)
	}
	return hashes, nil
}

func (t treeReader) one(index int64) (receipts.Hash, error) {
	var h [32]byte
	found := false
	err := t.r.scan(t.ctx, "tree_get", func(rows *sql.Rows) error {
		var raw []byte
		found = true
		if err := rows.Scan(&raw); err != nil {
			return err
		}
		return copyHash(&h, raw)
	}, index)
	if err == nil && !found {
		err = fmt.Errorf("it is missing: the database was changed by hand")
	}
	return h, err
}
