package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"dw/receipts"
	"dw/workflows"
)

var errNoHead = errors.New("the row is missing: the database was changed by hand; restore it from a backup")

// Head returns the end of the log; the zero Head before the first receipt.
func (r *reader) Head(ctx context.Context) (receipts.Head, error) {
	var head receipts.Head
	found := false
	if r.turn != nil && r.turn.log.known {
		return r.turn.log.head, nil
	}
	err := r.scan(ctx, "head_get", func(rows *sql.Rows) error {
		var chain []byte
		var at int64
		if err := rows.Scan(&head.Seq, &chain, &at); err != nil {
			return err
		}
		found = true
		if head.Seq > 0 {
			head.At = fromMicros(at)
		}
		return copyHash(&head.Chain, chain)
	})
	if err == nil && !found {
		err = errNoHead
	}
	if err != nil {
		return receipts.Head{}, fmt.Errorf("load head of the log: %w", err)
	}
	if r.turn != nil {
		*r.turn.log = logEnd{known: true, stored: head, head: head}
	}
	return head, nil
}

// Receipts lists the receipts after a seq in their order, at most limit, all if
// limit is not positive. The bytes are as stored: nothing is checked here.
func (r *reader) Receipts(ctx context.Context, after int64, limit int) ([]receipts.Entry, error) {
	list := []receipts.Entry{}
	err := r.scan(ctx, "receipt_list", func(rows *sql.Rows) error {
		var e receipts.Entry
		var leaf, prev, chain []byte
		if err := rows.Scan(&e.Seq, &e.Bytes, &leaf, &prev, &chain); err != nil {
			return err
		}
		list = append(list, e)
		last := &list[len(list)-1]
		return copyHashes([]*[32]byte{&last.Leaf, &last.Prev, &last.Chain}, leaf, prev, chain)
	}, after, limitOf(limit))
	if err != nil {
		return nil, fmt.Errorf("list receipts after %d: %w", after, err)
	}
	if r.turn != nil {
		list = append(list, r.turn.log.after(after, leftOf(limit, len(list)))...)
	}
	return list, nil
}

func copyHashes(to []*[32]byte, from ...[]byte) error {
	for i := range to {
		if err := copyHash(to[i], from[i]); err != nil {
			return err
		}
	}
	return nil
}

func copyHash(to *[32]byte, from []byte) error {
	if len(from) != len(to) {
		return fmt.Errorf("a stored hash has %d bytes, not %d", len(from), len(to))
	}
	copy(to[:], from)
	return nil
}

// AppendReceipt gives d its place at the end of the log, without secrets and
// with its free texts kept beside it. The head is swapped
// from the value read, so two writers can never fork the chain.
func (t *writer) AppendReceipt(ctx context.Context, d receipts.Draft) (receipts.Entry, error) {
	head, err := t.Head(ctx)
	if err != nil {
		return receipts.Entry{}, t.fail(err)
	}
	sealed, texts, err := receipts.Sealer{Redactor: t.db.opts.Redactor, Rand: t.db.opts.Rand}.Seal(d)
	if err != nil {
		return receipts.Entry{}, t.fail(err)
	}
	e, next, err := receipts.Append(t.db.instance, head, sealed)
	if errors.Is(err, receipts.ErrClock) {
		return t.appendAfterJump(ctx, head, d)
	}
	if err != nil {
		return receipts.Entry{}, t.fail(err)
	}
	if err := t.storeReceipt(ctx, e, head, next, texts); err != nil {
		return receipts.Entry{}, t.fail(fmt.Errorf("store receipt %d (%s): %w", e.Seq, d.Kind, err))
	}
	t.byPerson = t.byPerson || d.Actor.Kind == receipts.ActorHuman
	return e, nil
}

// appendAfterJump records that the clock went back before it appends d: time
// only informs, seq orders, and a log that refused to go on would stop dw.
func (t *writer) appendAfterJump(ctx context.Context, head receipts.Head, d receipts.Draft) (receipts.Entry, error) {
	jump := receipts.Draft{
		Kind: receipts.KindClockJump, Actor: receipts.Actor{Kind: receipts.ActorDW}, At: d.At,
		Body: receipts.Object{"from": head.At, "to": d.At},
	}
	if _, err := t.AppendReceipt(ctx, jump); err != nil {
		return receipts.Entry{}, err
	}
	return t.AppendReceipt(ctx, d)
}

// storeReceipt writes e and what belongs to it, or holds it for the commit of a
// shared transaction.
func (t *writer) storeReceipt(ctx context.Context, e receipts.Entry, head, next receipts.Head, texts []receipts.Text) error {
	hashes, err := receipts.StoredHashes(e.Seq, e.Leaf, treeReader{ctx, &t.reader})
	if err != nil {
		return err
	}
	if t.turn != nil {
		t.turn.log.add(e, next, hashes, texts)
		return nil
	}
	if err := t.swapHead(ctx, head, next); err != nil {
		return err
	}
	if err := t.insertReceipts(ctx, e); err != nil {
		return err
	}
	if err := t.insertTree(ctx, receipts.FirstIndex(e.Seq), hashes); err != nil {
		return err
	}
	return t.storeTexts(ctx, e.Seq, texts)
}

func (t *writer) swapHead(ctx context.Context, head, next receipts.Head) error {
	n, err := t.exec(ctx, "head_swap", next.Seq, next.Chain[:], toMicros(next.At), head.Seq, head.Chain[:])
	if err != nil {
		return err
	}
	if n != 1 {
		return fmt.Errorf("the log's head moved: %w", workflows.ErrConflict)
	}
	return nil
}

func (t *writer) insertReceipts(ctx context.Context, list ...receipts.Entry) error {
	const columns = 5
	args := make([]any, 0, columns*len(list))
	for i := range list {
		e := &list[i]
		args = append(args, e.Seq, e.Bytes, e.Leaf[:], e.Prev[:], e.Chain[:])
	}
	return t.insertRows(ctx, "receipt_insert", columns, args)
}
