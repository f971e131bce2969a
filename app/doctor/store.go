package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dw/app"
	"dw/receipts"
	"dw/store"
)

// store looks at dw's own database, the signing key and the disk under them.
func (x *examination) store(ctx context.Context) []Finding {
	var f found
	if x.c == nil {
		f.skip("the configuration cannot be read")
		return f.list
	}
	key := x.key(&f)
	if strings.Contains(x.c.Store.DSN.Reveal(), "://") {
		x.server(ctx, &f, key)
		return f.list
	}
	path := x.c.Store.DSN.Reveal()
	f.disk(filepath.Dir(path))
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.ok(path, "not there yet: the first start makes it")
		return f.list
	case err != nil:
		f.add(Fail, path, "let the user of dw read it", err.Error())
		return f.list
	case info.Mode().Perm()&0o077 != 0:
		f.add(Warn, path, "chmod 600 "+path, fmt.Sprintf("its mode is %04o: others on this machine can read it", info.Mode().Perm()))
	default:
		f.ok(path, "only its owner can read it")
	}
	x.receipts(ctx, &f, key)
	return f.list
}

// key reads the signing key and returns the public one, or nothing.
func (x *examination) key(f *found) string {
	path := x.c.Receipts.KeyFile
	signer, err := receipts.LoadKey(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.noKey(path, x.c.Store.DSN.Reveal())
		return ""
	case errors.Is(err, receipts.ErrKeyMode):
		f.add(Fail, path, "chmod 600 "+path, err.Error())
		return ""
	case err != nil:
		f.add(Fail, path, "put the key back from its copy", err.Error())
		return ""
	case !strings.HasPrefix(signer.VerifierKey(), "dw/"+x.c.Instance+"+"):
		f.add(Fail, path, "set instance to the name in the key, or use the key of this instance", "is the key "+signer.VerifierKey()+", not one of instance "+x.c.Instance)
		return ""
	}
	f.ok(path, "the signing key is "+signer.VerifierKey()+", and only its owner can read it")
	return signer.VerifierKey()
}

// stopped says that dw starts nothing.
func (f *found) stopped(ctx context.Context, path string, log *app.Log) {
	stop, err := log.Stopped(ctx)
	if err != nil {
		f.add(Fail, path, "restore it from a backup: docs/operations.md", err.Error())
		return
	}
	if stop.On {
		f.add(Warn, path, "when it may go on, ask for the end of the stop in Slack: /dw resume", stop.Text(time.Now())+". Nothing new starts")
	}
}

// noKey is right before the first start only.
func (f *found) noKey(path, dsn string) {
	if strings.Contains(dsn, "://") {
		f.add(Warn, path, "put the key there that signed this database's receipts; only before the first start there is none", "is missing")
		return
	}
	if _, err := os.Stat(dsn); err != nil {
		f.ok(path, "not there yet: the first start makes it; keep a copy elsewhere")
		return
	}
	f.add(Fail, path, "put the key back from its copy", "is missing, and there is a database whose receipts were signed with it")
}

// receipts opens the database without leaving a trace and verifies the log.
func (x *examination) receipts(ctx context.Context, f *found, key string) {
	ctx, cancel := context.WithTimeout(ctx, verifyWithin)
	defer cancel()
	path := x.c.Store.DSN.Reveal()
	log, still, err := app.OpenLogUntouched(ctx, path)
	switch {
	case errors.Is(err, store.ErrNewerSchema):
		f.add(Fail, path, "start the newer binary", err.Error())
		return
	case errors.Is(err, store.ErrOlderSchema):
		f.add(Warn, path, "back it up (dw backup of the older binary), then start dw: it migrates the database", err.Error())
		return
	case err != nil:
		f.add(Fail, path, "restore it from a backup: docs/operations.md", err.Error())
		return
	}
	if log.Instance() != x.c.Instance {
		f.add(Fail, path, "set instance back to "+log.Instance()+", or name another file", "belongs to instance "+log.Instance()+", not "+x.c.Instance)
	}
	f.stopped(ctx, path, log)
	f.policies(ctx, path, log, x.c)
	report, err := log.Verify(ctx, key)
	if closed := log.Close(); err == nil {
		err = closed
	}
	if !still() {
		f.skip("dw was started on " + path + " meanwhile, so the receipts were not judged; run doctor again")
		return
	}
	f.verified(ctx, path, key != "", report, err)
}

func (f *found) verified(ctx context.Context, path string, keyed bool, report receipts.Report, err error) {
	switch {
	case ctx.Err() != nil:
		f.add(Warn, path, "verify them with the time they need: dw receipts verify", fmt.Sprintf("the receipts were not verified within %s", verifyWithin))
	case err != nil:
		f.add(Fail, path, "restore it from a backup: docs/operations.md", err.Error())
	case report.Code == receipts.CodeGood:
		f.ok(path, "receipts: "+report.String())
	case report.Code == receipts.CodeUnsigned:
		do := "start dw once: it signs the log"
		if !keyed {
			do = "mend the signing key first (above): without it no signature can be checked"
		}
		f.add(Warn, path, do, "receipts: "+report.String())
	default:
		f.add(Fail, path, "keep this database as it is for those who look into it, and restore a backup: docs/operations.md", "receipts: "+report.String())
	}
}

func (f *found) disk(folder string) {
	free, known := freeBytes(folder)
	text := fmt.Sprintf("%d MB free", free>>20)
	switch {
	case !writable(folder):
		f.add(Fail, folder, "let the user of dw write there", "dw keeps its state there and may not write")
	case !known:
		f.skip("how much room is left in " + folder + " is not known")
	case free < diskFail:
		f.add(Fail, folder, "make room in "+folder, text+": dw will soon record nothing")
	case free < diskWarn:
		f.add(Warn, folder, "make room in "+folder, text)
	default:
		f.ok(folder, text)
	}
}

// server looks at a database that is a server's.
func (x *examination) server(ctx context.Context, f *found, key string) {
	log, err := app.OpenLog(ctx, x.c.Store.DSN.Reveal())
	if errors.Is(err, store.ErrNotDW) {
		f.ok("store.dsn", "the server answers; the first start makes dw's tables")
		return
	}
	if err != nil {
		f.add(Fail, "store.dsn", "let this machine reach the server of store.dsn, and correct its user and password", err.Error())
		return
	}
	limited, cancel := context.WithTimeout(ctx, verifyWithin)
	defer cancel()
	f.stopped(limited, "store.dsn", log)
	f.policies(limited, "store.dsn", log, x.c)
	report, err := log.Verify(limited, key)
	if closed := log.Close(); err == nil {
		err = closed
	}
	f.verified(limited, "store.dsn", key != "", report, err)
}
