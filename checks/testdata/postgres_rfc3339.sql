-- accepted_values
SELECT count(*), count(*) FILTER (WHERE "channel" IS NULL), count(*) FILTER (WHERE CAST("channel" AS text) NOT IN ($1, $2) OR length(CAST("channel" AS text)) NOT BETWEEN 1 AND 9) FROM "main"."odd ""orders""" WHERE (id > 0
)
-- bound: web, app;

-- accepted_values_regex
SELECT count(*), count(*) FILTER (WHERE "channel" IS NULL), count(*) FILTER (WHERE CAST("channel" AS text) !~ $1) FROM "main"."odd ""orders""" WHERE (id > 0
)
-- bound: ^w;

-- accepted_values_samples
SELECT "channel", count(*) FROM "main"."odd ""orders""" WHERE "channel" IS NOT NULL AND (CAST("channel" AS text) NOT IN ($1, $2) OR length(CAST("channel" AS text)) NOT BETWEEN 1 AND 9) AND "created_at" COLLATE "C" >= $3 AND (id > 0
) GROUP BY "channel" ORDER BY count(*) DESC, "channel" LIMIT $4
-- bound: web, app, 2026-09-29T12:20:00, 5;

-- dead_letter
SELECT count(*), count(CASE WHEN "created_at" COLLATE "C" > $1 THEN 1 END), min(CASE WHEN "created_at" COLLATE "C" > $2 THEN "created_at" COLLATE "C" END), max(CASE WHEN "created_at" COLLATE "C" > $3 THEN "created_at" COLLATE "C" END) FROM "main"."odd ""orders""" WHERE (id > 0
)
-- bound: 2026-10-01T12:20:00Z, 2026-10-01T12:20:00Z, 2026-10-01T12:20:00Z;

-- dead_letter_first
SELECT count(*), count(*), min("created_at" COLLATE "C"), max("created_at" COLLATE "C") FROM "main"."odd ""orders""";

-- empty
SELECT count(*) FROM (SELECT 1 FROM "main"."odd ""orders""" LIMIT 1) AS some;

-- freshness
SELECT (SELECT min("created_at" COLLATE "C") FROM "main"."odd ""orders"""), (SELECT max("created_at" COLLATE "C") FROM "main"."odd ""orders""");

-- freshness_future
SELECT max("created_at" COLLATE "C") FROM "main"."odd ""orders""" WHERE (id > 0
);

-- freshness_where
SELECT max("created_at" COLLATE "C") FROM "main"."odd ""orders""" WHERE "created_at" COLLATE "C" < $1 AND (id > 0
)
-- bound: 2026-10-01T12:20:01;

-- grouped
SELECT "id", "channel", count(*), count(*) FILTER (WHERE "id" IS NULL), count(*) FILTER (WHERE "channel" IS NULL) FROM "main"."odd ""orders""" WHERE "created_at" COLLATE "C" >= $1 AND (id > 0
) GROUP BY "id", "channel" ORDER BY "id" IS NULL, "channel" IS NULL, "id", "channel" LIMIT $2
-- bound: 2026-09-29T12:20:00, 201;

-- metric
SELECT (avg(id) -- all
) FROM "main"."odd ""orders""" WHERE "created_at" COLLATE "C" >= $1 AND (id > 0
)
-- bound: 2026-09-29T12:20:00;

-- metric_buckets
SELECT (SELECT (avg(id)
) FROM "main"."odd ""orders""" WHERE ("created_at" COLLATE "C" >= $1 AND "created_at" COLLATE "C" < $2) AND (id > 0
)),
  (SELECT (avg(id)
) FROM "main"."odd ""orders""" WHERE ("created_at" COLLATE "C" >= $3 AND "created_at" COLLATE "C" < $4) AND (id > 0
))
-- bound: 2026-10-01T11:00:00, 2026-10-01T12:00:00, 2026-09-24T11:00:00, 2026-09-24T12:00:00;

-- missing
SELECT count(*), count(*) FILTER (WHERE "id" IS NULL), count(*) FILTER (WHERE "channel" IS NULL) FROM "main"."odd ""orders""" WHERE (id > 0
);

-- partition
SELECT count(*) FROM "main"."odd ""orders""" WHERE "created_at" COLLATE "C" >= $1 AND (id > 0
)
-- bound: 2026-09-29T12:20:00;

-- range
SELECT count(*), count(*) FILTER (WHERE "id" IS NULL), count(*) FILTER (WHERE "id" < 0.5 OR "id" > 10) FROM "main"."odd ""orders""" WHERE "created_at" COLLATE "C" >= $1 AND (id > 0
)
-- bound: 2026-09-29T12:20:00;

-- relationships
SELECT count(*), count(CASE WHEN "id" IS NOT NULL AND "channel" IS NOT NULL THEN 1 END), (SELECT count(*) FROM "main"."odd ""orders""" WHERE "id" IS NOT NULL AND "channel" IS NOT NULL AND "created_at" COLLATE "C" >= $1 AND (id > 0
) AND NOT EXISTS (SELECT 1 FROM "main"."odd ""orders""" AS parent WHERE parent."id" = "main"."odd ""orders"""."id" AND parent."channel" = "main"."odd ""orders"""."channel")) FROM "main"."odd ""orders""" WHERE "created_at" COLLATE "C" >= $2 AND (id > 0
)
-- bound: 2026-09-29T12:20:00, 2026-09-29T12:20:00;

