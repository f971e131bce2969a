-- dead_letter
SELECT count(*), count(CASE WHEN "created_at" > CAST($1 AS bigint) THEN 1 END), min(CASE WHEN "created_at" > CAST($2 AS bigint) THEN "created_at" END), max(CASE WHEN "created_at" > CAST($3 AS bigint) THEN "created_at" END) FROM "main"."odd ""orders""" WHERE (id > 0
)
-- bound: 1790857200, 1790857200, 1790857200;

-- dead_letter_first
SELECT count(*), count(*), min("created_at"), max("created_at") FROM "main"."odd ""orders""";

-- freshness
SELECT (SELECT min("created_at") FROM "main"."odd ""orders"""), (SELECT max("created_at") FROM "main"."odd ""orders""");

-- freshness_where
SELECT max("created_at") FROM "main"."odd ""orders""" WHERE "created_at" < CAST($1 AS bigint) AND (id > 0
)
-- bound: 1790857201;

-- missing
SELECT count(*), sum(CASE WHEN "id" IS NULL THEN 1 ELSE 0 END), sum(CASE WHEN "channel" IS NULL THEN 1 ELSE 0 END) FROM "main"."odd ""orders""" WHERE (id > 0
);

-- row_count
SELECT count(*) FROM "main"."odd ""orders""" WHERE (id > 0 -- all
);

-- segments
SELECT "channel" AS element, sum(CASE WHEN ("created_at" >= CAST($1 AS bigint) AND "created_at" < CAST($2 AS bigint)) THEN 1 ELSE 0 END), sum(CASE WHEN ("created_at" >= CAST($3 AS bigint) AND "created_at" < CAST($4 AS bigint)) THEN 1 ELSE 0 END) FROM "main"."odd ""orders""" WHERE (("created_at" >= CAST($5 AS bigint) AND "created_at" < CAST($6 AS bigint)) OR ("created_at" >= CAST($7 AS bigint) AND "created_at" < CAST($8 AS bigint))) AND (id > 0
) GROUP BY 1 LIMIT $9
-- bound: 1790852400, 1790856000, 1790247600, 1790251200, 1790852400, 1790856000, 1790247600, 1790251200, 201;

-- segments_same_rows
SELECT sum(CASE WHEN "channel" = $1 AND "device" IS NULL THEN 1 ELSE 0 END), count(*) FROM "main"."odd ""orders""" WHERE ("channel" = $2 OR "device" IS NULL) AND (("created_at" >= CAST($3 AS bigint) AND "created_at" < CAST($4 AS bigint)) OR ("created_at" >= CAST($5 AS bigint) AND "created_at" < CAST($6 AS bigint))) AND (id > 0
)
-- bound: boxoffice, boxoffice, 1790852400, 1790856000, 1790247600, 1790251200;

-- sql
SELECT count(*) FROM (
SELECT * FROM t WHERE id = 3 -- bad
) AS failing;

-- unique
SELECT sum(CASE WHEN n > 1 THEN 1 ELSE 0 END), sum(n - 1), sum(n) FROM (SELECT count(*) AS n FROM "main"."odd ""orders""" WHERE "id" IS NOT NULL AND "channel" IS NOT NULL AND (id > 0
) GROUP BY "id", "channel") AS keys;

-- unique_samples
SELECT "id", "channel", count(*) AS n FROM "main"."odd ""orders""" WHERE "id" IS NOT NULL AND "channel" IS NOT NULL AND (id > 0
) GROUP BY "id", "channel" HAVING count(*) > 1 ORDER BY count(*) DESC, "id", "channel" LIMIT $1
-- bound: 5;

-- volume
SELECT CAST(floor("created_at" / 3600.0) AS bigint) AS span, count(*) AS n FROM "main"."odd ""orders""" WHERE (("created_at" >= CAST($1 AS bigint) AND "created_at" < CAST($2 AS bigint)) OR ("created_at" >= CAST($3 AS bigint) AND "created_at" < CAST($4 AS bigint))) AND (id > 0
) GROUP BY 1 ORDER BY 1
-- bound: 1790247600, 1790251200, 1790852400, 1790856000;

-- volume_quarters
SELECT CAST(floor("created_at" / 900.0) AS bigint) AS span, count(*) AS n FROM "main"."odd ""orders""" WHERE (("created_at" >= CAST($1 AS bigint) AND "created_at" < CAST($2 AS bigint)) OR ("created_at" >= CAST($3 AS bigint) AND "created_at" < CAST($4 AS bigint))) GROUP BY 1 ORDER BY 1
-- bound: 1790247600, 1790251200, 1790852400, 1790856000;

