package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dw/config"
	"dw/receipts"
	"dw/store"
	"dw/workflows"
)

// ShredRequest names the receipts whose free texts go: one by Seq, or all of an
// Incident. By is who asks, Why is kept in the receipt of it.
type ShredRequest struct {
	Seq      int64
	Incident string
	By       string
	Why      string
	Now      time.Time
}

// Shred deletes the free texts that are kept for receipts, and the same words in
// the decisions of the proposals that they are about; the chain stays. It returns how
// many texts went. It fails with store.ErrNoText where none is kept, and with
// store.ErrNotFolded, the texts gone, where their pages still lie in a file beside
// the database.
func Shred(ctx context.Context, c *config.Config, r ShredRequest) (gone int, err error) {
	db, err := store.Open(ctx, c.Store.DSN.Reveal(), store.Options{Instance: c.Instance, Redactor: redactorOf(c)})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	entries, err := textedReceipts(ctx, db, r)
	if err != nil {
		return 0, err
	}
	seqs := make([]int64, len(entries))
	for n, e := range entries {
		seqs[n] = e.Seq
	}
	who := receipts.Actor{Kind: receipts.ActorHuman, Name: r.By}
	return db.Shred(ctx, seqs, who, r.Why, r.Now, func(tx workflows.Tx) error {
		for _, e := range entries {
			if err := forgetReason(ctx, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// textedReceipts are the receipts asked for that have a text.
func textedReceipts(ctx context.Context, db *store.DB, r ShredRequest) ([]receipts.Entry, error) {
	kept, err := db.KeptTexts(ctx, r.Seq)
	if err != nil {
		return nil, err
	}
	log := &Log{store: db}
	var found []receipts.Entry
	for _, t := range kept {
		if n := len(found); n > 0 && found[n-1].Seq == t.Seq {
			continue
		}
		entry, err := log.Receipt(ctx, t.Seq)
		if err != nil {
			return nil, err
		}
		row, err := receiptRow(entry)
		if err != nil {
			return nil, err
		}
		if r.Incident == "" || row.Incident == r.Incident {
			found = append(found, entry)
		}
	}
	return found, nil
}

// forgetReason takes the reason of a rejection out of the proposal that it ended.
func forgetReason(ctx context.Context, tx workflows.Tx, e receipts.Entry) error {
	statement, err := receipts.Decode(e.Bytes)
	if err != nil {
		return fmt.Errorf("read receipt %d: %w", e.Seq, err)
	}
	predicate, _ := statement["predicate"].(receipts.Object)
	actor, _ := predicate["actor"].(receipts.Object)
	id, _ := predicate["proposal"].(string)
	if predicate["kind"] != receipts.KindDecisionRecorded || id == "" {
		return nil
	}
	p, err := tx.Proposal(ctx, id)
	if errors.Is(err, workflows.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read proposal %s: %w", id, err)
	}
	for n, d := range p.Decisions {
		if d.By.User == actor["user"] {
			p.Decisions[n].Reason = ""
		}
	}
	_, err = tx.PutProposal(ctx, p)
	return err
}

// Texts lists the free texts that are kept for a receipt, each checked against it.
func (l *Log) Texts(ctx context.Context, entry receipts.Entry) ([]receipts.KeptText, error) {
	kept, err := l.store.KeptTexts(ctx, entry.Seq)
	if err != nil {
		return nil, err
	}
	for _, t := range kept {
		if err := receipts.CheckText(entry.Bytes, t.Text); err != nil {
			return nil, fmt.Errorf("receipt %d: %w", entry.Seq, err)
		}
	}
	return kept, nil
}

// SignedTexts lists the free texts that are kept for receipts under the newest
// checkpoint, or for those of one incident. Ask before the export that they are to
// accompany: what comes later is then in neither.
func (l *Log) SignedTexts(ctx context.Context, incident string) ([]receipts.KeptText, error) {
	kept, err := l.store.KeptTexts(ctx, 0)
	if err != nil {
		return nil, err
	}
	signed, err := l.signedSize(ctx)
	if err != nil {
		return nil, err
	}
	var of []receipts.KeptText
	for _, t := range kept {
		entry, err := l.Receipt(ctx, t.Seq)
		if err != nil {
			return nil, err
		}
		row, err := receiptRow(entry)
		if err != nil {
			return nil, err
		}
		if (incident == "" || row.Incident == incident) && t.Seq <= signed {
			of = append(of, t)
		}
	}
	return of, nil
}

// signedSize is how many receipts the newest checkpoint covers.
func (l *Log) signedSize(ctx context.Context) (size int64, err error) {
	err = l.store.View(ctx, func(tx workflows.ReadTx) error {
		note, err := tx.Checkpoint(ctx)
		if err != nil || note == nil {
			return err
		}
		c, err := receipts.OpenCheckpoint(note, "")
		size = c.Size
		return err
	})
	return size, err
}
