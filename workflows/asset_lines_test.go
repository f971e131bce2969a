package workflows_test

import (
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/lineage"
	"dw/workflows"
)

// TestAssetLines: what was seen of an asset is said with its age; what was not is
// said, too, and nothing of another asset's.
func TestAssetLines(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	of := func(asset lineage.AssetID, check, kind string, status checks.Status, message string) checks.Result {
		return checks.Result{Check: check, Kind: kind, Asset: asset, Status: status, Message: message, At: now.Add(-5 * time.Minute)}
	}
	broken := of("x://orders", "orders fresh", checks.KindFreshness, checks.Error, "")
	broken.Problem = "the table is gone"
	tool := of("x://orders", "soda orders", workflows.KindSignal, checks.Fail, "too few")
	tool.Tool = "Soda"
	for name, tc := range map[string]struct {
		checked   []string
		results   []checks.Result
		incidents []workflows.Incident
		want      []string
		not       []string
	}{
		"nothing was seen": {
			nil,
			[]checks.Result{of("x://other", "other", checks.KindFreshness, checks.Pass, "new")},
			[]workflows.Incident{{ID: "INC-O", Subject: "x://other", State: workflows.Open}},
			[]string{"fresh: not known: no check of freshness has looked at it", "check: no check watches it", "incident: none is open"},
			[]string{"INC-O"},
		},
		"fresh": {
			nil,
			[]checks.Result{of("x://orders", "orders fresh", checks.KindFreshness, checks.Pass, "newest row 3 m old")},
			nil,
			[]string{"fresh: yes: newest row 3 m old (check orders fresh, 5 m old)", "check: orders fresh: pass. newest row 3 m old"},
			nil,
		},
		"stale":                 {nil, []checks.Result{of("x://orders", "orders fresh", checks.KindFreshness, checks.Fail, "newest row 9 h old")}, nil, []string{"fresh: no: newest row 9 h old"}, nil},
		"could not be asked":    {nil, []checks.Result{broken}, nil, []string{"fresh: not known: the table is gone", "check: orders fresh: error. the table is gone"}, []string{"fresh: yes", "fresh: no:"}},
		"a check has not run":   {[]string{"orders rows"}, nil, nil, []string{"check: orders rows: has not run yet"}, []string{"no check watches it"}},
		"another tool's":        {nil, []checks.Result{tool}, nil, []string{"check: soda orders: fail. too few (Soda, 5 m old)"}, nil},
		"incident by subject":   {nil, nil, []workflows.Incident{{ID: "INC-A", Subject: "x://orders", State: workflows.Open, OpenedAt: now.Add(-time.Hour)}}, []string{"incident: INC-A is open (open) (dw, 1 h 0 m old)"}, nil},
		"incident by signal":    {nil, nil, []workflows.Incident{{ID: "INC-B", Subject: "x://up", State: workflows.Open, Signals: []workflows.Signal{{Result: tool}}}}, []string{"incident: INC-B is open"}, nil},
		"incident was resolved": {nil, nil, []workflows.Incident{{ID: "INC-C", Subject: "x://orders", State: workflows.Resolved}}, []string{"incident: none is open"}, []string{"INC-C"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			same := func(id lineage.AssetID) bool { return id == "x://orders" }
			var text strings.Builder
			for _, l := range workflows.AssetLines(same, tc.checked, tc.results, tc.incidents, now) {
				text.WriteString(l.Label + ": " + l.Value + " (" + l.Sourced() + ")\n")
			}
			for _, want := range tc.want {
				if !strings.Contains(text.String(), want) {
					t.Errorf("the lines lack %q:\n%s", want, text.String())
				}
			}
			for _, no := range tc.not {
				if strings.Contains(text.String(), no) {
					t.Errorf("the lines have %q:\n%s", no, text.String())
				}
			}
		})
	}
}
