-- name: proposal_get
SELECT doc FROM proposals WHERE id = ?;

-- name: proposal_list_of
SELECT doc FROM proposals WHERE incident = ? ORDER BY created_at, id;

-- name: proposal_list_in
SELECT doc FROM proposals WHERE state IN (SELECT value FROM json_each(?)) ORDER BY created_at, id;

-- name: proposal_insert
INSERT INTO proposals (id, incident, state, created_at, rev, doc)
VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING;

-- name: proposal_update
UPDATE proposals SET incident = ?, state = ?, created_at = ?, rev = ?, doc = ?
WHERE id = ? AND rev = ?;
