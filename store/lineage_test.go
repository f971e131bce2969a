package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/lineage"
)

// sight is one statement of a source: an edge and its two ends, at a minute.
func sight(source string, minute int, columns ...string) lineage.Statements {
	from := lineage.Provenance{Source: source, SeenAt: time.Date(2026, 3, 4, 12, minute, 0, 0, time.UTC), How: lineage.HowObserved}
	long := lineage.AssetID("db://" + strings.Repeat("n", 4000))
	return lineage.Statements{
		Assets: []lineage.Asset{
			{ID: "db://a", Kind: lineage.KindTable, Columns: columns, From: []lineage.Provenance{from}},
			{ID: long, Kind: lineage.KindTable, Name: "\x00'🎟", From: []lineage.Provenance{from}},
		},
		Edges: []lineage.Edge{{From: "db://a", To: long, Seen: from}},
	}
}

// TestLineage: what is stated again renews the time and keeps the first; what a
// later event leaves out stays; each source has its own statement.
func TestLineage(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, newPath func(testing.TB) string) {
		path := newPath(t)
		db := open(t, path)
		for _, s := range []lineage.Statements{sight("x", 10, "id", "price"), sight("x", 30), sight("x", 20), sight("y", 5)} {
			if err := db.PutLineage(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = open(t, path)
		got, rev, err := db.Lineage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, e := range got.Edges {
			lines = append(lines, fmt.Sprintf("%s %d-%d", e.Seen.Source, e.Seen.FirstAt.Minute(), e.Seen.SeenAt.Minute()))
		}
		for _, a := range got.Assets {
			if a.ID == "db://a" && a.From[0].Source == "x" {
				lines = append(lines, fmt.Sprint(a.Columns))
			}
		}
		slices.Sort(lines)
		// What was stated once has no earlier time.
		if text := strings.Join(lines, ", "); text != "[id price], x 10-30, y 0-5" {
			t.Errorf("got %s", text)
		}
		if len(got.Assets) != 4 {
			t.Errorf("%d statements about assets, want 4", len(got.Assets))
		}
		if again, err := db.LineageRev(t.Context()); err != nil || again != rev || rev == 0 {
			t.Errorf("revision %d, then %d: %v", rev, again, err)
		}
	})
}
