-- name: deadline_due
SELECT kind, subject, due_at FROM deadlines WHERE due_at <= $1 ORDER BY due_at, kind, subject LIMIT nullif($2::bigint, -1);

-- name: deadline_get
SELECT kind, subject, due_at FROM deadlines WHERE kind = $1 AND subject = $2;

-- name: deadline_set
INSERT INTO deadlines (kind, subject, due_at) VALUES ($1, $2, $3)
ON CONFLICT (kind, subject) DO UPDATE SET due_at = excluded.due_at;

-- name: deadline_take
DELETE FROM deadlines WHERE kind = $1 AND subject = $2 AND due_at = $3;

-- name: deadline_drop
DELETE FROM deadlines WHERE subject = $1;
