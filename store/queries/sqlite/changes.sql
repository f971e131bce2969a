-- name: change_list
SELECT doc FROM changes WHERE at BETWEEN ? AND ? ORDER BY at DESC, system, id;

-- name: change_insert
INSERT INTO changes (system, id, at, doc) VALUES (?, ?, ?, ?)
ON CONFLICT (system, id) DO NOTHING;
