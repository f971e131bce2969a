-- +goose Up
-- Who stands in for whom, from when until when.

CREATE TABLE delegations (
    id         TEXT COLLATE "C" PRIMARY KEY,
    ends_at    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    rev        BIGINT NOT NULL,
    doc        TEXT NOT NULL
);
CREATE INDEX delegations_by_end ON delegations (ends_at);
