-- name: lineage_get
SELECT doc FROM lineage WHERE key = ?;

-- name: lineage_put
INSERT INTO lineage (key, kind, source, seen_at, rev, doc)
VALUES (?, ?, ?, ?, (SELECT COALESCE(max(rev), 0) + 1 FROM lineage), ?)
ON CONFLICT (key) DO UPDATE SET seen_at = excluded.seen_at, rev = excluded.rev, doc = excluded.doc;

-- name: lineage_list
SELECT doc FROM lineage WHERE kind = ? ORDER BY key;

-- name: lineage_rev
SELECT COALESCE(max(rev), 0) FROM lineage;
