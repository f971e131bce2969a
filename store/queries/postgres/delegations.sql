-- name: delegation_get
SELECT doc FROM delegations WHERE id = $1;

-- name: delegation_list
SELECT doc FROM delegations WHERE ends_at > $1 ORDER BY created_at, id;

-- name: delegation_insert
INSERT INTO delegations (id, ends_at, created_at, rev, doc)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (id) DO NOTHING;

-- name: delegation_update
UPDATE delegations SET ends_at = $1, created_at = $2, rev = $3, doc = $4
WHERE id = $5 AND rev = $6;