-- relationships_samples
SELECT "id", "channel", count(*) FROM "main"."odd ""orders""" WHERE "id" IS NOT NULL AND "channel" IS NOT NULL AND "created_at" COLLATE "C" >= $1 AND (id > 0
) AND NOT EXISTS (SELECT 1 FROM "main"."odd ""orders""" AS parent WHERE parent."id" = "main"."odd ""orders"""."id" AND parent."channel" = "main"."odd ""orders"""."channel") GROUP BY "id", "channel" ORDER BY count(*) DESC, "id", "channel" LIMIT $2
-- bound: 2026-09-29T12:20:00, 5;

-- row_count
SELECT count(*) FROM "main"."odd ""orders""" WHERE (id > 0 -- all
);

-- scan
SELECT count(*), count(*) FILTER (WHERE "id" IS NULL), count(*) FILTER (WHERE "channel" IS NULL), (avg(id) -- all
), count(*) FILTER (WHERE CAST("channel" AS text) NOT IN ($1, $2) OR length(CAST("channel" AS text)) NOT BETWEEN 1 AND 9) FROM "main"."odd ""orders""" WHERE (id > 0
)
-- bound: web, app;

-- scan_buckets
SELECT b0.m0, b1.m0, b0.m1, b1.m1
FROM (SELECT (avg(id)
) AS m0, (count(*)
) AS m1 FROM "main"."odd ""orders""" WHERE ("created_at" COLLATE "C" >= $1 AND "created_at" COLLATE "C" < $2) AND (id > 0
)) AS b0,
  (SELECT (avg(id)
) AS m0, (count(*)
) AS m1 FROM "main"."odd ""orders""" WHERE ("created_at" COLLATE "C" >= $3 AND "created_at" COLLATE "C" < $4) AND (id > 0
)) AS b1
-- bound: 2026-10-01T11:00:00, 2026-10-01T12:00:00, 2026-09-24T11:00:00, 2026-09-24T12:00:00;

-- scan_freshness
SELECT count(*), min("created_at" COLLATE "C"), max("created_at" COLLATE "C") FROM "main"."odd ""orders""";

-- scan_grouped
SELECT "id", "channel", count(*), (max(id)
) FROM "main"."odd ""orders""" WHERE "created_at" COLLATE "C" >= $1 AND (id > 0
) GROUP BY "id", "channel" ORDER BY "id" IS NULL, "channel" IS NULL, "id", "channel" LIMIT $2
-- bound: 2026-09-29T12:20:00, 201;

-- scan_partition
SELECT count(*), count(*) FILTER (WHERE "id" IS NULL), count(*) FILTER (WHERE "id" < 0.5 OR "id" > 10) FROM "main"."odd ""orders""" WHERE "created_at" COLLATE "C" >= $1 AND (id > 0
)
-- bound: 2026-09-29T12:20:00;

-- segments
SELECT "id", "channel", CASE WHEN "created_at" COLLATE "C" < $1 THEN 2 ELSE CASE WHEN "created_at" COLLATE "C" < $2 THEN 1 ELSE 0 END END AS span, count(*) AS n FROM "main"."odd ""orders""" WHERE (("created_at" COLLATE "C" >= $3 AND "created_at" COLLATE "C" < $4) OR ("created_at" COLLATE "C" >= $5 AND "created_at" COLLATE "C" < $6) OR ("created_at" COLLATE "C" >= $7 AND "created_at" COLLATE "C" < $8)) AND (id > 0
) GROUP BY 1, 2, 3 LIMIT $9
-- bound: 2026-09-24T11:00:00, 2026-10-01T11:00:00, 2026-10-01T11:00:00, 2026-10-01T12:00:00, 2026-09-24T11:00:00, 2026-09-24T12:00:00, 2026-09-17T11:00:00, 2026-09-17T12:00:00, 10001;

-- segments_chosen
SELECT count(*), count(DISTINCT "id"), count(*) FILTER (WHERE "id" IS NULL), count(DISTINCT "channel"), count(*) FILTER (WHERE "channel" IS NULL) FROM "main"."odd ""orders""" WHERE (("created_at" COLLATE "C" >= $1 AND "created_at" COLLATE "C" < $2) OR ("created_at" COLLATE "C" >= $3 AND "created_at" COLLATE "C" < $4)) AND (id > 0
)
-- bound: 2026-10-01T11:00:00, 2026-10-01T12:00:00, 2026-09-24T11:00:00, 2026-09-24T12:00:00;

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
SELECT substr("created_at", 1, 13) AS span, count(*) AS n FROM "main"."odd ""orders""" WHERE (("created_at" COLLATE "C" >= $1 AND "created_at" COLLATE "C" < $2) OR ("created_at" COLLATE "C" >= $3 AND "created_at" COLLATE "C" < $4)) AND (id > 0
) GROUP BY 1 ORDER BY 1
-- bound: 2026-09-24T11:00:00, 2026-09-24T12:00:00, 2026-10-01T11:00:00, 2026-10-01T12:00:00;

-- volume_quarters
SELECT substr("created_at", 1, 14) || (CAST(substr("created_at", 15, 2) AS INTEGER) / 15) AS span, count(*) AS n FROM "main"."odd ""orders""" WHERE (("created_at" COLLATE "C" >= $1 AND "created_at" COLLATE "C" < $2) OR ("created_at" COLLATE "C" >= $3 AND "created_at" COLLATE "C" < $4)) GROUP BY 1 ORDER BY 1
-- bound: 2026-09-24T11:00:00, 2026-09-24T12:00:00, 2026-10-01T11:00:00, 2026-10-01T12:00:00;

