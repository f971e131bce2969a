-- name: incident_get
SELECT doc FROM incidents WHERE id = $1;

-- name: incident_list
SELECT doc FROM incidents ORDER BY opened_at DESC, id DESC LIMIT nullif($1::bigint, -1);

-- name: incident_list_open
SELECT doc FROM incidents WHERE state <> 'resolved' ORDER BY opened_at DESC, id DESC LIMIT nullif($1::bigint, -1);

-- name: incident_insert
INSERT INTO incidents (id, domain, subject, state, opened_at, rev, doc)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (id) DO NOTHING;

-- name: incident_update
UPDATE incidents SET domain = $1, subject = $2, state = $3, opened_at = $4, rev = $5, doc = $6
WHERE id = $7 AND rev = $8;
