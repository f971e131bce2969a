package store

import (
	"context"
	"fmt"
	"slices"

	"dw/receipts"
)

// logEnd is the end of the log as the updates of one shared transaction have left it.
// The head is read once for all of them, and their receipts are held here until the
// commit, which writes them in one go.
type logEnd struct {
	known   bool
	stored  receipts.Head // what the database has
	head    receipts.Head
	entries []receipts.Entry
	hashes  []receipts.Hash // of the tree, from the index of the first entry's on
	texts   []receipts.KeptText
}

// mark is a place to which the end of the log can go back.
type mark struct {
	head                   receipts.Head
	entries, hashes, texts int
}

func (l *logEnd) mark() mark {
	return mark{l.head, len(l.entries), len(l.hashes), len(l.texts)}
}

func (l *logEnd) back(m mark) {
	l.head = m.head
	if m.entries == 0 { // the head may not have been read then
		l.head = l.stored
	}
	l.entries, l.hashes, l.texts = l.entries[:m.entries], l.hashes[:m.hashes], l.texts[:m.texts]
}

// add holds what belongs to the receipt e, which moves the head to next.
func (l *logEnd) add(e receipts.Entry, next receipts.Head, hashes []receipts.Hash, texts []receipts.Text) {
	l.head = next
	l.entries, l.hashes = append(l.entries, e), append(l.hashes, hashes...)
	for _, text := range texts {
		l.texts = append(l.texts, receipts.KeptText{Seq: e.Seq, Text: text})
	}
}

// hash returns a hash of the tree that is not stored yet.
func (l *logEnd) hash(index int64) (h receipts.Hash, ok bool) {
	if len(l.entries) == 0 {
		return h, false
	}
	at := index - receipts.FirstIndex(l.entries[0].Seq)
	if at < 0 || at >= int64(len(l.hashes)) {
		return h, false
	}
	return l.hashes[at], true
}

// after returns the receipts after a seq that are not stored yet, at most limit
// where that is not negative.
func (l *logEnd) after(seq int64, limit int) []receipts.Entry {
	at, _ := slices.BinarySearchFunc(l.entries, seq+1, func(e receipts.Entry, seq int64) int { return int(e.Seq - seq) })
	rest := l.entries[at:]
	if limit >= 0 {
		rest = rest[:min(limit, len(rest))]
	}
	return rest
}

// storeLog writes what the updates have appended.
func (t *writer) storeLog(ctx context.Context, l *logEnd) error {
	if len(l.entries) == 0 {
		return nil
	}
	if err := t.swapHead(ctx, l.stored, l.head); err != nil {
		return err
	}
	if err := t.insertReceipts(ctx, l.entries...); err != nil {
		return err
	}
	if err := t.insertTree(ctx, receipts.FirstIndex(l.entries[0].Seq), l.hashes); err != nil {
		return err
	}
	for _, text := range l.texts {
		if err := t.storeTexts(ctx, text.Seq, []receipts.Text{text.Text}); err != nil {
			return fmt.Errorf("store receipt %d: %w", text.Seq, err)
		}
	}
	return nil
}
