package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed migrations
var migrations embed.FS

// ErrNewerSchema says that a newer dw has migrated the database. An older one
// must not write to it.
var ErrNewerSchema = errors.New("the database was written by a newer version of dw")

// ErrOlderSchema says that an older dw wrote the database. Starting dw on it
// once migrates it.
var ErrOlderSchema = errors.New("the database was written by an older version of dw")

// ErrNotDW says that a database does not hold dw's tables: dw never started on
// it.
var ErrNotDW = errors.New("not a database of dw")

// schema is how the tables of one kind of database are made.
type schema struct {
	dialect goose.Dialect
	folder  string
	queue   riverdriver.Driver[*sql.Tx]
	// tables counts the tables of a name: none or one.
	tables string
}

func sqliteSchema(db *sql.DB) schema {
	return schema{
		goose.DialectSQLite3, "migrations/sqlite", riversqlite.New(db),
		"SELECT count(*) FROM sqlite_schema WHERE name = ?",
	}
}

func postgresSchema(db *sql.DB) schema {
	return schema{
		goose.DialectPostgres, "migrations/postgres", riverdatabasesql.New(db),
		"SELECT count(to_regclass($1))",
	}
}

// migrate brings dw's own tables up to date and then the queue's. Each step is
// one transaction with the note that it was done: killed anywhere, the next start
// goes on from there.
func (s schema) migrate(ctx context.Context, db *DB) error {
	log := db.opts.Log
	provider, err := s.provider(db.write)
	if err != nil {
		return err
	}
	queue, err := rivermigrate.New(s.queue, &rivermigrate.Config{Logger: log})
	if err != nil {
		return fmt.Errorf("prepare the queue's migrations: %w", err)
	}
	// Both are looked at before either changes anything.
	if err := refuseNewer(ctx, provider); err != nil {
		return err
	}
	if err := s.refuseNewerQueue(ctx, db.write, queue); err != nil {
		return err
	}
	done, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate the schema (safe to start again): %w", err)
	}
	for _, m := range done {
		log.InfoContext(ctx, "migrated the schema", "version", m.Source.Version)
	}
	db.crash(CrashInMigration)
	if _, err := queue.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate the queue's schema (safe to start again): %w", err)
	}
	return nil
}

func (s schema) provider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, s.folder)
	if err != nil {
		return nil, fmt.Errorf("open migrations: %w", err)
	}
	provider, err := goose.NewProvider(s.dialect, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return provider, nil
}

func refuseNewer(ctx context.Context, provider *goose.Provider) error {
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if current > target {
		return fmt.Errorf("%w: its schema is %d, this binary knows %d; start the newer binary", ErrNewerSchema, current, target)
	}
	return nil
}

// refuseNewerQueue asks the table itself, because the queue's own reader takes
// an unknown version for a damaged one.
func (s schema) refuseNewerQueue(ctx context.Context, db *sql.DB, queue *rivermigrate.Migrator[*sql.Tx]) error {
	if there, err := s.has(ctx, db, "river_migration"); err != nil || !there {
		return err
	}
	var applied sql.NullInt64
	if err := db.QueryRowContext(ctx, "SELECT max(version) FROM river_migration").Scan(&applied); err != nil {
		return fmt.Errorf("read the queue's schema version: %w", err)
	}
	known := queue.AllVersions()
	if newest := known[len(known)-1].Version; applied.Int64 > int64(newest) {
		return fmt.Errorf("%w: its queue's schema is %d, this binary knows %d; start the newer binary",
			ErrNewerSchema, applied.Int64, newest)
	}
	return nil
}

func (s schema) has(ctx context.Context, db *sql.DB, table string) (bool, error) {
	var tables int
	if err := db.QueryRowContext(ctx, s.tables, table).Scan(&tables); err != nil {
		return false, fmt.Errorf("look for table %s: %w", table, err)
	}
	return tables > 0, nil
}

// check refuses, without writing anything, a database that this binary
// cannot read.
func (s schema) check(ctx context.Context, db *sql.DB) error {
	provider, err := s.provider(db)
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	target := sources[len(sources)-1].Version
	there, err := s.has(ctx, db, "goose_db_version")
	if err != nil {
		return err
	}
	if !there {
		return ErrNotDW
	}
	var current sql.NullInt64
	err = db.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version WHERE is_applied").Scan(&current)
	switch {
	case err != nil:
		return fmt.Errorf("read the schema's version: %w", err)
	case current.Int64 > target:
		return fmt.Errorf("%w: its schema is %d, this binary knows %d", ErrNewerSchema, current.Int64, target)
	case current.Int64 < target:
		return fmt.Errorf("%w: its schema is %d, this binary needs %d; start dw on it once to migrate it", ErrOlderSchema, current.Int64, target)
	}
	return nil
}
