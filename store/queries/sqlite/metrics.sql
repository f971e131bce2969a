-- name: metric_insert
INSERT INTO pushed_metrics (metric, at, value, rev)
VALUES (?, ?, ?, (SELECT COALESCE(max(rev), 0) + 1 FROM pushed_metrics))
ON CONFLICT (metric, at) DO NOTHING;

-- name: metric_get
SELECT value FROM pushed_metrics WHERE metric = ? AND at = ?;

-- name: metric_after
SELECT metric, at, value, rev FROM pushed_metrics WHERE rev > ? ORDER BY rev LIMIT ?;

-- name: metric_trim
-- The newest stays: its rev must not be given to another value, which readers would miss.
DELETE FROM pushed_metrics WHERE at < ? AND rev < (SELECT max(rev) FROM pushed_metrics);
