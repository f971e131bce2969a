package postgres_test

import (
	"bytes"
	"math"
	"reflect"
	"testing"
	"time"

	"dw/connectors/postgres"
)

// TestValues: no value loses anything on its way; what Go has no exact equal of
// stays text.
func TestValues(t *testing.T) {
	t.Parallel()
	db := newWarehouse(t, "CREATE DOMAIN amount AS numeric(12, 2)", "CREATE TYPE mood AS ENUM ('glad', 'sad')").open(postgres.Options{})
	at := time.Date(2026, 10, 1, 11, 0, 0, 123456000, time.UTC)
	for text, want := range map[string]any{
		"1::smallint":                    int64(1),
		"9223372036854775807":            int64(math.MaxInt64),
		"count(*)":                       int64(1),
		"1.5::float8":                    1.5,
		"0.1::float4":                    0.1,
		"'Infinity'::float8":             math.Inf(1),
		"42::numeric":                    int64(42),
		"9223372036854775808::numeric":   "9223372036854775808",
		"0.10::numeric":                  "0.10",
		"12345678901234567890.123456789": "12345678901234567890.123456789",
		"'NaN'::numeric":                 "NaN",
		"7::amount":                      "7.00",
		"true":                           true,
		"NULL::int":                      nil,
		"'NULL'::text":                   "NULL",
		"''":                             "",
		"'2026-10-01 13:00:00.123456+02'::timestamptz": at,
		"'2026-10-01 11:00:00.123456'::timestamp":      at,
		"'2026-10-01'::date":                           time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC),
		"'infinity'::timestamptz":                      "infinity",
		"'-infinity'::date":                            "-infinity",
		"'0044-03-15 BC'::date":                        "0044-03-15 BC",
		"'1 mon 2 days 03:04:05'::interval":            "P1M2DT3H4M5S",
		"'12:30:00+02'::timetz":                        "12:30:00+02",
		`'{"b": 1, "a": 1.10}'::jsonb`:                 `{"a": 1.10, "b": 1}`,
		`'{"a":  12345678901234567890}'::json`:         `{"a":  12345678901234567890}`,
		"'{1, NULL, 3}'::int[]":                        "{1,NULL,3}",
		`'{"a b","c\"d"}'::text[]`:                     `{"a b","c\"d"}`,
		"'glad'::mood":                                 "glad",
		"'8f14e45f-ceea-467a-9c1a-1f0e3d2b4c5d'::uuid": "8f14e45f-ceea-467a-9c1a-1f0e3d2b4c5d",
		"'10.0.0.1/8'::inet":                           "10.0.0.1/8",
		"'🎟 ünï'":                                      "🎟 ünï",
		"ROW(1, 'a')":                                  "(1,a)",
	} {
		got := one(t, db, "SELECT "+text)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %#v, want %#v", text, got, want)
		}
	}
	if got, ok := one(t, db, "SELECT 'NaN'::float8").(float64); !ok || !math.IsNaN(got) {
		t.Errorf("NaN is %v", got)
	}
	if got, ok := one(t, db, `SELECT '\x00ff10'::bytea`).([]byte); !ok || !bytes.Equal(got, []byte{0, 0xff, 0x10}) {
		t.Errorf("bytes are %v", got)
	}
}

// TestBoundValues: a value means the same as the column that it stands beside,
// and never SQL.
func TestBoundValues(t *testing.T) {
	t.Parallel()
	db := newWarehouse(t, "CREATE TABLE t (i int, n numeric, f float8, s text, at timestamptz, local timestamp, d date, b bytea, ok bool)",
		`INSERT INTO t VALUES (1, 1.25, 1.5, 'it''s; --', '2026-10-01 11:00Z', '2026-10-01 11:00', '2026-10-01', '\x00', true)`).open(postgres.Options{})
	noon := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	for condition, arg := range map[string]any{
		"i = $1": int64(1), "i < $1": 1.5, "n = $1": 1.25, "f = $1": 1.5, "n < $1": math.Inf(1), "s = $1": "it's; --",
		"at < $1": noon, "local < $1": noon, "d < $1": noon, "b = $1": []byte{0}, "ok = $1": true,
		"coalesce($1, i) = 1": nil, "CASE WHEN local > $1 THEN 1 END IS NULL": noon,
	} {
		if got := one(t, db, "SELECT count(*) FROM t WHERE "+condition, arg); got != int64(1) {
			t.Errorf("%s with %v: %v rows", condition, arg, got)
		}
	}
	if _, err := db.Select(t.Context(), "SELECT $1", struct{}{}); err == nil {
		t.Error("a struct was bound")
	}
}
