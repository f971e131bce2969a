package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// keepMetrics is how long pushed values are kept: a year, and what the same day of
// the year before is compared with.
const keepMetrics = 400 * 24 * time.Hour

// MetricValue is one value of a pushed metric.
type MetricValue struct {
	Metric string
	At     time.Time // UTC, to the microsecond
	Value  float64
	Rev    int64 // order of arrival; set when read
}

// MetricsPut counts what became of pushed values.
type MetricsPut struct {
	Recorded int
	Known    int // the same value at the same time was there
	Other    int // another value at the same time was there, and stays
}

// PutMetrics stores values, all or none. The first value of a metric at a time
// stays, so that a delivery may be repeated. Values older than 400 days before now
// go.
func (db *DB) PutMetrics(ctx context.Context, values []MetricValue, now time.Time) (put MetricsPut, err error) {
	err = db.update(ctx, func(t *writer) error {
		put = MetricsPut{}
		for _, v := range values {
			if err := putMetric(ctx, t, v, &put); err != nil {
				return err
			}
		}
		_, err := t.exec(ctx, "metric_trim", toMicros(now.Add(-keepMetrics)))
		return err
	})
	if err != nil {
		return MetricsPut{}, fmt.Errorf("store pushed metrics: %w", err)
	}
	return put, nil
}

func putMetric(ctx context.Context, t *writer, v MetricValue, put *MetricsPut) error {
	n, err := t.exec(ctx, "metric_insert", v.Metric, toMicros(v.At), v.Value)
	if err != nil {
		return fmt.Errorf("metric %s: %w", v.Metric, err)
	}
	if n == 1 {
		put.Recorded++
		return nil
	}
	known := v.Value
	err = t.scan(ctx, "metric_get", func(rows *sql.Rows) error { return rows.Scan(&known) }, v.Metric, toMicros(v.At))
	if err != nil {
		return fmt.Errorf("metric %s: %w", v.Metric, err)
	}
	if known == v.Value {
		put.Known++
	} else {
		put.Other++
	}
	return nil
}

// MetricsAfter lists values that arrived after a revision, in the order of their
// arrival, at most limit.
func (db *DB) MetricsAfter(ctx context.Context, rev int64, limit int) (out []MetricValue, err error) {
	err = db.viewOwn(ctx, func(r *reader) error {
		return r.scan(ctx, "metric_after", func(rows *sql.Rows) error {
			var v MetricValue
			var at int64
			err := rows.Scan(&v.Metric, &at, &v.Value, &v.Rev)
			v.At = fromMicros(at)
			out = append(out, v)
			return err
		}, rev, limit)
	})
	if err != nil {
		return nil, fmt.Errorf("read pushed metrics: %w", err)
	}
	return out, nil
}
