-- name: history_get
SELECT since, until FROM histories WHERE key = ?;

-- name: history_put
INSERT INTO histories (key, since, until, used_at, doc) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET until = max(histories.until, excluded.until), used_at = max(histories.used_at, excluded.used_at);

-- name: history_spans
SELECT start, value, all_rows, seen FROM history_spans WHERE history = ? AND start >= ? ORDER BY start;

-- name: history_span_put
INSERT INTO history_spans (history, start, value, all_rows, read_at, seen) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (history, start) DO UPDATE SET
    value = excluded.value, all_rows = excluded.all_rows, read_at = excluded.read_at, seen = excluded.seen
WHERE history_spans.read_at <= excluded.read_at;

-- name: history_spans_trim
DELETE FROM history_spans WHERE history = ? AND start < ?;

-- name: history_spans_forget
DELETE FROM history_spans WHERE history IN (SELECT key FROM histories WHERE used_at < ?);

-- name: history_forget
DELETE FROM histories WHERE used_at < ?;

-- name: answer_list
SELECT doc FROM answers WHERE check_name = ? ORDER BY at, id;

-- name: answer_put
INSERT INTO answers (id, check_name, at, doc) VALUES (?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET at = excluded.at, doc = excluded.doc;
