-- +goose Up
-- Who stands in for whom, from when until when.

CREATE TABLE delegations (
    id         TEXT PRIMARY KEY,
    ends_at    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    rev        INTEGER NOT NULL,
    doc        TEXT NOT NULL
) STRICT;
CREATE INDEX delegations_by_end ON delegations (ends_at);
