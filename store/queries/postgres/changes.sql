-- name: change_list
SELECT doc FROM changes WHERE at BETWEEN $1 AND $2 ORDER BY at DESC, system, id;

-- name: change_insert
INSERT INTO changes (system, id, at, doc) VALUES ($1, $2, $3, $4)
ON CONFLICT (system, id) DO NOTHING;
