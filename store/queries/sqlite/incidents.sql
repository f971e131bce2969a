-- name: incident_get
SELECT doc FROM incidents WHERE id = ?;

-- name: incident_list
SELECT doc FROM incidents ORDER BY opened_at DESC, id DESC LIMIT ?;

-- name: incident_list_open
SELECT doc FROM incidents WHERE state <> 'resolved' ORDER BY opened_at DESC, id DESC LIMIT ?;

-- name: incident_insert
INSERT INTO incidents (id, domain, subject, state, opened_at, rev, doc)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING;

-- name: incident_update
UPDATE incidents SET domain = ?, subject = ?, state = ?, opened_at = ?, rev = ?, doc = ?
WHERE id = ? AND rev = ?;
