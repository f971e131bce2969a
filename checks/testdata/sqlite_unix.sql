-- accepted_values
SELECT count(*), count(*) FILTER (WHERE "channel" IS NULL), count(*) FILTER (WHERE CAST("channel" AS text) NOT IN (?, ?) OR length(CAST("channel" AS text)) NOT BETWEEN 1 AND 9) FROM "main"."odd ""orders""" WHERE (id > 0
)
-- bound: web, app;

-- accepted_values_samples
SELECT "channel", count(*) FROM "main"."odd ""orders""" WHERE "channel" IS NOT NULL AND (CAST("channel" AS text) NOT IN (?, ?) OR length(CAST("channel" AS text)) NOT BETWEEN 1 AND 9) AND "created_at" >= ? AND (id > 0
) GROUP BY "channel" ORDER BY count(*) DESC, "channel" LIMIT ?
-- bound: web, app, 1790684400, 5;

-- dead_letter
SELECT count(*), count(CASE WHEN "created_at" > ? THEN 1 END), min(CASE WHEN "created_at" > ? THEN "created_at" END), max(CASE WHEN "created_at" > ? THEN "created_at" END) FROM "main"."odd ""orders""" WHERE (id > 0
)
-- bound: 1790857200, 1790857200, 1790857200;

-- dead_letter_first
SELECT count(*), count(*), min("created_at"), max("created_at") FROM "main"."odd ""orders""";

-- empty
SELECT count(*) FROM (SELECT 1 FROM "main"."odd ""orders""" LIMIT 1) AS some;

-- freshness
SELECT (SELECT min("created_at") FROM "main"."odd ""orders"""), (SELECT max("created_at") FROM "main"."odd ""orders""");

-- freshness_future
SELECT max("created_at") FROM "main"."odd ""orders""" WHERE (id > 0
);

-- freshness_where
SELECT max("created_at") FROM "main"."odd ""orders""" WHERE "created_at" < ? AND (id > 0
)
-- bound: 1790857201;

-- grouped
SELECT "id", "channel", count(*), count(*) FILTER (WHERE "id" IS NULL), count(*) FILTER (WHERE "channel" IS NULL) FROM "main"."odd ""orders""" WHERE "created_at" >= ? AND (id > 0
) GROUP BY "id", "channel" ORDER BY "id" IS NULL, "channel" IS NULL, "id", "channel" LIMIT ?
-- bound: 1790684400, 201;

-- metric
SELECT (avg(id) -- all
) FROM "main"."odd ""orders""" WHERE "created_at" >= ? AND (id > 0
)
-- bound: 1790684400;

-- metric_buckets
SELECT (SELECT (avg(id)
) FROM "main"."odd ""orders""" WHERE ("created_at" >= ? AND "created_at" < ?) AND (id > 0
)),
  (SELECT (avg(id)
) FROM "main"."odd ""orders""" WHERE ("created_at" >= ? AND "created_at" < ?) AND (id > 0
))
-- bound: 1790852400, 1790856000, 1790247600, 1790251200;

-- missing
SELECT count(*), count(*) FILTER (WHERE "id" IS NULL), count(*) FILTER (WHERE "channel" IS NULL) FROM "main"."odd ""orders""" WHERE (id > 0
);

-- partition
SELECT count(*) FROM "main"."odd ""orders""" WHERE "created_at" >= ? AND (id > 0
)
-- bound: 1790684400;

-- range
SELECT count(*), count(*) FILTER (WHERE "id" IS NULL), count(*) FILTER (WHERE "id" < 0.5 OR "id" > 10) FROM "main"."odd ""orders""" WHERE "created_at" >= ? AND (id > 0
)
-- bound: 1790684400;

-- range_only_numbers
SELECT count(*) FILTER (WHERE typeof("id") IN ('text', 'blob')) FROM "main"."odd ""orders""" WHERE (id > 0
);

-- relationships
SELECT count(*), count(CASE WHEN "id" IS NOT NULL AND "channel" IS NOT NULL THEN 1 END), (SELECT count(*) FROM "main"."odd ""orders""" WHERE "id" IS NOT NULL AND "channel" IS NOT NULL AND "created_at" >= ? AND (id > 0
) AND NOT EXISTS (SELECT 1 FROM "main"."odd ""orders""" AS parent WHERE parent."id" = "main"."odd ""orders"""."id" AND parent."channel" = "main"."odd ""orders"""."channel")) FROM "main"."odd ""orders""" WHERE "created_at" >= ? AND (id > 0
)
-- bound: 1790684400, 1790684400;

-- relationships_samples
SELECT "id", "channel", count(*) FROM "main"."odd ""orders""" WHERE "id" IS NOT NULL AND "channel" IS NOT NULL AND "created_at" >= ? AND (id > 0
) AND NOT EXISTS (SELECT 1 FROM "main"."odd ""orders""" AS parent WHERE parent."id" = "main"."odd ""orders"""."id" AND parent."channel" = "main"."odd ""orders"""."channel") GROUP BY "id", "channel" ORDER BY count(*) DESC, "id", "channel" LIMIT ?
-- bound: 1790684400, 5;

