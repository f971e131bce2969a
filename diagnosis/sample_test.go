package diagnosis_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
)

var _ diagnosis.Graph = (*lineage.Graph)(nil)

// table is a warehouse that answers one column.
type table struct {
	values []any
	err    error
}

func (t table) Select(_ context.Context, text string, _ ...any) (checks.Rows, error) {
	if want := `SELECT "value" FROM "rejected" WHERE "value" IS NOT NULL LIMIT 50`; text != want {
		return checks.Rows{}, errors.New("unexpected statement: " + text)
	}
	var rows checks.Rows
	for _, v := range t.values {
		rows.Values = append(rows.Values, []any{v})
	}
	return rows, t.err
}

func (table) Columns(context.Context, string) ([]checks.Column, error) {
	return []checks.Column{{Name: "value"}}, nil
}
func (table) Dialect() string { return "sqlite" }

func TestSampleProber(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		table table
		want  string
		err   string
	}{
		"plain JSON":        {table{values: []any{[]byte(`{"a":1}`), `{"a":2}`}}, "0 of 2", ""},
		"wire format":       {table{values: []any{[]byte{0, 0, 0, 0, 9, 1}, []byte("x")}}, "1 of 2", ""},
		"empty values only": {table{values: []any{[]byte{}, "", int64(1)}}, "", ""},
		"no rows":           {table{}, "", ""},
		"unreadable":        {table{err: errors.New("locked")}, "", "sample rejected: locked"},
	} {
		p := diagnosis.SampleProber{Querier: tc.table, Table: "rejected", Column: "value", Now: func() time.Time { return at(12, 35) }}
		got, err := p.Probe(context.Background(), lineage.Asset{})
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: error %v", name, err)
			}
			continue
		}
		value := ""
		if len(got) == 1 {
			value = got[0].Value
		}
		if err != nil || value != tc.want || len(got) == 1 && strings.Contains(got[0].What+got[0].Source, "{") {
			t.Errorf("%s: %+v, %v, want %q", name, got, err, tc.want)
		}
	}
}

func TestSplitOf(t *testing.T) {
	t.Parallel()
	best := &checks.Segment{Dimension: "region", Value: "north", Expected: 310, Actual: 2, Contribution: 0.9}
	for name, tc := range map[string]struct {
		in      checks.Attribution
		value   string
		none    bool
		unknown int
	}{
		"one segment":       {checks.Attribution{Best: best, Dimensions: []checks.DimensionSplit{{Dimension: "region"}}, Normal: []string{"region=south"}}, "north", false, 0},
		"none":              {checks.Attribution{Dimensions: []checks.DimensionSplit{{Dimension: "region"}, {Dimension: "id", Skipped: "too many values"}}}, "", true, 1},
		"nothing was split": {checks.Attribution{Dimensions: []checks.DimensionSplit{{Dimension: "id", Skipped: "too many values"}}}, "", false, 1},
	} {
		got, unknown := diagnosis.SplitOf(tc.in, at(12, 35), "check")
		if len(unknown) != tc.unknown || (got != nil && got.None != "") != tc.none {
			t.Errorf("%s: %+v, %v", name, got, unknown)
		}
		if tc.value != "" && (got == nil || got.Value != tc.value || got.Dimension != "region" || len(got.Normal) != 1) {
			t.Errorf("%s: %+v", name, got)
		}
		if tc.value == "" && !tc.none && got != nil {
			t.Errorf("%s: %+v, want no split", name, got)
		}
	}
}
