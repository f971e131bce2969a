package app

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"dw/blocks"
	"dw/receipts"
	"dw/store"
	"dw/workflows"
)

// receiptPage is how many receipts are read at once.
const receiptPage = 500

// Log reads the receipts of a database. It changes nothing.
type Log struct {
	store  *store.DB
	closer io.Closer
	key    string // public key, where this process holds the private one

	instance string
}

// OpenLog opens a database for reading only.
func OpenLog(ctx context.Context, dsn string) (*Log, error) {
	db, err := store.OpenReadOnly(ctx, dsn)
	if err != nil {
		return nil, err
	}
	return &Log{store: db, closer: db, instance: db.Instance()}, nil
}

// Close closes the database, if this Log opened it.
func (l *Log) Close() error {
	if l.closer == nil {
		return nil
	}
	return l.closer.Close()
}

// entries yields every receipt in order, in one consistent view.
func entries(ctx context.Context, tx workflows.ReceiptReads) iter.Seq2[receipts.Entry, error] {
	return func(yield func(receipts.Entry, error) bool) {
		for after := int64(0); ; {
			page, err := tx.Receipts(ctx, after, receiptPage)
			if err != nil {
				yield(receipts.Entry{}, err)
				return
			}
			for _, entry := range page {
				if !yield(entry, nil) {
					return
				}
				after = entry.Seq
			}
			if len(page) < receiptPage {
				return
			}
		}
	}
}

// Verify checks every receipt against the head, the newest checkpoint, and any
// earlier checkpoints; an empty publicKey leaves signatures unchecked, which
// the report says.
func (l *Log) Verify(ctx context.Context, publicKey string, atLeast ...[]byte) (report receipts.Report, err error) {
	err = l.store.View(ctx, func(tx workflows.ReadTx) error {
		head, err := tx.Head(ctx)
		if err != nil {
			return fmt.Errorf("read the head: %w", err)
		}
		checkpoint, err := tx.Checkpoint(ctx)
		if err != nil {
			return fmt.Errorf("read the checkpoint: %w", err)
		}
		report = receipts.VerifyEntries(entries(ctx, tx), head, checkpoint, publicKey, atLeast...)
		return nil
	})
	return report, err
}

// VerifyReceipts verifies with this process's own key.
func (l *Log) VerifyReceipts(ctx context.Context) (receipts.Report, error) {
	return l.Verify(ctx, l.key)
}

// Stopped returns the stop as it stands; one that cannot be understood is on.
func (l *Log) Stopped(ctx context.Context) (stop workflows.Stop, err error) {
	err = l.store.View(ctx, func(tx workflows.ReadTx) error {
		stop, err = tx.Stop(ctx)
		return err
	})
	return stop, err
}

// Receipt returns one receipt as it is stored.
func (l *Log) Receipt(ctx context.Context, seq int64) (entry receipts.Entry, err error) {
	err = l.store.View(ctx, func(tx workflows.ReadTx) error {
		found, err := tx.Receipts(ctx, seq-1, 1)
		if err != nil {
			return err
		}
		if len(found) == 0 || found[0].Seq != seq {
			return fmt.Errorf("there is no receipt %d", seq)
		}
		entry = found[0]
		return nil
	})
	return entry, err
}

// LastReceipts lists the newest receipts, oldest of them first; an incident
// leaves out those of others.
func (l *Log) LastReceipts(ctx context.Context, incident string, limit int) (rows []blocks.Receipt, err error) {
	err = l.store.View(ctx, func(tx workflows.ReadTx) error {
		for entry, err := range entries(ctx, tx) {
			if err != nil {
				return err
			}
			row, err := receiptRow(entry)
			if err != nil {
				return err
			}
			if incident == "" || row.Incident == incident {
				rows = append(rows, row)
			}
			if len(rows) > limit {
				rows = rows[1:]
			}
		}
		return nil
	})
	return rows, err
}