-- row_count
SELECT count(*) FROM "main"."odd ""orders""" WHERE (id > 0 -- all
);

-- scan
SELECT count(*), count(*) FILTER (WHERE "id" IS NULL), count(*) FILTER (WHERE "channel" IS NULL), (avg(id) -- all
), count(*) FILTER (WHERE CAST("channel" AS text) NOT IN (?, ?) OR length(CAST("channel" AS text)) NOT BETWEEN 1 AND 9) FROM "main"."odd ""orders""" WHERE (id > 0
)
-- bound: web, app;

-- scan_buckets
SELECT b0.m0, b1.m0, b0.m1, b1.m1
FROM (SELECT (avg(id)
) AS m0, (count(*)
) AS m1 FROM "main"."odd ""orders""" WHERE ("created_at" >= ? AND "created_at" < ?) AND (id > 0
)) AS b0,
  (SELECT (avg(id)
) AS m0, (count(*)
) AS m1 FROM "main"."odd ""orders""" WHERE ("created_at" >= ? AND "created_at" < ?) AND (id > 0
)) AS b1
-- bound: 1790852400, 1790856000, 1790247600, 1790251200;

-- scan_freshness
SELECT count(*), min("created_at"), max("created_at") FROM "main"."odd ""orders""";

-- scan_grouped
SELECT "id", "channel", count(*), (max(id)
) FROM "main"."odd ""orders""" WHERE "created_at" >= ? AND (id > 0
) GROUP BY "id", "channel" ORDER BY "id" IS NULL, "channel" IS NULL, "id", "channel" LIMIT ?
-- bound: 1790684400, 201;

-- scan_partition
SELECT count(*), count(*) FILTER (WHERE "id" IS NULL), count(*) FILTER (WHERE "id" < 0.5 OR "id" > 10) FROM "main"."odd ""orders""" WHERE "created_at" >= ? AND (id > 0
)
-- bound: 1790684400;

-- segments
SELECT "id", "channel", CASE WHEN "created_at" < ? THEN 2 ELSE CASE WHEN "created_at" < ? THEN 1 ELSE 0 END END AS span, count(*) AS n FROM "main"."odd ""orders""" WHERE (("created_at" >= ? AND "created_at" < ?) OR ("created_at" >= ? AND "created_at" < ?) OR ("created_at" >= ? AND "created_at" < ?)) AND (id > 0
) GROUP BY 1, 2, 3 LIMIT ?
-- bound: 1790247600, 1790852400, 1790852400, 1790856000, 1790247600, 1790251200, 1789642800, 1789646400, 10001;

-- segments_chosen
SELECT count(*), count(DISTINCT "id"), count(*) FILTER (WHERE "id" IS NULL), count(DISTINCT "channel"), count(*) FILTER (WHERE "channel" IS NULL) FROM "main"."odd ""orders""" WHERE (("created_at" >= ? AND "created_at" < ?) OR ("created_at" >= ? AND "created_at" < ?)) AND (id > 0
)
-- bound: 1790852400, 1790856000, 1790247600, 1790251200;

-- sql
SELECT count(*) FROM (
SELECT * FROM t WHERE id = 3 -- bad
) AS failing;

-- unique
SELECT sum(CASE WHEN n > 1 THEN 1 ELSE 0 END), sum(n - 1), sum(n) FROM (SELECT count(*) AS n FROM "main"."odd ""orders""" WHERE "id" IS NOT NULL AND "channel" IS NOT NULL AND (id > 0
) GROUP BY "id", "channel") AS keys;

-- unique_samples
SELECT "id", "channel", count(*) AS n FROM "main"."odd ""orders""" WHERE "id" IS NOT NULL AND "channel" IS NOT NULL AND (id > 0
) GROUP BY "id", "channel" HAVING count(*) > 1 ORDER BY count(*) DESC, "id", "channel" LIMIT ?
-- bound: 5;

-- volume
SELECT CAST("created_at" AS INTEGER) / 3600 AS span, count(*) AS n FROM "main"."odd ""orders""" WHERE (("created_at" >= ? AND "created_at" < ?) OR ("created_at" >= ? AND "created_at" < ?)) AND (id > 0
) GROUP BY 1 ORDER BY 1
-- bound: 1790247600, 1790251200, 1790852400, 1790856000;

-- volume_quarters
SELECT CAST("created_at" AS INTEGER) / 900 AS span, count(*) AS n FROM "main"."odd ""orders""" WHERE (("created_at" >= ? AND "created_at" < ?) OR ("created_at" >= ? AND "created_at" < ?)) GROUP BY 1 ORDER BY 1
-- bound: 1790247600, 1790251200, 1790852400, 1790856000;

