package store

import (
	"context"
	"database/sql"
	"fmt"

	"dw/receipts"
)

// insertTree stores consecutive hashes of the tree.
func (t *writer) insertTree(ctx context.Context, first int64, hashes []receipts.Hash) error {
	const columns = 2
	args := make([]any, 0, columns*len(hashes))
	for i := range hashes {
		args = append(args, first+int64(i), hashes[i][:])
	}
	return t.insertRows(ctx, "tree_insert", columns, args)
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
	if t.r.turn != nil {
		if h, ok := t.r.turn.log.hash(index); ok {
			return h, nil
		}
	}
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
