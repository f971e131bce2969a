package checks

import (
	"math"
	"testing"
)

func TestExplaining(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		elements []Element
		want     string
	}{
		"one is gone, the rest is usual":           {[]Element{{Value: "a", Expected: 100}, {Value: "b", Expected: 300, Actual: 305}}, "a"},
		"a large one falls as all do":              {[]Element{{Value: "a", Expected: 900, Actual: 450}, {Value: "b", Expected: 100, Actual: 50}}, ""},
		"one falls far more than the rest":         {[]Element{{Value: "a", Expected: 900, Actual: 100}, {Value: "b", Expected: 400, Actual: 310}}, "a"},
		"two share the fall":                       {[]Element{{Value: "a", Expected: 100}, {Value: "b", Expected: 100}, {Value: "c", Expected: 200, Actual: 200}}, ""},
		"within its spread":                        {[]Element{{Value: "a", Expected: 100, Actual: 98, Usual: true}, {Value: "b", Expected: 100, Actual: 100, Usual: true}}, ""},
		"one appears that was never there":         {[]Element{{Value: "a", Actual: 500}, {Value: "b", Expected: 300, Actual: 300}}, "a"},
		"an empty dimension":                       {nil, ""},
		"nothing expected and nothing there":       {[]Element{{Value: "a"}}, ""},
		"one rises and one falls by the same rows": {[]Element{{Value: "a", Expected: 100, Actual: 200}, {Value: "b", Expected: 100}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			elements := split(c.elements)
			got := ""
			if at := explaining(elements); at >= 0 {
				got = elements[at].Value
			}
			if got != c.want {
				t.Errorf("explained by %q, want %q: %+v", got, c.want, elements)
			}
		})
	}
}

func TestSurprise(t *testing.T) {
	t.Parallel()
	// Worked by hand from the formula: p = 0.3, q = 0.
	if got, want := surprise(0.3, 0), 0.5*0.3*math.Ln2; math.Abs(got-want) > 1e-12 {
		t.Errorf("surprise %v, want %v", got, want)
	}
	if got := surprise(0.4, 0.4); got != 0 {
		t.Errorf("surprise of no change %v", got)
	}
	if surprise(0, 0) != 0 || surprise(0.1, 0.3) != surprise(0.3, 0.1) {
		t.Error("surprise is not symmetric")
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	values := []float64{9, 1, 5}
	if median(values) != 5 || median([]float64{4, 2}) != 3 || median(nil) != 0 || values[0] != 9 {
		t.Errorf("median %v of %v", median(values), values)
	}
}
