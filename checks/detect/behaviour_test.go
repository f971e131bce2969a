package detect

import (
	"slices"
	"testing"
	"time"
)

// faultAt is where the behaviours' faults begin: Tuesday of the tenth week, 11:00.
const faultAt = 24*64 + 11

// story is a made series, and where it may and must alarm.
type story struct {
	base   float64
	days   int
	change func(*maker)  // of what is expected
	edit   func([]Point) // of what was counted
	gap    [2]int        // first hour that is not in the series, and how many
	config func(*Config) // beyond an hour
	loud   [][2]int      // hours from the start and length: an alarm must be in each
	silent [][2]int      // none may be
	check  func(*testing.T, []Verdict)
}

func TestBehaviours(t *testing.T) {
	t.Parallel()
	for name, s := range behaviours() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMaker(11, s.base, s.days)
			if s.change != nil {
				s.change(m)
			}
			points := m.points()
			if s.edit != nil {
				s.edit(points)
			}
			points = slices.Delete(points, s.gap[0], s.gap[0]+s.gap[1])
			c := Config{Bucket: time.Hour}
			if s.config != nil {
				s.config(&c)
			}
			s.hold(t, judge(t, c, points))
		})
	}
}

func (s story) hold(t *testing.T, verdicts []Verdict) {
	t.Helper()
	for _, r := range s.loud {
		if len(alarmsIn(verdicts, r[0], r[1])) == 0 {
			t.Errorf("no alarm in the %d hours from %s", r[1], hours(r[0], 0).Start)
		}
	}
	for _, r := range s.silent {
		for _, v := range alarmsIn(verdicts, r[0], r[1]) {
			t.Errorf("alarm of %s: %s", v.Start, v.Text(time.UTC, "rows"))
		}
	}
	if s.check != nil {
		s.check(t, verdicts)
	}
}

