package detect

import (
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

// monday is the first bucket of the made series.
var monday = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// maker makes hourly orders: a weekly shape that differs at the weekend, growth,
// a mood of the day and counting noise on top.
type maker struct {
	rng  *rand.Rand
	base float64 // rows in an average hour
	zone *time.Location
	noCV bool // counting noise alone
	mu   []float64
}

func newMaker(seed uint64, base float64, days int) *maker {
	m := &maker{rng: rand.New(rand.NewPCG(seed, seed)), base: base, zone: time.UTC}
	m.shape(days)
	return m
}

// shape lays out the expectations of so many days.
func (m *maker) shape(days int) {
	weekday := []float64{0.9, 0.92, 0.95, 1, 1.25, 1.1, 0.9}
	mood := 0.0
	for d := range days {
		mood = 0.6*mood + m.rng.NormFloat64()*0.02
		for h := range 24 {
			at := monday.Add(time.Duration(24*d+h) * time.Hour).In(m.zone)
			hour, name := float64(at.Hour()), (int(at.Weekday())+6)%7
			peak := 19.5
			if name >= 5 {
				peak = 15.5
			}
			s := 0.25 + 1.6*bell((hour-peak)/3) + 0.8*bell((hour-12.5)/4)
			m.mu = append(m.mu, m.base*0.9*weekday[name]*s*math.Exp(mood+0.006*float64(d)/7))
		}
	}
}

// scale multiplies a stretch of expectations, in hours from the start.
func (m *maker) scale(from, hours int, factor float64) {
	for i := from; i < min(from+hours, len(m.mu)); i++ {
		m.mu[i] *= factor
	}
}

// points draws the counts.
func (m *maker) points() []Point {
	points := make([]Point, len(m.mu))
	for i, mu := range m.mu {
		if !m.noCV {
			mu *= distuv.Gamma{Alpha: 400, Beta: 400, Src: m.rng}.Rand()
		}
		points[i] = Point{monday.Add(time.Duration(i) * time.Hour), 0}
		if mu > 0 {
			points[i].Value = distuv.Poisson{Lambda: mu, Src: m.rng}.Rand()
		}
	}
	return points
}

func hours(from, n int) Span {
	start := monday.Add(time.Duration(from) * time.Hour)
	return Span{start, start.Add(time.Duration(n) * time.Hour)}
}

// faulty makes a series of 182 days with faults of the usual kinds, stretch
// times as long as on a busy table.
func faulty(seed uint64, base float64, stretch int) labelled {
	m := newMaker(seed, base, 182)
	l := labelled{config: Config{Bucket: time.Hour}, from: monday.AddDate(0, 0, 56)}
	kinds := []struct {
		kind   string
		hours  int
		factor float64
	}{
		{"partner 4", 4, 0.7},
		{"partner 8", 8, 0.7},
		{"partner 12", 12, 0.7},
		{"partner 24", 24, 0.7},
		{"half", 3, 0.5},
		{"half", 3, 0.5},
		{"zero", 1, 0},
		{"zero", 1, 0},
		{"double", 1, 2},
		{"double", 1, 2},
		{"spike", 4, 1.6},
		{"outage", 6, 0},
	}
	m.rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	for i, k := range kinds {
		from := 24*(57+10*i) + 9 + m.rng.IntN(12)
		m.scale(from, k.hours*stretch, k.factor)
		l.faults = append(l.faults, fault{hours(from, k.hours*stretch), k.kind})
	}
	l.points = m.points()
	return l
}

// poisson draws a count.
func (m *maker) poisson(mean float64) float64 {
	return distuv.Poisson{Lambda: mean, Src: m.rng}.Rand()
}

func bell(x float64) float64 { return math.Exp(-x * x) }
