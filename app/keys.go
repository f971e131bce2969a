package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dw/config"
	"dw/receipts"
	"dw/store"
	"dw/workflows"
)

// Files beside receipts.key_file while keys change.
const (
	nextSuffix     = ".next"     // made, not in force yet
	previousSuffix = ".previous" // signs too, until it is retired
)

// loadSigner reads the signing key and, while keys change, the one before it.
func loadSigner(keyFile string) (receipts.Signer, error) {
	signer, err := receipts.LoadKey(keyFile)
	if err != nil {
		return receipts.Signer{}, err
	}
	previous, err := receipts.LoadKey(keyFile + previousSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return signer, nil
	}
	if err != nil {
		return receipts.Signer{}, err
	}
	return signer.WithPrevious(previous), nil
}

// writeCheckpoint signs the log with the key as it is now: another process may have
// rotated it.
func (a *App) writeCheckpoint(ctx context.Context) error {
	signer, err := loadSigner(a.project.Config.Receipts.KeyFile)
	if err != nil {
		return fmt.Errorf("sign the receipts: %w", err)
	}
	a.store.UseSigner(signer)
	return a.store.WriteCheckpoint(ctx)
}

// refuseHalfRotated keeps dw from signing with a key that the log has given up,
// after a rotation that was cut off between the log and the files.
func (a *App) refuseHalfRotated(ctx context.Context, tx workflows.ReceiptReads, head receipts.Head) error {
	if !there(a.project.Config.Receipts.KeyFile+nextSuffix) || head.Seq == 0 {
		return nil
	}
	key, err := publicKeyOf(ctx, tx)
	if err != nil {
		return err
	}
	if key != a.receipts.key {
		return errors.New("a rotation of the signing key was cut off: the log names the new key, receipts.key_file holds the old one; finish it with dw receipts rotate-key")
	}
	return nil
}

// Rotated is what a rotation did.
type Rotated struct {
	Old, New string // public keys
	Previous string // file of the old private key, which signs too until it is retired
}

// RotateKey makes a new signing key, records the change signed by both, and puts the
// new key in the place of the old one, which goes on signing beside it until
// RetireKey. A rotation that was cut off is finished. dw may run: it signs with what
// the files hold.
func RotateKey(ctx context.Context, c *config.Config, by string, now time.Time) (Rotated, error) {
	file := c.Receipts.KeyFile
	if there(file+previousSuffix) && !there(file+nextSuffix) {
		return Rotated{}, fmt.Errorf("the last rotation is not over: %s still signs; say --retire first", file+previousSuffix)
	}
	old, err := receipts.LoadKey(file)
	if err != nil {
		return Rotated{}, err
	}
	next, err := nextKey(file+nextSuffix, c.Instance)
	if err != nil {
		return Rotated{}, err
	}
	done := Rotated{Old: old.VerifierKey(), New: next.VerifierKey(), Previous: file + previousSuffix}
	if err := recordRotation(ctx, c, old, next, by, now); err != nil {
		return done, err
	}
	return done, swapKeys(file, done)
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// nextKey makes the new key, or takes up the one of a rotation that was cut off.
func nextKey(path, instance string) (receipts.Signer, error) {
	next, err := receipts.LoadKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		return receipts.CreateKey(path, instance, rand.Reader)
	}
	return next, err
}

// recordRotation writes the receipt and a checkpoint of both keys, unless the log
// names the new key already.
func recordRotation(ctx context.Context, c *config.Config, old, next receipts.Signer, by string, now time.Time) (err error) {
	db, err := store.Open(ctx, c.Store.DSN.Reveal(), store.Options{Instance: c.Instance, Redactor: redactorOf(c)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	current := ""
	err = db.View(ctx, func(tx workflows.ReadTx) error {
		current, err = publicKeyOf(ctx, tx)
		return err
	})
	switch {
	case err != nil:
		return err
	case current == next.VerifierKey():
		return nil
	case current != old.VerifierKey():
		return fmt.Errorf("the log was last signed by %s, and receipts.key_file holds %s: put the right key back first", current, old)
	}
	draft, err := receipts.RotationDraft(old, next, receipts.Actor{Kind: receipts.ActorHuman, Name: by}, now)
	if err != nil {
		return err
	}
	return db.RotateKey(ctx, draft, next.WithPrevious(old))
}

// swapKeys renames the key files, old first, and tells auditors the new public key.
func swapKeys(file string, done Rotated) error {
	if err := rememberPublicKey(file, done.Old); err != nil {
		return err
	}
	if err := os.Link(file, file+previousSuffix); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keep the old key for the overlap: %w", err)
	}
	if err := os.Rename(file+nextSuffix, file); err != nil {
		return fmt.Errorf("put the new key in place: %w", err)
	}
	return writePublicKey(file, done.New)
}

// RetireKey deletes the key before the present one, which then signs no more.
func RetireKey(c *config.Config) error {
	if err := os.Remove(c.Receipts.KeyFile + previousSuffix); err != nil {
		return fmt.Errorf("retire the key before: %w", err)
	}
	return nil
}

// earlierKeysFile holds the public keys that were rotated away, one a line.
func earlierKeysFile(keyFile string) string {
	return filepath.Join(filepath.Dir(keyFile), "receipts.pub.earlier")
}

func rememberPublicKey(keyFile, key string) error {
	path := earlierKeysFile(keyFile)
	known, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the earlier public keys: %w", err)
	}
	if slices.Contains(strings.Fields(string(known)), key) {
		return nil
	}
	if err := os.WriteFile(path, append(known, key+"\n"...), 0o644); err != nil { //nolint:gosec // public keys are for everybody
		return fmt.Errorf("keep the old public key: %w", err)
	}
	return nil
}

// verifyOwn verifies a database of this machine, which may be a backup from before
// a rotation: with the present key, then with the earlier ones.
func verifyOwn(ctx context.Context, log *Log, c *config.Config, atLeast ...[]byte) (receipts.Report, error) {
	first, err := log.Verify(ctx, publicKey(c), atLeast...)
	if err != nil || first.Code != receipts.CodeBad {
		return first, err
	}
	earlier, _ := os.ReadFile(earlierKeysFile(c.Receipts.KeyFile)) // there is none before the first rotation
	for key := range strings.FieldsSeq(string(earlier)) {
		report, err := log.Verify(ctx, key, atLeast...)
		if err != nil || report.Code == receipts.CodeGood {
			return report, err
		}
	}
	return first, nil
}