func behaviours() map[string]story {
	return map[string]story{
		"a third is missing from one hour": {
			base: 6000, days: 70, change: func(m *maker) { m.scale(faultAt, 1, 0.69) },
			loud: [][2]int{{faultAt, 1}}, silent: [][2]int{{faultAt - 24*30, 24 * 30}, {faultAt + 1, 60}},
		},
		"the same hour a week later is no alarm": {
			base: 6000, days: 80, change: func(m *maker) { m.scale(faultAt, 6, 0) },
			loud: [][2]int{{faultAt, 1}}, silent: [][2]int{{faultAt + 6, 24 * 14}},
		},
		"the same fault a week later is found again": {
			base: 6000, days: 80, change: func(m *maker) { m.scale(faultAt, 6, 0.5); m.scale(faultAt+168, 6, 0.5) },
			loud: [][2]int{{faultAt, 1}, {faultAt + 168, 1}},
		},
		"a young table learns": {
			base: 6000, days: 5, change: func(m *maker) { m.scale(24*4+3, 10, 0) },
			silent: [][2]int{{0, 24 * 5}},
			check: func(t *testing.T, v []Verdict) {
				if v[24*4+5].State != Learning {
					t.Errorf("on day 4 it is %v, want learning", v[24*4+5].State)
				}
			},
		},
		"a sparse table: silence of 40 hours": {
			base: 0.8, days: 70, change: func(m *maker) { m.scale(faultAt, 40, 0) },
			loud: [][2]int{{faultAt, 40}}, silent: [][2]int{{24 * 30, 24 * 30}},
		},
		"a slow leak of a sixth": {
			base: 6000, days: 70, change: func(m *maker) { m.scale(faultAt, 48, 0.85) },
			loud: [][2]int{{faultAt, 48}},
		},
		"nights of zero rows": {
			base: 40, days: 70, change: nights,
			check: func(t *testing.T, v []Verdict) {
				for d := 10; d < 70; d++ {
					story{silent: [][2]int{{24 * d, 5}}}.hold(t, v)
				}
			},
		},
		"rows in a night of zero rows": {
			base: 40, days: 70, change: nights,
			edit: func(p []Point) { p[24*64+3].Value = 60 }, loud: [][2]int{{24*64 + 3, 1}},
		},
		"late load": {
			base: 6000, days: 70,
			edit: func(p []Point) {
				for i := range 3 {
					p[faultAt+3].Value += p[faultAt+i].Value
					p[faultAt+i].Value = 0
				}
			},
			loud: [][2]int{{faultAt, 1}, {faultAt + 3, 1}},
			check: func(t *testing.T, v []Verdict) {
				if v[faultAt].Window.Late || !v[faultAt+3].Window.Late {
					t.Errorf("late is %v at the first empty hour and %v at the fat one", v[faultAt].Window.Late, v[faultAt+3].Window.Late)
				}
			},
		},
		"a doubled hour after a loss is not a late load": {
			base: 6000, days: 70, change: func(m *maker) { m.scale(faultAt, 6, 0); m.scale(faultAt+6, 1, 2) },
			check: func(t *testing.T, v []Verdict) {
				if w := v[faultAt+6].Window; v[faultAt+6].State != Alarm || w.Late {
					t.Errorf("the doubled hour: %+v, want an alarm that is not a late load", v[faultAt+6])
				}
			},
		},
		"a holiday is not judged, nor learned from": {
			base: 6000, days: 80, change: func(m *maker) { m.scale(24*64, 24, 0.4) },
			config: func(c *Config) { c.Holidays = []Date{DateOf(hours(24*64, 0).Start, time.UTC)} },
			silent: [][2]int{{24 * 60, 24 * 19}},
		},
		"the same day unannounced is an alarm": {
			base: 6000, days: 70, change: func(m *maker) { m.scale(24*64, 24, 0.4) }, loud: [][2]int{{24 * 64, 24}},
		},
		"a one-off is not judged, nor learned from": {
			base: 6000, days: 80, change: func(m *maker) { m.scale(faultAt, 8, 3) },
			config: func(c *Config) { c.OneOffs = []Span{hours(faultAt, 8)} },
			silent: [][2]int{{24 * 60, 24 * 19}},
		},
		"a source that does not answer is unknown, not zero": {
			base: 6000, days: 71, gap: [2]int{faultAt, 5}, silent: [][2]int{{faultAt - 48, 100}},
		},
		"daylight saving in Berlin": {
			base: 6000, days: 60, change: inBerlin,
			config: func(c *Config) { c.Zone = berlin() }, silent: [][2]int{{24 * 20, 24 * 40}},
		},
		"a level shift is asked about once, then taken": {
			base: 6000, days: 100, change: func(m *maker) { m.scale(24*64, 24*40, 0.7) },
			loud: [][2]int{{24 * 64, 24}}, silent: [][2]int{{24 * 73, 24 * 25}}, check: askedOnce,
		},
		"a level shift that people adopt": {
			base: 6000, days: 80, change: func(m *maker) { m.scale(24*64, 24*40, 0.7) },
			config: func(c *Config) { c.NewLevels = []Date{DateOf(hours(24*67, 0).Start, time.UTC)} },
			loud:   [][2]int{{24 * 64, 24}}, silent: [][2]int{{24 * 68, 24 * 11}},
		},
		"a level shift is not taken by silence where people are asked": {
			base: 6000, days: 100, change: func(m *maker) { m.scale(24*64, 24*40, 0.7) },
			config: func(c *Config) { c.AskFrom = hours(24*60, 0).Start },
			loud:   [][2]int{{24 * 64, 24}, {24 * 73, 24}, {24 * 80, 24}}, check: askedAndNotTaken,
		},
		"a level that people called a fault is not taken": {
			base: 6000, days: 100, change: func(m *maker) { m.scale(24*64, 24*40, 0.7) },
			config: func(c *Config) { c.Faults = []Span{hours(24*64, 24*20)} },
			loud:   [][2]int{{24 * 64, 24}, {24 * 73, 24}, {24 * 80, 24}},
		},
		"a fault of the first days is not learned where people say so": {
			base: 6000, days: 30, change: func(m *maker) { m.scale(24*8, 24*5, 0.4) },
			config: func(c *Config) { c.Faults = []Span{hours(24*8, 24*5)} }, silent: [][2]int{{24 * 13, 24 * 17}},
		},
	}
}

