-- +goose Up
-- What was counted by spans of time, so that no row is counted twice, and what
-- people said of the detector's verdicts. key is a hash of what is counted: another
-- condition or column is another history. A span that has no row is unknown.

CREATE TABLE histories (
    key      TEXT PRIMARY KEY,
    since    INTEGER NOT NULL,
    until    INTEGER NOT NULL,
    used_at  INTEGER NOT NULL,
    doc      TEXT NOT NULL
) STRICT;
CREATE INDEX histories_by_use ON histories (used_at);

CREATE TABLE history_spans (
    history  TEXT NOT NULL,
    start    INTEGER NOT NULL,
    value    REAL NOT NULL,
    all_rows REAL NOT NULL,
    read_at  INTEGER NOT NULL,
    seen     TEXT NOT NULL,
    PRIMARY KEY (history, start)
) STRICT, WITHOUT ROWID;

CREATE TABLE answers (
    id         TEXT PRIMARY KEY,
    check_name TEXT NOT NULL,
    at         INTEGER NOT NULL,
    doc        TEXT NOT NULL
) STRICT;
CREATE INDEX answers_by_check ON answers (check_name, at);
