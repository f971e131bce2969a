-- +goose Up
-- What events have stated about assets and edges: the newest of each source, with
-- the time at which it was first seen. key is a hash, because names are long.

CREATE TABLE lineage (
    key     TEXT PRIMARY KEY,
    kind    TEXT NOT NULL CHECK (kind IN ('asset', 'edge')),
    source  TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    rev     INTEGER NOT NULL,
    doc     TEXT NOT NULL
) STRICT;
CREATE INDEX lineage_by_rev ON lineage (rev);
