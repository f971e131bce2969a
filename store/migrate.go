package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed migrations/sqlite/*.sql
var sqliteMigrations embed.FS

// ErrNewerSchema says that a newer dw has migrated the database. An older one
// must not write to it.
var ErrNewerSchema = errors.New("the database was written by a newer version of dw")

// ErrOlderSchema says that an older dw wrote the database. Starting dw on it
// once migrates it.
var ErrOlderSchema = errors.New("the database was written by an older version of dw")

// migrate brings dw's own tables up to date and then the queue's.
func migrate(ctx context.Context, db *sql.DB, log *slog.Logger) error {
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	queue, err := rivermigrate.New(riversqlite.New(db), &rivermigrate.Config{Logger: log})
	if err != nil {
		return fmt.Errorf("prepare the queue's migrations: %w", err)
	}
	// Both are looked at before either changes anything.
	if err := refuseNewer(ctx, provider); err != nil {
		return err
	}
	if err := refuseNewerQueue(ctx, db, queue); err != nil {
		return err
	}
	done, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate the schema (safe to start again): %w", err)
	}
	for _, m := range done {
		log.InfoContext(ctx, "migrated the schema", "version", m.Source.Version)
	}
	if _, err := queue.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate the queue's schema (safe to start again): %w", err)
	}
	return nil
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(sqliteMigrations, "migrations/sqlite")
	if err != nil {
		return nil, fmt.Errorf("open migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
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
func refuseNewerQueue(ctx context.Context, db *sql.DB, queue *rivermigrate.Migrator[*sql.Tx]) error {
	var tables int
	err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'river_migration'").Scan(&tables)
	if err != nil {
		return fmt.Errorf("look for the queue's schema: %w", err)
	}
	if tables == 0 {
		return nil
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

// checkSchema refuses, without writing anything, a database that this binary
// cannot read.
func checkSchema(ctx context.Context, db *sql.DB) error {
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	target := sources[len(sources)-1].Version
	var current sql.NullInt64
	err = db.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version WHERE is_applied").Scan(&current)
	switch {
	case err != nil:
		return fmt.Errorf("not a database of dw: %w", err)
	case current.Int64 > target:
		return fmt.Errorf("%w: its schema is %d, this binary knows %d", ErrNewerSchema, current.Int64, target)
	case current.Int64 < target:
		return fmt.Errorf("%w: its schema is %d, this binary needs %d; start dw on it once to migrate it", ErrOlderSchema, current.Int64, target)
	}
	return nil
}
