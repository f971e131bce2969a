-- +goose Up
-- Times are INTEGER microseconds since 1970 in UTC. A doc is the whole value as
-- JSON; the columns beside it are what queries filter and order by.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE incidents (
    id        TEXT PRIMARY KEY,
    domain    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    state     TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    rev       INTEGER NOT NULL,
    doc       TEXT NOT NULL
) STRICT;
CREATE INDEX incidents_by_age ON incidents (opened_at, id);

-- The reference is checked at commit: within a transaction the order is free.
CREATE TABLE proposals (
    id         TEXT PRIMARY KEY,
    incident   TEXT NOT NULL REFERENCES incidents (id) DEFERRABLE INITIALLY DEFERRED,
    state      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    rev        INTEGER NOT NULL,
    doc        TEXT NOT NULL
) STRICT;
CREATE INDEX proposals_by_incident ON proposals (incident, created_at, id);
CREATE INDEX proposals_by_state ON proposals (state, created_at, id);

CREATE TABLE results (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    check_name TEXT NOT NULL,
    at         INTEGER NOT NULL,
    status     TEXT NOT NULL,
    doc        TEXT NOT NULL
) STRICT;
CREATE INDEX results_by_check ON results (check_name, at, id);

CREATE TABLE changes (
    system TEXT NOT NULL,
    id     TEXT NOT NULL,
    at     INTEGER NOT NULL,
    doc    TEXT NOT NULL,
    PRIMARY KEY (system, id)
) STRICT;
CREATE INDEX changes_by_time ON changes (at);

CREATE TABLE deadlines (
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    due_at  INTEGER NOT NULL,
    PRIMARY KEY (kind, subject)
) STRICT;
CREATE INDEX deadlines_by_time ON deadlines (due_at, kind, subject);
CREATE INDEX deadlines_by_subject ON deadlines (subject);

-- An effect's key stays for ever, also after the queue has cleaned the job away.
CREATE TABLE effects (
    key  TEXT PRIMARY KEY,
    kind TEXT NOT NULL
) STRICT;

CREATE TABLE receipts (
    seq        INTEGER PRIMARY KEY,
    bytes      BLOB NOT NULL,
    leaf_hash  BLOB NOT NULL CHECK (length(leaf_hash) = 32),
    prev_hash  BLOB NOT NULL CHECK (length(prev_hash) = 32),
    chain_hash BLOB NOT NULL CHECK (length(chain_hash) = 32)
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER receipts_refuse_update BEFORE UPDATE ON receipts
BEGIN
    SELECT RAISE(ABORT, 'receipts are append-only: update refused');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER receipts_refuse_delete BEFORE DELETE ON receipts
BEGIN
    SELECT RAISE(ABORT, 'receipts are append-only: delete refused');
END;
-- +goose StatementEnd

-- INSERT OR REPLACE deletes without firing the trigger above.
-- +goose StatementBegin
CREATE TRIGGER receipts_refuse_gap BEFORE INSERT ON receipts
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM receipts)
BEGIN
    SELECT RAISE(ABORT, 'receipts are append-only: seq must be the next one');
END;
-- +goose StatementEnd

CREATE TABLE tree_nodes (
    idx  INTEGER PRIMARY KEY,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TABLE head (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    seq        INTEGER NOT NULL,
    chain_hash BLOB NOT NULL CHECK (length(chain_hash) = 32),
    at         INTEGER NOT NULL
) STRICT;
INSERT INTO head (id, seq, chain_hash, at) VALUES (1, 0, zeroblob(32), 0);

CREATE TABLE checkpoints (
    size INTEGER PRIMARY KEY,
    note BLOB NOT NULL
) STRICT;
