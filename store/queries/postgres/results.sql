-- name: result_last
SELECT doc FROM results WHERE check_name = $1 ORDER BY at DESC, id DESC LIMIT 1;

-- name: result_last_answer
SELECT doc FROM results WHERE check_name = $1 AND status NOT IN ($2, $3) ORDER BY at DESC, id DESC LIMIT 1;

-- name: result_last_of_every_check
SELECT r.doc
FROM (SELECT id, row_number() OVER (PARTITION BY check_name ORDER BY at DESC, id DESC) AS place FROM results) AS l
JOIN results AS r ON r.id = l.id
WHERE l.place = 1
ORDER BY r.check_name;

-- name: result_insert
INSERT INTO results (check_name, at, status, doc) VALUES ($1, $2, $3, $4);

-- name: result_trim
DELETE FROM results WHERE id IN (
    SELECT id FROM results WHERE check_name = $1 ORDER BY at DESC, id DESC OFFSET $2
);
