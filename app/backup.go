package app

import (
	"context"
	"errors"
	"fmt"
	"os"

	"dw/config"
	"dw/receipts"
	"dw/store"
)

// BackedUp is what a backup holds.
type BackedUp struct {
	File    string          `json:"file"`
	Bytes   int64           `json:"bytes"`
	From    int64           `json:"from_bytes"` // of the database with its write-ahead log
	Receipt receipts.Report `json:"receipts"`
}

// Backup copies the database of a configuration to a file that does not exist
// yet, while dw may run, and verifies the copy: its pages, and every receipt. A
// copy that does not verify stays where it is, for those who look into it, and is
// an error.
func Backup(ctx context.Context, c *config.Config, out string) (BackedUp, error) {
	dsn := c.Store.DSN.Reveal()
	done := BackedUp{File: out}
	if err := store.Backup(ctx, dsn, out); err != nil {
		return done, err
	}
	report, err := verifyFile(ctx, out, c)
	if err != nil {
		return done, fmt.Errorf("verify the backup: %w", err)
	}
	done.Receipt, done.Bytes, done.From = report, size(out), size(dsn)+size(dsn+"-wal")
	return done, goodLog(report)
}

// goodLog fails unless every receipt verifies; without the key the signature may
// be unchecked.
func goodLog(report receipts.Report) error {
	if report.Code == receipts.CodeGood || report.Code == receipts.CodeUnsigned {
		return nil
	}
	return errors.New("the receipts do not verify: " + report.String())
}

// publicKey is that of the signing key on this machine, or nothing.
func publicKey(c *config.Config) string {
	signer, err := receipts.LoadKey(c.Receipts.KeyFile)
	if err != nil {
		return ""
	}
	return signer.VerifierKey()
}

func verifyFile(ctx context.Context, path string, c *config.Config) (receipts.Report, error) {
	log, still, err := OpenLogUntouched(ctx, path)
	if err != nil {
		return receipts.Report{}, err
	}
	report, err := verifyOwn(ctx, log, c)
	if err := errors.Join(err, log.Close()); err != nil {
		return receipts.Report{}, err
	}
	if !still() {
		return receipts.Report{}, fmt.Errorf("%s was opened by another process meanwhile", path)
	}
	return report, nil
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
