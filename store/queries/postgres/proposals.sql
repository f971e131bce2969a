-- name: proposal_get
SELECT doc FROM proposals WHERE id = $1;

-- name: proposal_list_of
SELECT doc FROM proposals WHERE incident = $1 ORDER BY created_at, id;

-- name: proposal_list_in
SELECT doc FROM proposals WHERE state IN (SELECT json_array_elements_text($1::json)) ORDER BY created_at, id;

-- name: proposal_insert
INSERT INTO proposals (id, incident, state, created_at, rev, doc)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (id) DO NOTHING;

-- name: proposal_update
UPDATE proposals SET incident = $1, state = $2, created_at = $3, rev = $4, doc = $5
WHERE id = $6 AND rev = $7;
