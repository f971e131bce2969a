-- +goose Up
-- What was counted by spans of time, so that no row is counted twice, and what
-- people said of the detector's verdicts. key is a hash of what is counted: another
-- condition or column is another history. A span that has no row is unknown.

CREATE TABLE histories (
    key      TEXT COLLATE "C" PRIMARY KEY,
    since    BIGINT NOT NULL,
    until    BIGINT NOT NULL,
    used_at  BIGINT NOT NULL,
    doc      TEXT NOT NULL
);
CREATE INDEX histories_by_use ON histories (used_at);

CREATE TABLE history_spans (
    history  TEXT COLLATE "C" NOT NULL,
    start    BIGINT NOT NULL,
    value    DOUBLE PRECISION NOT NULL,
    all_rows DOUBLE PRECISION NOT NULL,
    read_at  BIGINT NOT NULL,
    seen     TEXT NOT NULL,
    PRIMARY KEY (history, start)
);

CREATE TABLE answers (
    id         TEXT COLLATE "C" PRIMARY KEY,
    check_name TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    doc        TEXT NOT NULL
);
CREATE INDEX answers_by_check ON answers (check_name, at);
