-- name: metric_insert
INSERT INTO pushed_metrics (metric, at, value, rev)
VALUES ($1, $2, $3, (SELECT COALESCE(max(rev), 0) + 1 FROM pushed_metrics))
ON CONFLICT (metric, at) DO NOTHING;

-- name: metric_get
SELECT value FROM pushed_metrics WHERE metric = $1 AND at = $2;

-- name: metric_after
SELECT metric, at, value, rev FROM pushed_metrics WHERE rev > $1 ORDER BY rev LIMIT $2;

-- name: metric_trim
-- The newest stays: its rev must not be given to another value, which readers would miss.
DELETE FROM pushed_metrics WHERE at < $1 AND rev < (SELECT max(rev) FROM pushed_metrics);
