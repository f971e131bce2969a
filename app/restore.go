package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dw/config"
	"dw/receipts"
	"dw/store"
)

// RestoreOptions say what a restore may do.
type RestoreOptions struct {
	// Replace moves a database that is there aside; without it one is refused.
	Replace bool
	// Shorter accepts a backup that holds fewer receipts than Known or than the
	// database that is replaced.
	Shorter bool
	// Known is an earlier checkpoint of this log, or nil.
	Known []byte
	Now   time.Time
}

// Restored is what was restored, and what the first start records of it.
type Restored struct {
	Backup string    `json:"backup"` // name of the file
	SHA256 string    `json:"sha256"` // of the file
	Seq    int64     `json:"seq"`    // head of the backup's log
	Chain  string    `json:"chain"`  // its chain hash, hex
	Known  int64     `json:"known"`  // receipts that a checkpoint or the replaced database had; 0: nothing was known
	At     time.Time `json:"at"`
	Aside  string    `json:"aside,omitempty"` // where the replaced database lies
}

// restoredSuffix makes the name of the file beside the database that the first
// start turns into a receipt.
const restoredSuffix = ".restored"

// Restore puts a backup in the place of a configuration's database. It refuses a
// database that is open, one that is there unless Replace says to move it aside,
// a backup whose pages or receipts do not verify or that is another instance's,
// and one shorter than what is known, unless Shorter says so.
func Restore(ctx context.Context, c *config.Config, backup string, o RestoreOptions) (Restored, error) {
	dsn := c.Store.DSN.Reveal()
	if strings.Contains(dsn, "://") {
		return Restored{}, store.ErrUsePgDump
	}
	done, err := examineBackup(ctx, c, backup, o)
	if err != nil {
		return done, fmt.Errorf("restore %s: %w", backup, err)
	}
	done.At = o.Now
	if err := vacate(ctx, c, o, &done); err != nil {
		return done, fmt.Errorf("restore %s: %w", backup, err)
	}
	if err := place(backup, dsn, done); err != nil {
		return done, fmt.Errorf("restore %s: %w", backup, err)
	}
	return done, nil
}

// examineBackup holds the backup to its pages, its receipts and its instance.
func examineBackup(ctx context.Context, c *config.Config, backup string, o RestoreOptions) (Restored, error) {
	done := Restored{Backup: filepath.Base(backup)}
	if err := store.CheckIntegrity(ctx, backup); err != nil {
		return done, err
	}
	log, _, err := OpenLogUntouched(ctx, backup)
	if err != nil {
		return done, err
	}
	defer log.Close() //nolint:errcheck // only read
	if log.Instance() != c.Instance {
		return done, fmt.Errorf("it is a backup of instance %q, not of %q", log.Instance(), c.Instance)
	}
	report, err := verifyOwn(ctx, log, c)
	if err == nil {
		err = goodLog(report)
	}
	if err != nil {
		return done, err
	}
	done.Seq, done.Chain = report.Count, report.Chain
	if o.Known != nil {
		if done.Known, err = known(ctx, log, c, o, report); err != nil {
			return done, err
		}
	}
	done.SHA256, err = hashFile(backup)
	return done, err
}

// known is how many receipts the given checkpoint says; the backup must hold
// them, unless Shorter says otherwise.
func known(ctx context.Context, log *Log, c *config.Config, o RestoreOptions, report receipts.Report) (int64, error) {
	signed, err := receipts.OpenCheckpoint(o.Known, "") // verifyOwn checks who signed it
	if err != nil {
		return 0, fmt.Errorf("the checkpoint that was given: %w", err)
	}
	if signed.Size > report.Count {
		return signed.Size, shorter(report.Count, signed.Size, "the checkpoint", o.Shorter)
	}
	with, err := verifyOwn(ctx, log, c, o.Known)
	if err == nil {
		err = goodLog(with)
	}
	return signed.Size, err
}

