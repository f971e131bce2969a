-- +goose Up
-- Values of metrics that the team pushes. The first value of a metric at a time
-- stays. rev grows with each value, so that a reader sees what is new.

CREATE TABLE pushed_metrics (
    metric TEXT NOT NULL,
    at     INTEGER NOT NULL,
    value  REAL NOT NULL,
    rev    INTEGER NOT NULL,
    PRIMARY KEY (metric, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX pushed_metrics_by_rev ON pushed_metrics (rev);
CREATE INDEX pushed_metrics_by_at ON pushed_metrics (at);
