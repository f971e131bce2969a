package detect

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Bounds of the exact tail.
const (
	crude     = 1.0  // below so many standard deviations the normal score is near enough
	maxScore  = 37.0 // the normal score of the smallest float64
	poissonAt = 1e-6 // below this share of the mean, extra variance is none
)

// score returns the normal score of a count y where mean and variance are
// expected, positive when y is above the mean. The count is taken as negative
// binomial, or Poisson where the variance is the mean, and half of P(X=y) is
// given to each side (mid-p). Each tail comes from its own incomplete beta
// function and never from one minus the other, so that a far tail keeps its
// digits: P(X<=k) = I_p(r, k+1) with r = mean²/(variance-mean), p = r/(r+mean).
func score(y, mean, variance float64) float64 {
	z := (y - mean) / math.Sqrt(variance)
	if math.Abs(z) < crude {
		return z
	}
	var p float64
	if z > 0 {
		p = upperTail(y, mean, variance)
	} else {
		p = lowerTail(y, mean, variance)
	}
	exact := maxScore
	if p > 0 {
		exact = min(maxScore, -mathext.NormalQuantile(min(p, 0.5)))
	}
	return math.Copysign(exact, z)
}

// upperTail is P(X>y) + P(X=y)/2.
func upperTail(y, mean, variance float64) float64 {
	if variance-mean <= poissonAt*mean {
		return (gammaIncReg(y, mean) + gammaIncReg(y+1, mean)) / 2
	}
	r := mean * mean / (variance - mean)
	q := mean / (r + mean)
	return (mathext.RegIncBeta(y, r, q) + mathext.RegIncBeta(y+1, r, q)) / 2
}

// lowerTail is P(X<y) + P(X=y)/2.
func lowerTail(y, mean, variance float64) float64 {
	if variance-mean <= poissonAt*mean {
		p := mathext.GammaIncRegComp(y+1, mean)
		if y > 0 {
			p += mathext.GammaIncRegComp(y, mean)
		}
		return p / 2
	}
	r := mean * mean / (variance - mean)
	p := mathext.RegIncBeta(r, y+1, r/(r+mean))
	if y > 0 {
		p += mathext.RegIncBeta(r, y, r/(r+mean))
	}
	return p / 2
}

// gammaIncReg is P(X>=y) of a Poisson count.
func gammaIncReg(y, mean float64) float64 {
	if y <= 0 {
		return 1
	}
	return mathext.GammaIncReg(y, mean)
}

// normalQuantile is the normal score of a probability.
func normalQuantile(p float64) float64 { return mathext.NormalQuantile(p) }
