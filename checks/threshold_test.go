package checks

import (
	"math"
	"testing"
)

func TestThreshold(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct {
		passes, fails []float64
		percent       bool
	}{
		"> 0":                {[]float64{1, 0.1}, []float64{0, -1}, false},
		">= 10":              {[]float64{10, 11}, []float64{9.9}, false},
		"<5%":                {[]float64{0, 4.9}, []float64{5}, true},
		"<= 1,5":             {},
		"= 0":                {[]float64{0}, []float64{1, -1}, false},
		"== 3":               {[]float64{3}, []float64{2}, false},
		"!= 3":               {[]float64{2}, []float64{3}, false},
		"between 1 and 10":   {[]float64{1, 5, 10}, []float64{0, 10.1}, false},
		"BETWEEN 1% and 2 %": {[]float64{1, 2}, []float64{3}, true},
		"":                   {[]float64{-5, math.NaN()}, nil, false},
	} {
		th, err := ParseThreshold(text)
		if c.passes == nil {
			if err == nil {
				t.Errorf("%q was read as %v", text, th)
			}
			continue
		}
		if err != nil || th.Percent != c.percent {
			t.Errorf("%q gave %+v, %v", text, th, err)
		}
		for _, v := range c.passes {
			if !th.Holds(v) {
				t.Errorf("%q: %v does not pass", text, v)
			}
		}
		for _, v := range c.fails {
			if th.Holds(v) {
				t.Errorf("%q: %v passes", text, v)
			}
		}
		if text != "" && th.Holds(math.NaN()) {
			t.Errorf("%q: NaN passes", text)
		}
	}
	for _, text := range []string{"0", "> ", "> x", "between 1", "between 2 and 1", "between a and b", "between 1 and b", "> NaN", "< Inf", "~ 3"} {
		if th, err := ParseThreshold(text); err == nil {
			t.Errorf("%q was read as %v", text, th)
		}
	}
	if (Threshold{Op: "about"}).Holds(1) {
		t.Error("an unknown comparison passes")
	}
}

// FuzzThreshold checks that what is read is written and read back the same.
func FuzzThreshold(f *testing.F) {
	for _, text := range []string{"> 0", "between 1% and 10", "!= 3.5e3", "<5%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		th, err := ParseThreshold(text)
		if err != nil {
			return
		}
		again, err := ParseThreshold(th.String())
		if err != nil || again != th {
			t.Fatalf("%q was read as %+v, written %q and read as %+v (%v)", text, th, th, again, err)
		}
	})
}
