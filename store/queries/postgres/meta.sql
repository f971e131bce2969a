-- name: meta_get
SELECT value FROM meta WHERE key = $1;

-- name: meta_insert
INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING;

-- name: server_facts
SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding'), current_setting('fsync'),
       current_setting('synchronous_commit'), pg_is_in_recovery();

-- name: migration_lock
SELECT pg_advisory_lock($1);

-- name: migration_unlock
SELECT pg_advisory_unlock($1);

-- name: meta_put
INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: claim_take
SELECT pg_try_advisory_lock(hashtextextended($1, 0));

-- name: claim_free
SELECT pg_advisory_unlock(hashtextextended($1, 0));
