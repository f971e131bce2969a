package detect

import "math"

// Constants of the weekly shape. Each layer is pulled towards the one below it,
// so that a young or sparse table has a smooth shape and an old, full one its own.
const (
	halfLife     = 28.0  // days, of a bucket's weight in training
	outlierAt    = 2.5   // standard deviations, from where a bucket's weight falls (Huber)
	passes       = 3     // of level and shape in turn
	classAfter   = 13    // days, before which only the hour of the day is learned
	pseudoRows   = 3.0   // rows, by which a class of day is pulled to the hour of the day
	smoothRows   = 60.0  // rows in a slot, at which smoothing over its neighbours has halved
	weekdaySD    = 0.15  // prior spread of a weekday's factor, in logs
	slotSD       = 0.12  // prior spread of an hour of the week, relative
	slotNoise    = 0.001 // relative variance that repeats of a slot keep
	cleanShare   = 0.3   // of a day's mass, below which the day says nothing of the level
	fewRows      = 20.0  // rows in seven days, below which a mean replaces the median
	shapeMinimum = 1e-4
)

// profile is the expected share of each slot of the week, 1 on average.
type profile struct {
	perDay int
	slots  []float64 // 7*perDay
}

func flatProfile(perDay int) profile {
	p := profile{perDay: perDay, slots: make([]float64, 7*perDay)}
	for i := range p.slots {
		p.slots[i] = 1
	}
	return p
}

// trainer fits a profile to remembered buckets.
type trainer struct {
	perDay  int
	buckets []bucket // oldest first
	weights []float64
	levels  []float64 // of the bucket's day, rows in an average bucket
	today   int
	phi     float64 // relative spread of one bucket
	phiDay  float64 // of one day
	days    int     // with data
	shape   profile
	level   float64 // of the newest day that has one
}

// fit learns level and shape in turn. It returns false while there is no clean
// whole day.
func (t *trainer) fit() bool {
	t.weights = make([]float64, len(t.buckets))
	t.levels = make([]float64, len(t.buckets))
	t.weigh(false)
	for pass := range passes {
		if pass > 0 {
			t.weigh(true)
		}
		if !t.fitLevels() {
			return false
		}
		t.fitShape()
	}
	return true
}

// weigh sets each bucket's weight from its age and, once there is a fit, from
// how far it lies from it.
func (t *trainer) weigh(fitted bool) {
	for i := range t.buckets {
		b := &t.buckets[i]
		t.weights[i] = 0
		if !b.trainable() {
			continue
		}
		w := math.Exp2(-float64(t.today-b.day) / halfLife)
		if mu := t.levels[i] * t.shape.slots[b.slot]; fitted && mu > 0 {
			z := math.Abs(b.y-mu) / math.Sqrt(mu+t.phi*t.phi*mu*mu)
			w *= min(1, outlierAt/max(z, outlierAt))
		}
		t.weights[i] = w
	}
}

// dayTotal is what one day says of the level.
type dayTotal struct {
	rows, mass float64
	clean      bool
}

// fitLevels sets the level of each day to the centred running median of seven
// days, or their mean where they hold only a few rows.
func (t *trainer) fitLevels() bool {
	if len(t.buckets) == 0 {
		return false
	}
	first := t.buckets[0].day
	totals := make([]dayTotal, t.today-first)
	for i := range t.buckets {
		b := &t.buckets[i]
		if t.weights[i] > 0 && b.day < t.today {
			totals[b.day-first].rows += b.y
			totals[b.day-first].mass += t.shape.slots[b.slot]
		}
	}
	t.days = 0
	for i := range totals {
		totals[i].clean = totals[i].mass >= cleanShare*float64(t.perDay)
		if totals[i].clean {
			t.days++
		}
	}
	levels := runningLevels(totals)
	if levels == nil {
		return false
	}
	for i := range t.buckets {
		t.levels[i] = levels[min(t.buckets[i].day-first, len(levels)-1)]
	}
	t.level = levels[len(levels)-1]
	return true
}

// runningLevels smooths the days' levels; a day without clean neighbours takes
// the nearest level before it. It returns nil where no day is clean.
func runningLevels(totals []dayTotal) []float64 {
	levels := make([]float64, len(totals))
	last, found := 0.0, -1
	for i := range totals {
		lo, hi := max(0, i-3), min(len(totals), i+4)
		var ratios []float64
		rows, mass := 0.0, 0.0
		for _, d := range totals[lo:hi] {
			if d.clean {
				ratios = append(ratios, d.rows/d.mass)
				rows, mass = rows+d.rows, mass+d.mass
			}
		}
		if len(ratios) > 0 {
			last = median(ratios)
			if rows < fewRows || last == 0 {
				last = rows / mass
			}
			if found < 0 {
				found = i
			}
		}
		levels[i] = last
	}
	if found < 0 {
		return nil
	}
	for i := range found {
		levels[i] = levels[found]
	}
	return levels
}

