-- name: receipt_list
SELECT seq, bytes, leaf_hash, prev_hash, chain_hash FROM receipts WHERE seq > $1 ORDER BY seq LIMIT nullif($2::bigint, -1);

-- name: receipt_insert
INSERT INTO receipts (seq, bytes, leaf_hash, prev_hash, chain_hash) VALUES ($1, $2, $3, $4, $5);

-- name: head_get
SELECT seq, chain_hash, at FROM head WHERE id = 1;

-- name: head_swap
UPDATE head SET seq = $1, chain_hash = $2, at = $3 WHERE id = 1 AND seq = $4 AND chain_hash = $5;

-- name: tree_get
SELECT hash FROM tree_nodes WHERE idx = $1;

-- name: tree_insert
INSERT INTO tree_nodes (idx, hash) VALUES ($1, $2);

-- name: checkpoint_last
SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1;

-- name: checkpoint_insert
INSERT INTO checkpoints (size, note) VALUES ($1, $2);

-- name: head_lock
SELECT pg_current_xact_id()::text FROM head WHERE id = 1 FOR UPDATE;

-- name: update_status
SELECT pg_xact_status(($1::text)::xid8);
