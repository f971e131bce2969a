package detect

import "math"

// Constants of the fast expectation: how the last hours move the next ones. Real
// counts share weather and news from hour to hour.
const (
	fastHours  = 4.0 // longest window, in hours, that is also judged against it
	decay      = 0.4 // of an hour's weight, per hour
	echoHours  = 10  // after which a weight is negligible
	echoLimit  = 1.2 // of a log ratio
	minEchoPhi = 0.02
)

// echo scales an expectation by what the last hours were off.
type echo struct {
	rho     float64 // share of the log ratio that carries over, 0 to 1
	prior   float64 // rows by which a ratio is pulled to 1
	perHour int     // buckets in an hour, at least 1
	fade    float64 // of a weight, per bucket
}

func newEcho(perDay int) echo {
	perHour := max(1, perDay/24)
	return echo{perHour: perHour, fade: math.Pow(decay, 24/float64(perDay)), prior: 1 / priorSpread}
}

// ratio is the log of observed over expected in the buckets before one.
func (e echo) ratio(before []bucket) float64 {
	y, mu, weight := 0.0, 0.0, 1.0
	for k := 1; k <= min(len(before), echoHours*e.perHour); k++ {
		if b := &before[len(before)-k]; b.evidence() {
			y += weight * b.y
			mu += weight * b.mu
		}
		weight *= e.fade
	}
	return clip(math.Log((y+e.prior)/(mu+e.prior)), echoLimit)
}

// factor is what the buckets before one multiply its expectation by.
func (e echo) factor(before []bucket) float64 {
	if e.rho == 0 {
		return 1
	}
	return math.Exp(e.rho * e.ratio(before))
}

// along lists the factors for windows that start at each remembered bucket.
func (e echo) along(buckets []bucket) []float64 {
	factors := make([]float64, len(buckets)+1)
	for i := range factors {
		factors[i] = e.factor(buckets[:i])
	}
	return factors
}

// learn fits rho by robust regression of the relative residual of a bucket on
// the ratio before it.
func (e *echo) learn(buckets []bucket, phi float64) {
	p := max(phi, minEchoPhi)
	e.prior = 1 / (p * p)
	cross, square := 0.0, 0.0
	for i := range buckets {
		b := &buckets[i]
		if !b.trainable() || b.mu <= 0 {
			continue
		}
		x := e.ratio(buckets[:i])
		variance := b.mu + p*p*b.mu*b.mu
		off := clip((b.y-b.mu)/math.Sqrt(variance), outlierAt)
		weight := b.mu / math.Sqrt(variance)
		cross += x * weight * off
		square += x * x * weight * weight
	}
	e.rho = 0
	if square > 0 {
		e.rho = min(max(cross/square, 0), 1)
	}
}
