-- name: deadline_due
SELECT kind, subject, due_at FROM deadlines WHERE due_at <= ? ORDER BY due_at, kind, subject LIMIT ?;

-- name: deadline_get
SELECT kind, subject, due_at FROM deadlines WHERE kind = ? AND subject = ?;

-- name: deadline_set
INSERT INTO deadlines (kind, subject, due_at) VALUES (?, ?, ?)
ON CONFLICT (kind, subject) DO UPDATE SET due_at = excluded.due_at;

-- name: deadline_take
DELETE FROM deadlines WHERE kind = ? AND subject = ? AND due_at = ?;

-- name: deadline_drop
DELETE FROM deadlines WHERE subject = ?;
