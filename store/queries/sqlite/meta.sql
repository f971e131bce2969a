-- name: meta_get
SELECT value FROM meta WHERE key = ?;

-- name: meta_insert
INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING;

-- name: meta_put
INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value;
