-- name: savepoint_set
SAVEPOINT dw_update;

-- name: savepoint_release
RELEASE dw_update;

-- name: savepoint_undo
ROLLBACK TO dw_update;
