-- +goose Up
-- A proposal about dw's own policy belongs to no incident: its incident is NULL.

CREATE TABLE proposals_new (
    id         TEXT PRIMARY KEY,
    incident   TEXT REFERENCES incidents (id) DEFERRABLE INITIALLY DEFERRED,
    state      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    rev        INTEGER NOT NULL,
    doc        TEXT NOT NULL
) STRICT;
INSERT INTO proposals_new SELECT id, incident, state, created_at, rev, doc FROM proposals;
DROP TABLE proposals;
ALTER TABLE proposals_new RENAME TO proposals;
CREATE INDEX proposals_by_incident ON proposals (incident, created_at, id);
CREATE INDEX proposals_by_state ON proposals (state, created_at, id);
