package detect

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// negativeBinomial is P(X=k) for a mean and a variance, by its definition.
func negativeBinomial(k, mean, variance float64) float64 {
	r := mean * mean / (variance - mean)
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	return math.Exp(lg(k+r) - lg(r) - lg(k+1) + r*math.Log(r/(r+mean)) + k*math.Log(mean/(r+mean)))
}

func poisson(k, mean float64) float64 {
	lg, _ := math.Lgamma(k + 1)
	return math.Exp(k*math.Log(mean) - mean - lg)
}

// TestScoreIsTheTail: the score is the normal score of the tail summed by hand.
func TestScoreIsTheTail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ y, mean, variance float64 }{
		{0, 4, 4}, {0, 4, 6}, {12, 4, 4}, {12, 4, 9}, {3, 12, 15}, {40, 12, 15}, {120, 300, 1000}, {520, 300, 1000},
	} {
		mass := func(k float64) float64 {
			if c.variance == c.mean {
				return poisson(k, c.mean)
			}
			return negativeBinomial(k, c.mean, c.variance)
		}
		tail := mass(c.y) / 2
		if c.y < c.mean {
			for k := 0.0; k < c.y; k++ {
				tail += mass(k)
			}
		} else {
			for k := c.y + 1; k < c.y+3000; k++ {
				tail += mass(k)
			}
		}
		want := math.Copysign(mathext.NormalQuantile(1-tail), c.y-c.mean)
		if got := score(c.y, c.mean, c.variance); math.Abs(got-want) > 1e-5*math.Abs(want) {
			t.Errorf("score of %g where %g ± %g²: %g, want %g", c.y, c.mean, math.Sqrt(c.variance), got, want)
		}
	}
}

// TestScoreIsFinite: no count, however odd, makes a score that is no number.
func TestScoreIsFinite(t *testing.T) {
	t.Parallel()
	for _, y := range []float64{0, 0.5, 1, 1e3, 1e9, 1e15} {
		for _, mean := range []float64{1e-9, 1e-3, 1, 1e6, 1e12} {
			for _, phi := range []float64{0, 1e-6, 0.05, 2} {
				if z := score(y, mean, mean+phi*phi*mean*mean); math.IsNaN(z) || math.IsInf(z, 0) {
					t.Errorf("score of %g where %g, phi %g: %g", y, mean, phi, z)
				}
			}
		}
	}
}