func shorter(has, known int64, whose string, allowed bool) error {
	if has >= known || allowed {
		return nil
	}
	return fmt.Errorf("it holds %d receipts and %s says %d: %d decisions or changes would be lost from the log; find a newer backup, or say --shorter", has, whose, known, known-has)
}

// vacate makes sure that nobody has the database open and moves it aside.
func vacate(ctx context.Context, c *config.Config, o RestoreOptions, done *Restored) error {
	dsn := c.Store.DSN.Reveal()
	if _, err := os.Lstat(dsn); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := store.CheckIdle(ctx, dsn); err != nil {
		return err
	}
	if !o.Replace {
		return fmt.Errorf("%s is there; say --replace to move it aside first", dsn)
	}
	if report, err := verifyFile(ctx, dsn, c); err == nil {
		had := max(report.Count, report.Signed)
		done.Known = max(done.Known, had)
		if err := shorter(done.Seq, had, "the database that is there", o.Shorter); err != nil {
			return err
		}
	}
	done.Aside = dsn + ".replaced-" + o.Now.UTC().Format("20060102T150405Z")
	for _, suffix := range []string{"-wal", "-shm", ""} {
		err := os.Rename(dsn+suffix, done.Aside+suffix)
		if suffix != "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("move the database aside: %w", err)
		}
	}
	return nil
}

// place copies the backup and leaves the note for the first start, the note
// first: a restored database without its note would go on as if nothing had been.
func place(backup, dsn string, done Restored) error {
	note, err := json.Marshal(done)
	if err != nil {
		return fmt.Errorf("note what was restored: %w", err)
	}
	if err := os.WriteFile(dsn+restoredSuffix, append(note, '\n'), 0o600); err != nil {
		return fmt.Errorf("note what was restored: %w", err)
	}
	part := dsn + ".part"
	if err := copyFile(backup, part); err != nil {
		return errors.Join(err, os.Remove(part), os.Remove(dsn+restoredSuffix))
	}
	if err := store.SettleFile(part, dsn); err != nil {
		return errors.Join(err, os.Remove(part), os.Remove(dsn+restoredSuffix))
	}
	return os.Remove(part)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("read the backup: %w", err)
	}
	defer in.Close() //nolint:errcheck // only read
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the database: %w", err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("write the database: %w", err)
	}
	return nil
}

func hashFile(path string) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("hash the backup: %w", err)
	}
	defer in.Close() //nolint:errcheck // only read
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return "", fmt.Errorf("hash the backup: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// restoredReceipt returns the receipt of a restore that no start has recorded
// yet, and nothing where there was none. head is the log's end before this start
// writes: once a receipt stands after the backup's last, the note was recorded by
// a start that ended before it removed the note.
func (a *App) restoredReceipt(head receipts.Head, now time.Time) ([]receipts.Draft, error) {
	path := a.project.Config.Store.DSN.Reveal() + restoredSuffix
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was restored: %w", err)
	}
	var r Restored
	if err := json.Unmarshal(content, &r); err != nil {
		return nil, fmt.Errorf("read what was restored from %s: %w", path, err)
	}
	if head.Seq != r.Seq || hex.EncodeToString(head.Chain[:]) != r.Chain {
		return nil, nil
	}
	return []receipts.Draft{{
		Kind: receipts.KindRestoredFrom, Actor: receipts.Actor{Kind: receipts.ActorDW}, At: now,
		Subject: []receipts.Subject{{Name: "backup", Digest: r.SHA256}},
		Body: receipts.Object{
			"backup": r.Backup, "seq": r.Seq, "chain": r.Chain, "restored_at": r.At, "known": r.Known, "lost": max(0, r.Known-r.Seq),
		},
	}}, nil
}

// forgetRestored removes the note after its receipt is on disk.
func (a *App) forgetRestored() error {
	err := os.Remove(a.project.Config.Store.DSN.Reveal() + restoredSuffix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the note of the restore: %w", err)
	}
	return nil
}
