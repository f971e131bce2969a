package segment_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dw/checks/segment"
)

// estate is 400 leaves of three dimensions; the till stands only where people do.
func estate(r *rand.Rand, change func(site, kind, till string) float64) ([]string, []segment.Leaf) {
	var leaves []segment.Leaf
	for site := range 10 {
		for kind := range 8 {
			for till := range 5 {
				where := []string{fmt.Sprint("s", site), fmt.Sprint("k", kind), fmt.Sprint("t", till)}
				base := 40 * math.Exp(r.NormFloat64())
				rate := base * change(where[0], where[1], where[2]) * math.Exp(0.07*r.NormFloat64())
				leaves = append(leaves, segment.Leaf{
					Values: where, Expected: base * math.Exp(0.1*r.NormFloat64()), Actual: math.Round(rate + math.Sqrt(rate)*r.NormFloat64()),
				})
			}
		}
	}
	return []string{"site", "kind", "till"}, leaves
}

// name writes causes as "site=s1; kind=k2 till=t3".
func name(causes []segment.Cause) string {
	out := make([]string, len(causes))
	for i, c := range causes {
		parts := make([]string, len(c.Where))
		for j, p := range c.Where {
			parts[j] = p.Dimension + "=" + p.Value
		}
		out[i] = strings.Join(parts, " ")
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// sure are the causes that are no chance.
func sure(causes []segment.Cause) []segment.Cause {
	return slices.DeleteFunc(causes, func(c segment.Cause) bool { return c.Gain < segment.Enough })
}

// TestAttribute makes incidents of each kind, ten of each, and wants their causes
// and no other.
func TestAttribute(t *testing.T) {
	t.Parallel()
	if1 := func(is bool, factor float64) float64 {
		if is {
			return factor
		}
		return 1
	}
	for what, c := range map[string]struct {
		change func(site, kind, till string) float64
		want   string
	}{
		"nothing":            {func(_, _, _ string) float64 { return 1 }, ""},
		"one is gone":        {func(s, _, _ string) float64 { return if1(s == "s3", 0) }, "site=s3"},
		"one falls by half":  {func(_, k, _ string) float64 { return if1(k == "k1", 0.5) }, "kind=k1"},
		"one comes twice":    {func(_, _, l string) float64 { return if1(l == "t4", 2) }, "till=t4"},
		"two of a dimension": {func(s, _, _ string) float64 { return if1(s == "s3" || s == "s5", 0.2) }, "site=s3; site=s5"},
		"two together":       {func(s, k, _ string) float64 { return if1(s == "s3" && k == "k2", 0) }, "site=s3 kind=k2"},
		"two that overlap": {
			func(s, k, l string) float64 { return if1(s == "s1", 0.4) * if1(k == "k2" && l == "t0", 0.1) },
			"kind=k2 till=t0; site=s1",
		},
		"one falls, one rises": {func(s, k, _ string) float64 { return if1(s == "s1", 0.4) * if1(k == "k6", 1.8) }, "kind=k6; site=s1"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(10) {
				dimensions, leaves := estate(rand.New(rand.NewPCG(seed, 1)), c.change)
				if got := name(sure(segment.Attribute(dimensions, leaves))); got != c.want {
					t.Errorf("seed %d: %q, want %q", seed, got, c.want)
				}
			}
		})
	}
}

// TestSameRows: what is the same rows is one cause, with the other named beside
// it, and a dimension of many values names none.
func TestSameRows(t *testing.T) {
	t.Parallel()
	var leaves []segment.Leaf
	for i := range 300 {
		site := i % 4
		leaf := segment.Leaf{Values: []string{fmt.Sprint("s", site), fmt.Sprint("desk", site), fmt.Sprint("id", i)}, Expected: 100, Actual: 100}
		if site == 2 {
			leaf.Actual = 3
		}
		leaves = append(leaves, leaf)
	}
	got := segment.Attribute([]string{"site", "desk", "id"}, leaves)
	if name(got) != "site=s2" || fmt.Sprint(got[0].Same) != "[[{desk desk2}]]" {
		t.Fatalf("%+v", got)
	}
	if c := got[0]; math.Abs(c.Expected-7500) > 1 || c.Actual != 225 || math.Abs(c.Factor-0.03) > 0.01 {
		t.Errorf("%+v", c)
	}
}

func TestAttributeNothing(t *testing.T) {
	t.Parallel()
	for what, leaves := range map[string][]segment.Leaf{
		"no leaf":        nil,
		"nothing is off": {{Values: []string{"a"}, Expected: 10, Actual: 10}, {Values: []string{"b"}, Expected: 5, Actual: 5}},
		"nothing at all": {{Values: []string{"a"}}},
	} {
		if got := segment.Attribute([]string{"x"}, leaves); len(got) != 0 {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

func TestReadLeaves(t *testing.T) {
	t.Parallel()
	dimensions, leaves, err := segment.ReadLeaves(strings.NewReader("site,expected,actual,kind\ns1,2.5,3,k1\n,1,0,k1\n"))
	if err != nil || fmt.Sprint(dimensions, leaves) != "[site kind] [{[s1 k1] 2.5 3} {[ k1] 1 0}]" {
		t.Errorf("%v %v %v", dimensions, leaves, err)
	}
	for what, text := range map[string]string{
		"empty":           "",
		"no dimension":    "expected,actual\n1,2\n",
		"no actual":       "site,kind,expected\na,b,1\n",
		"not a number":    "site,expected,actual\na,x,1\n",
		"negative":        "site,expected,actual\na,1,-1\n",
		"endless":         "site,expected,actual\na,1,Inf\n",
		"a field missing": "site,expected,actual\na,1\n",
		"twice":           "site,expected,actual\na,1,1\na,1,2\n",
	} {
		if _, _, err := segment.ReadLeaves(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read", what)
		}
	}
}

// FuzzReadLeaves: what is read can be attributed, whatever it holds.
func FuzzReadLeaves(f *testing.F) {
	f.Add("site,expected,actual\na,1,0\nb,5,5\n")
	f.Add("a,b,expected,actual\nx,y,1e300,0\nx,z,0,1e300\n")
	f.Fuzz(func(t *testing.T, text string) {
		dimensions, leaves, err := segment.ReadLeaves(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, c := range segment.Attribute(dimensions, leaves) {
			if math.IsNaN(c.Gain) || c.Gain <= 0 || len(c.Where) == 0 || len(c.Where) > 2 {
				t.Errorf("%+v", c)
			}
		}
	})
}

func BenchmarkAttribute(b *testing.B) {
	dimensions, leaves := estate(rand.New(rand.NewPCG(1, 1)), func(s, _, _ string) float64 {
		if s == "s3" {
			return 0
		}
		return 1
	})
	for b.Loop() {
		segment.Attribute(dimensions, leaves)
	}
}