// receiptRow reads what a list shows out of a receipt's bytes.
func receiptRow(entry receipts.Entry) (blocks.Receipt, error) {
	statement, err := receipts.Decode(entry.Bytes)
	if err != nil {
		return blocks.Receipt{}, fmt.Errorf("read receipt %d: %w", entry.Seq, err)
	}
	predicate, _ := statement["predicate"].(receipts.Object)
	actor, _ := predicate["actor"].(receipts.Object)
	said := func(o receipts.Object, key string) string {
		value, _ := o[key].(string)
		return value
	}
	who := said(actor, "kind")
	if name := said(actor, "name"); name != "" && name != who {
		who += " " + name
	}
	kind := said(predicate, "kind")
	if body, ok := predicate["body"].(receipts.Object); ok && body["errand"] != nil {
		kind = strings.Join(strings.Fields(kind+" "+said(body, "system")+" "+said(body, "errand")+" "+said(body, "state")), " ")
	}
	return blocks.Receipt{
		Seq: entry.Seq, Kind: kind, Incident: said(predicate, "incident"), Proposal: said(predicate, "proposal"),
		Who: who, At: said(predicate, "at"), Chain: hex.EncodeToString(entry.Chain[:]),
	}, nil
}

// Export writes the receipts to an empty folder; the public key stands in it
// for convenience, and an auditor should hold it from elsewhere.
func (l *Log) Export(ctx context.Context, dir string) error {
	return l.store.View(ctx, func(tx workflows.ReadTx) error {
		checkpoint, err := tx.Checkpoint(ctx)
		if err != nil {
			return fmt.Errorf("read the checkpoint: %w", err)
		}
		if checkpoint == nil {
			return errors.New("there is no checkpoint yet, so there is nothing signed to export; start dw once")
		}
		key, err := publicKeyOf(ctx, tx)
		if err != nil {
			return err
		}
		return receipts.WriteExport(dir, entries(ctx, tx), checkpoint, key)
	})
}

// Bundle writes the receipts of one incident to an empty folder, each with its
// proof under the newest checkpoint. It fails for an incident without receipts.
func (l *Log) Bundle(ctx context.Context, incident, dir string) (count receipts.Bundled, err error) {
	err = l.store.View(ctx, func(tx workflows.ReadTx) error {
		checkpoint, err := tx.Checkpoint(ctx)
		if err != nil {
			return fmt.Errorf("read the checkpoint: %w", err)
		}
		if checkpoint == nil {
			return errors.New("there is no checkpoint yet, so nothing is signed; start dw once")
		}
		key, err := publicKeyOf(ctx, tx)
		if err != nil {
			return err
		}
		count, err = receipts.WriteBundle(dir, incident, entries(ctx, tx), checkpoint, key)
		return err
	})
	return count, err
}

// publicKeyOf finds the newest public key that the receipts themselves name.
func publicKeyOf(ctx context.Context, tx workflows.ReceiptReads) (string, error) {
	key := ""
	for entry, err := range entries(ctx, tx) {
		if err != nil {
			return "", err
		}
		statement, err := receipts.Decode(entry.Bytes)
		if err != nil {
			return "", fmt.Errorf("read receipt %d: %w", entry.Seq, err)
		}
		predicate, _ := statement["predicate"].(receipts.Object)
		if predicate["kind"] != receipts.KindKeyCreated && predicate["kind"] != receipts.KindKeyRotated {
			continue
		}
		if body, ok := predicate["body"].(receipts.Object); ok {
			key, _ = body["public_key"].(string)
		}
	}
	if key == "" {
		return "", errors.New("no receipt names a public key")
	}
	return key, nil
}

// writePublicKey puts the public key beside the private one, for auditors.
func writePublicKey(keyFile, key string) error {
	path := filepath.Join(filepath.Dir(keyFile), "receipts.pub")
	if err := os.WriteFile(path, []byte(key+"\n"), 0o644); err != nil { //nolint:gosec // a public key is for everybody
		return fmt.Errorf("write the public key: %w", err)
	}
	return nil
}
