package store

import (
	"path/filepath"
	"testing"
	"time"

	"dw/receipts"
	"dw/workflows"
)

// BenchmarkUpdate sets the durable update of one receipt, and that of a whole
// state change, beside the floor: what a durable commit of one row with the
// same bytes costs on this disk, or this server, in the same run.
func BenchmarkUpdate(b *testing.B) {
	for kind, dsn := range map[string]func(testing.TB) string{
		"SQLite":     func(b testing.TB) string { return filepath.Join(b.TempDir(), "dw.db") },
		"PostgreSQL": Postgres.Database,
	} {
		for name, run := range map[string]func(*testing.B, *DB){
			"floor":   benchFloor,
			"receipt": benchReceipt,
			"change":  benchChange,
		} {
			b.Run(kind+"/"+name, func(b *testing.B) {
				db, err := Open(b.Context(), dsn(b), Options{Instance: "bench"})
				if err != nil {
					b.Fatal(err)
				}
				defer db.Close()
				b.ResetTimer()
				run(b, db)
			})
		}
	}
}

func benchDraft(n int) receipts.Draft {
	return receipts.Draft{
		Kind:  receipts.KindIncidentUpdated,
		Actor: receipts.Actor{Kind: receipts.ActorDW},
		At:    time.Date(2026, 11, 30, 12, 0, 0, n, time.UTC),
		Body:  receipts.Object{"text": string(make2KB())},
	}
}

func make2KB() []byte {
	b := make([]byte, 2048)
	for i := range b {
		b[i] = 'a' + byte(i%26)
	}
	return b
}

func benchFloor(b *testing.B, db *DB) {
	create, insert := "CREATE TABLE floor (n INTEGER PRIMARY KEY, bytes BLOB) STRICT", "INSERT INTO floor VALUES (?, ?)"
	if db.Postgres() {
		create, insert = "CREATE TABLE floor (n INTEGER PRIMARY KEY, bytes BYTEA)", "INSERT INTO floor VALUES ($1, $2)"
	}
	if _, err := db.write.ExecContext(b.Context(), create); err != nil {
		b.Fatal(err)
	}
	body := make2KB()
	for n := 0; b.Loop(); n++ {
		if _, err := db.write.ExecContext(b.Context(), insert, n, body); err != nil {
			b.Fatal(err)
		}
	}
}

func benchReceipt(b *testing.B, db *DB) {
	for n := 0; b.Loop(); n++ {
		err := db.Update(b.Context(), func(tx workflows.Tx) error {
			_, err := tx.AppendReceipt(b.Context(), benchDraft(n))
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func benchChange(b *testing.B, db *DB) {
	i := workflows.Incident{ID: "I001", State: workflows.Open}
	for n := 0; b.Loop(); n++ {
		err := db.Update(b.Context(), func(tx workflows.Tx) error {
			var err error
			if i, err = tx.PutIncident(b.Context(), i); err != nil {
				return err
			}
			if _, err := tx.AppendReceipt(b.Context(), benchDraft(n)); err != nil {
				return err
			}
			return tx.Enqueue(b.Context(), workflows.Effect{Kind: "slack.note", Key: time.Duration(n).String()})
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
