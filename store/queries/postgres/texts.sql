-- name: text_list
SELECT seq, field, salt, text FROM receipt_texts WHERE seq = $1 ORDER BY field;

-- name: text_insert
INSERT INTO receipt_texts (seq, field, salt, text) VALUES ($1, $2, $3, $4);

-- name: text_delete
DELETE FROM receipt_texts WHERE seq = $1;

-- name: text_all
SELECT seq, field, salt, text FROM receipt_texts ORDER BY seq, field;
