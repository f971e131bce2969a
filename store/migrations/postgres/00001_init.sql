-- +goose Up
-- Times are BIGINT microseconds since 1970 in UTC. A doc is the whole value as
-- JSON; the columns beside it are what queries filter and order by. It is TEXT:
-- JSONB refuses \u0000 and does not keep the text as it was written. What is
-- ordered by has collation C, so that all databases list alike.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE incidents (
    id        TEXT COLLATE "C" PRIMARY KEY,
    domain    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    state     TEXT NOT NULL,
    opened_at BIGINT NOT NULL,
    rev       BIGINT NOT NULL,
    doc       TEXT NOT NULL
);
CREATE INDEX incidents_by_age ON incidents (opened_at, id);

-- The reference is checked at commit: within a transaction the order is free.
CREATE TABLE proposals (
    id         TEXT COLLATE "C" PRIMARY KEY,
    incident   TEXT COLLATE "C" NOT NULL REFERENCES incidents (id) DEFERRABLE INITIALLY DEFERRED,
    state      TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    rev        BIGINT NOT NULL,
    doc        TEXT NOT NULL
);
CREATE INDEX proposals_by_incident ON proposals (incident, created_at, id);
CREATE INDEX proposals_by_state ON proposals (state, created_at, id);

CREATE TABLE results (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    check_name TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    status     TEXT NOT NULL,
    doc        TEXT NOT NULL
);
CREATE INDEX results_by_check ON results (check_name, at, id);

CREATE TABLE changes (
    system TEXT COLLATE "C" NOT NULL,
    id     TEXT COLLATE "C" NOT NULL,
    at     BIGINT NOT NULL,
    doc    TEXT NOT NULL,
    PRIMARY KEY (system, id)
);
CREATE INDEX changes_by_time ON changes (at);

CREATE TABLE deadlines (
    kind    TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    due_at  BIGINT NOT NULL,
    PRIMARY KEY (kind, subject)
);
CREATE INDEX deadlines_by_time ON deadlines (due_at, kind, subject);
CREATE INDEX deadlines_by_subject ON deadlines (subject);

-- An effect's key stays for ever, also after the queue has cleaned the job away.
CREATE TABLE effects (
    key  TEXT COLLATE "C" PRIMARY KEY,
    kind TEXT NOT NULL
);

CREATE TABLE receipts (
    seq        BIGINT PRIMARY KEY,
    bytes      BYTEA NOT NULL,
    leaf_hash  BYTEA NOT NULL CHECK (octet_length(leaf_hash) = 32),
    prev_hash  BYTEA NOT NULL CHECK (octet_length(prev_hash) = 32),
    chain_hash BYTEA NOT NULL CHECK (octet_length(chain_hash) = 32)
);

-- +goose StatementBegin
CREATE FUNCTION receipts_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'receipts are append-only: % refused', lower(TG_OP);
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION receipts_refuse_gap() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.seq IS DISTINCT FROM (SELECT coalesce(max(seq), 0) + 1 FROM receipts) THEN
        RAISE EXCEPTION 'receipts are append-only: seq must be the next one';
    END IF;
    RETURN NEW;
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER receipts_refuse_change BEFORE UPDATE OR DELETE ON receipts
    FOR EACH ROW EXECUTE FUNCTION receipts_refuse();
CREATE TRIGGER receipts_refuse_truncate BEFORE TRUNCATE ON receipts
    FOR EACH STATEMENT EXECUTE FUNCTION receipts_refuse();
CREATE TRIGGER receipts_refuse_gap BEFORE INSERT ON receipts
    FOR EACH ROW EXECUTE FUNCTION receipts_refuse_gap();

-- Ordinary triggers do not fire where session_replication_role is replica.
ALTER TABLE receipts ENABLE ALWAYS TRIGGER receipts_refuse_change;
ALTER TABLE receipts ENABLE ALWAYS TRIGGER receipts_refuse_truncate;
ALTER TABLE receipts ENABLE ALWAYS TRIGGER receipts_refuse_gap;

CREATE TABLE tree_nodes (
    idx  BIGINT PRIMARY KEY,
    hash BYTEA NOT NULL CHECK (octet_length(hash) = 32)
);

-- Every update of dw holds the lock of this one row, so that writers of all
-- processes take turns.
CREATE TABLE head (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    seq        BIGINT NOT NULL,
    chain_hash BYTEA NOT NULL CHECK (octet_length(chain_hash) = 32),
    at         BIGINT NOT NULL
);
INSERT INTO head (id, seq, chain_hash, at) VALUES (1, 0, decode(repeat('00', 32), 'hex'), 0);

CREATE TABLE checkpoints (
    size BIGINT PRIMARY KEY,
    note BYTEA NOT NULL
);
