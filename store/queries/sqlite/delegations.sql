-- name: delegation_get
SELECT doc FROM delegations WHERE id = ?;

-- name: delegation_list
SELECT doc FROM delegations WHERE ends_at > ? ORDER BY created_at, id;

-- name: delegation_insert
INSERT INTO delegations (id, ends_at, created_at, rev, doc)
VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING;

-- name: delegation_update
UPDATE delegations SET ends_at = ?, created_at = ?, rev = ?, doc = ?
WHERE id = ? AND rev = ?;