// nights empties five hours of each night.
func nights(m *maker) {
	for i := range m.mu {
		if i%24 < 5 {
			m.mu[i] = 0
		}
	}
}

func berlin() *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return zone
}

// inBerlin lays the shape by the clock of Berlin, which is set forward on 29 March.
func inBerlin(m *maker) {
	days := len(m.mu) / 24
	m.mu, m.zone = nil, berlin()
	m.shape(days)
}

func askedOnce(t *testing.T, verdicts []Verdict) {
	t.Helper()
	var asked []Verdict
	for _, v := range verdicts[24*60:] {
		if v.NewLevel != 0 {
			asked = append(asked, v)
		}
	}
	if len(asked) != 1 || !asked[0].Start.Equal(hours(24*67, 0).Start) || asked[0].NewLevel < 0.6 || asked[0].NewLevel > 0.8 {
		t.Errorf("asked %d times: %+v; want once, on the fourth day, about 0.7", len(asked), asked)
	}
}

// askedAndNotTaken: after five weeks the old level is still what is expected.
func askedAndNotTaken(t *testing.T, verdicts []Verdict) {
	t.Helper()
	askedOnce(t, verdicts)
	observed, expected := 0.0, 0.0
	for _, v := range verdicts[24*99:] {
		observed, expected = observed+v.Observed, expected+v.Expected
	}
	if share := observed / expected; share < 0.65 || share > 0.78 {
		t.Errorf("the last day holds %.2f of what is expected; want about 0.7 while nobody has answered", share)
	}
}

// TestDaylightSavingNeedsTheZone: the same series by the wrong clock is off by an
// hour after the change, which alarms.
func TestDaylightSavingNeedsTheZone(t *testing.T) {
	t.Parallel()
	m := newMaker(11, 6000, 40)
	inBerlin(m)
	points := m.points()
	if len(alarmsIn(judge(t, Config{Bucket: time.Hour}, points), 24*27, 48)) == 0 {
		t.Error("no alarm in the two days after the clock change, judged in UTC")
	}
}

// TestRatio: bursts of NULLs are found, upward only.
func TestRatio(t *testing.T) {
	t.Parallel()
	m := newMaker(5, 300, 60)
	points := m.points()
	for i := range points {
		share, rows := 0.004, max(points[i].Value, 1)
		switch {
		case i >= 24*40 && i < 24*40+12:
			share = 0.03
		case i == 24*50:
			share = 1
		}
		points[i].Value = 100 * min(m.poisson(share*rows)/rows, 1)
	}
	verdicts := judge(t, Config{Bucket: time.Hour, Metric: Ratio}, points)
	story{loud: [][2]int{{24 * 40, 12}, {24 * 50, 1}}}.hold(t, verdicts)
	if n := len(alarmsIn(verdicts, 24*10, 24*30)); n > 1 {
		t.Errorf("%d alarms in 30 quiet days", n)
	}
}

// TestDays: days are judged as well as hours.
func TestDays(t *testing.T) {
	t.Parallel()
	m := newMaker(6, 6000, 120)
	hourly := m.points()
	days := make([]Point, 120)
	for i, p := range hourly {
		days[i/24].Start = monday.AddDate(0, 0, i/24)
		days[i/24].Value += p.Value
	}
	days[100].Value *= 0.6
	verdicts := judge(t, Config{Bucket: day}, days)
	if v := verdicts[100]; v.State != Alarm {
		t.Errorf("a day with 40 %% missing: %s", v.Text(time.UTC, "rows"))
	}
	for _, v := range alarmsIn(verdicts, 30, 70) {
		t.Errorf("alarm: %s", v.Text(time.UTC, "rows"))
	}
}
