package importer

import (
	"strings"

	"dw/checks"
	"dw/lineage"
)

// Elementary turns the tests of Elementary's dbt package into checks. What
// learns without a limit, as freshness_anomalies does, has no counterpart.
func Elementary(manifest []byte, o Options) (Report, error) {
	return importManifest(manifest, o, func(d *dbtImport, t lineage.ManifestTest) {
		if t.Package != "elementary" {
			return
		}
		c, why := d.base(t)
		if why == "" {
			why = elementary(t, &c)
		}
		if why != "" {
			d.report.skip(t.Name, "%s", why)
			return
		}
		d.report.add(c, d.o)
	})
}

func elementary(t lineage.ManifestTest, c *Check) string {
	c.Where = and(c.Where, text(t.Args["where_expression"]))
	switch t.Kind {
	case "volume_anomalies":
		c.Kind = checks.KindVolume
		return buckets(t, c)
	case "dimension_anomalies":
		c.Kind, c.Dimensions = checks.KindDimension, texts(t.Args["dimensions"])
		for _, d := range c.Dimensions {
			if _, ok := column(d); !ok {
				return "it counts by an expression, not by columns"
			}
		}
		return buckets(t, c)
	case "schema_changes":
		c.Kind, c.Where = checks.KindSchema, ""
		return ""
	case "data_freshness_sla":
		return freshnessSLA(t, c)
	case "freshness_anomalies", "event_freshness_anomalies":
		return "it learns how fresh the table is; write a check of kind freshness with max_age or by"
	case "column_anomalies", "all_columns_anomalies":
		return "it learns many metrics of columns; write checks of kind missing or metric for those that matter"
	}
	return "no kind of dw's checks does what elementary." + t.Kind + " does"
}

// buckets reads the time column and the size of a bucket.
func buckets(t lineage.ManifestTest, c *Check) string {
	name, ok := column(text(t.Args["timestamp_column"]))
	if !ok {
		return "it names no timestamp_column; dw counts rows by time"
	}
	c.TimeColumn, c.Bucket = name, "day" // Elementary's default
	if bucket, ok := t.Args["time_bucket"].(map[string]any); ok {
		count, _ := number(bucket["count"])
		period := strings.ToLower(text(bucket["period"]))
		if count != 1 || period != "hour" && period != "day" {
			return "its time_bucket is neither one hour nor one day"
		}
		c.Bucket = period
	}
	return ""
}

func freshnessSLA(t lineage.ManifestTest, c *Check) string {
	name, ok := column(text(t.Args["timestamp_column"]))
	by := text(t.Args["sla_time"])
	switch {
	case !ok:
		return "it names no timestamp_column"
	case t.Args["day_of_week"] != nil || t.Args["day_of_month"] != nil:
		return "it holds on some days only; dw's freshness holds on each"
	case c.Where != "":
		return "dw judges the age of a table's newest row, of all its rows"
	case len(by) != len("07:00"):
		return "sla_time is not a time of day such as 07:00"
	}
	c.Kind, c.TimeColumn, c.By, c.Zone = checks.KindFreshness, name, by, text(t.Args["timezone"])
	return ""
}
