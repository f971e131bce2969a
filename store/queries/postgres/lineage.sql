-- name: lineage_get
SELECT doc FROM lineage WHERE key = $1;

-- name: lineage_put
INSERT INTO lineage (key, kind, source, seen_at, rev, doc)
VALUES ($1, $2, $3, $4, (SELECT COALESCE(max(rev), 0) + 1 FROM lineage), $5)
ON CONFLICT (key) DO UPDATE SET seen_at = excluded.seen_at, rev = excluded.rev, doc = excluded.doc;

-- name: lineage_list
SELECT doc FROM lineage WHERE kind = $1 ORDER BY key;

-- name: lineage_rev
SELECT COALESCE(max(rev), 0) FROM lineage;
