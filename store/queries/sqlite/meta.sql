-- name: meta_get
SELECT value FROM meta WHERE key = ?;

-- name: meta_insert
INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING;
