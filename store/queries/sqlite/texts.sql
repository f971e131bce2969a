-- name: text_list
SELECT seq, field, salt, text FROM receipt_texts WHERE seq = ? ORDER BY field;

-- name: text_insert
INSERT INTO receipt_texts (seq, field, salt, text) VALUES (?, ?, ?, ?);

-- name: text_delete
DELETE FROM receipt_texts WHERE seq = ?;

-- name: text_all
SELECT seq, field, salt, text FROM receipt_texts ORDER BY seq, field;