// cell sums what is known of one slot, or of one class of slots.
type cell struct {
	rows  float64 // weighted
	base  float64 // weighted rows at shape 1
	count float64 // weights
}

func (c *cell) add(w, y, base float64) {
	c.rows, c.base, c.count = c.rows+w*y, c.base+w*base, c.count+w
}

// ratio returns rows per base, pulled to a prior by a number of rows.
func (c cell) ratio(prior, rows float64) float64 {
	prior = max(prior, shapeMinimum)
	if c.base <= 0 && rows <= 0 {
		return prior
	}
	return (c.rows + rows) / (c.base + rows/prior)
}

// fitShape learns the layers: hour of day, class of day, weekday, own slot.
func (t *trainer) fitShape() {
	shape := t.hours()
	if t.days >= classAfter {
		shape = t.classes(shape)
		t.scaleWeekdays(shape)
		t.ownSlots(shape)
	}
	normalise(shape)
	t.shape = profile{perDay: t.perDay, slots: shape}
}

// collect sums the trainable buckets into n cells by a key; base is the factor
// by which the layers so far multiply the level.
func (t *trainer) collect(n int, key func(*bucket) int, base func(*bucket) float64) []cell {
	cells := make([]cell, n)
	for i := range t.buckets {
		if b := &t.buckets[i]; t.weights[i] > 0 {
			cells[key(b)].add(t.weights[i], b.y, t.levels[i]*base(b))
		}
	}
	return cells
}

func one(*bucket) float64 { return 1 }

// hours is the shape by the hour of the day alone.
func (t *trainer) hours() []float64 {
	cells := t.collect(t.perDay, func(b *bucket) int { return b.hour }, one)
	shape := make([]float64, 7*t.perDay)
	for slot := range shape {
		shape[slot] = cells[slot%t.perDay].ratio(1, 1)
	}
	return shape
}

// classOf returns the class of a slot's day: weekday, Saturday or Sunday.
func (t *trainer) classOf(slot int) int { return max(0, slot/t.perDay-4) }

// classes is the shape by class of day and hour, pulled to the hour's.
func (t *trainer) classes(hours []float64) []float64 {
	key := func(b *bucket) int { return t.classOf(b.slot)*t.perDay + b.hour }
	cells := t.collect(3*t.perDay, key, one)
	raw := make([]float64, len(cells))
	for i, c := range cells {
		raw[i] = c.ratio(hours[i%t.perDay], pseudoRows)
	}
	smooth := make([]float64, len(raw))
	for i := range raw {
		class, hour := i/t.perDay*t.perDay, i%t.perDay
		before, after := raw[class+(hour+t.perDay-1)%t.perDay], raw[class+(hour+1)%t.perDay]
		share := 1 / (1 + cells[i].rows/smoothRows)
		smooth[i] = (1-share)*raw[i] + share*(before+2*raw[i]+after)/4
	}
	shape := make([]float64, 7*t.perDay)
	for slot := range shape {
		shape[slot] = smooth[t.classOf(slot)*t.perDay+slot%t.perDay]
	}
	return shape
}

// scaleWeekdays multiplies each weekday by its own factor.
func (t *trainer) scaleWeekdays(shape []float64) {
	cells := t.collect(7, func(b *bucket) int { return b.slot / t.perDay },
		func(b *bucket) float64 { return shape[b.slot] })
	for slot := range shape {
		c := cells[slot/t.perDay]
		if c.rows <= 0 || c.base <= 0 {
			continue
		}
		weeks := c.count / float64(t.perDay)
		variance := 1/c.rows + t.phiDay*t.phiDay/max(weeks, 0.1)
		shape[slot] *= math.Exp(math.Log(c.rows/c.base) * weekdaySD * weekdaySD / (weekdaySD*weekdaySD + variance))
	}
}

// ownSlots moves each slot of the week towards its own mean, as far as what is
// known of it outweighs the prior.
func (t *trainer) ownSlots(shape []float64) {
	cells := t.collect(len(shape), func(b *bucket) int { return b.slot },
		func(b *bucket) float64 { return shape[b.slot] })
	for slot, c := range cells {
		if c.base <= 0 || c.count <= 0 {
			continue
		}
		info := c.count / (c.count/c.base + t.phi*t.phi + slotNoise)
		gain := info / (info + 1/(slotSD*slotSD))
		shape[slot] *= 1 + gain*(c.rows/c.base-1)
	}
}

// normalise scales a shape to 1 on average.
func normalise(shape []float64) {
	sum := 0.0
	for _, s := range shape {
		sum += s
	}
	for i := range shape {
		shape[i] = max(shape[i]*float64(len(shape))/max(sum, shapeMinimum), shapeMinimum)
	}
}
