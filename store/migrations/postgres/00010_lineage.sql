-- +goose Up
-- What events have stated about assets and edges: the newest of each source, with
-- the time at which it was first seen. key is a hash, because names are long.

CREATE TABLE lineage (
    key     TEXT PRIMARY KEY,
    kind    TEXT NOT NULL CHECK (kind IN ('asset', 'edge')),
    source  TEXT NOT NULL,
    seen_at BIGINT NOT NULL,
    rev     BIGINT NOT NULL,
    doc     TEXT NOT NULL
);
CREATE INDEX lineage_by_rev ON lineage (rev);
