-- name: history_get
SELECT since, until FROM histories WHERE key = $1;

-- name: history_put
INSERT INTO histories (key, since, until, used_at, doc) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (key) DO UPDATE SET until = greatest(histories.until, excluded.until), used_at = greatest(histories.used_at, excluded.used_at);

-- name: history_spans
SELECT start, value, all_rows, seen FROM history_spans WHERE history = $1 AND start >= $2 ORDER BY start;

-- name: history_span_put
INSERT INTO history_spans (history, start, value, all_rows, read_at, seen) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (history, start) DO UPDATE SET
    value = excluded.value, all_rows = excluded.all_rows, read_at = excluded.read_at, seen = excluded.seen
WHERE history_spans.read_at <= excluded.read_at;

-- name: history_spans_trim
DELETE FROM history_spans WHERE history = $1 AND start < $2;

-- name: history_spans_forget
DELETE FROM history_spans WHERE history IN (SELECT key FROM histories WHERE used_at < $1);

-- name: history_forget
DELETE FROM histories WHERE used_at < $1;

-- name: answer_list
SELECT doc FROM answers WHERE check_name = $1 ORDER BY at, id;

-- name: answer_put
INSERT INTO answers (id, check_name, at, doc) VALUES ($1, $2, $3, $4)
ON CONFLICT (id) DO UPDATE SET at = excluded.at, doc = excluded.doc;
