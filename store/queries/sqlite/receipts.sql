-- name: receipt_list
SELECT seq, bytes, leaf_hash, prev_hash, chain_hash FROM receipts WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: receipt_insert
INSERT INTO receipts (seq, bytes, leaf_hash, prev_hash, chain_hash) VALUES (?, ?, ?, ?, ?);

-- name: head_get
SELECT seq, chain_hash, at FROM head WHERE id = 1;

-- name: head_swap
UPDATE head SET seq = ?, chain_hash = ?, at = ? WHERE id = 1 AND seq = ? AND chain_hash = ?;

-- name: tree_get
SELECT hash FROM tree_nodes WHERE idx = ?;

-- name: tree_insert
INSERT INTO tree_nodes (idx, hash) VALUES (?, ?);

-- name: checkpoint_last
SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1;

-- name: checkpoint_insert
INSERT INTO checkpoints (size, note) VALUES (?, ?);
