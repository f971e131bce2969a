package lineage_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dw/lineage"
)

// TestNextRead holds the rules by which a consumer's next read of bad data is
// found. The subject is always "subject", the consumer "use".
func TestNextRead(t *testing.T) {
	t.Parallel()
	use := func(change ...func(*lineage.Asset)) lineage.Asset {
		return asset("use", lineage.KindJob, change...)
	}
	sla := func(by, zone string) func(*lineage.Asset) {
		return func(a *lineage.Asset) { a.SLA = &lineage.SLA{By: by, Zone: zone} }
	}
	direct := edges("subject > use")
	by := func(chain string) []lineage.Edge { return edges(chain) }
	tests := []struct {
		name      string
		now, from string
		assets    []lineage.Asset
		edges     []lineage.Edge
		next      string // empty: none
		already   string
		why       []string
		unknown   bool
		held      string
	}{
		{
			name: "its own schedule", assets: []lineage.Asset{use(schedule("0 2 * * *", ""))}, edges: direct,
			next: "2026-12-01T02:00:00Z", why: []string{"schedule 0 2 * * * UTC"},
		},
		{
			name: "a run at the very moment of the question counts", now: "2026-11-30T02:00:00Z",
			assets: []lineage.Asset{use(schedule("0 2 * * *", ""))}, edges: direct,
			next: "2026-11-30T02:00:00Z",
		},
		{
			name: "zone before daylight saving starts", now: "2026-03-27T12:00:00Z",
			assets: []lineage.Asset{use(schedule("0 6 * * *", "Europe/Berlin"))}, edges: direct,
			next: "2026-03-28T05:00:00Z", why: []string{"Europe/Berlin"},
		},
		{
			name: "zone over the start of daylight saving", now: "2026-03-28T12:00:00Z",
			assets: []lineage.Asset{use(schedule("0 6 * * *", "Europe/Berlin"))}, edges: direct,
			next: "2026-03-29T04:00:00Z",
		},
		{
			name: "zone over the end of daylight saving", now: "2026-10-24T12:00:00Z",
			assets: []lineage.Asset{use(schedule("0 6 * * *", "Europe/Berlin"))}, edges: direct,
			next: "2026-10-25T05:00:00Z",
		},
		{
			name: "an interval says that it is the latest", assets: []lineage.Asset{use(schedule("@every 1h", ""))}, edges: direct,
			next: "2026-11-30T13:35:00Z", why: []string{"at the latest"},
		},
		{
			name: "SLA alone", assets: []lineage.Asset{use(sla("07:00", "Europe/Berlin"))}, edges: direct,
			next: "2026-12-01T06:00:00Z", why: []string{"SLA 07:00 Europe/Berlin"},
		},
		{
			name: "SLA before the schedule", assets: []lineage.Asset{use(sla("01:00", ""), schedule("0 2 * * *", ""))}, edges: direct,
			next: "2026-12-01T01:00:00Z", why: []string{"SLA 01:00"},
		},
		{
			name: "schedule before the SLA", assets: []lineage.Asset{use(sla("07:00", ""), schedule("0 2 * * *", ""))}, edges: direct,
			next: "2026-12-01T02:00:00Z", why: []string{"schedule"},
		},
		{
			name: "SLA that is no time of day", assets: []lineage.Asset{use(sla("soon", ""))}, edges: direct,
			unknown: true, why: []string{`"soon" is not a time of day`},
		},
		{
			name: "a schedule stands beside a broken SLA", assets: []lineage.Asset{use(sla("soon", ""), schedule("0 2 * * *", ""))}, edges: direct,
			next: "2026-12-01T02:00:00Z", why: []string{"soon"},
		},
		{
			name: "an SLA stands beside a broken schedule", assets: []lineage.Asset{use(sla("07:00", ""), schedule("often", ""))}, edges: direct,
			next: "2026-12-01T07:00:00Z", why: []string{"often", "cannot be used"},
		},
		{
			name: "no schedule", assets: []lineage.Asset{use()}, edges: direct,
			unknown: true, why: []string{"no schedule known"},
		},
		{
			name: "a schedule that cannot be read", assets: []lineage.Asset{use(schedule("often", ""))}, edges: direct,
			unknown: true, why: []string{"often", "cannot be used"},
		},
		{
			name: "a paused job has no next read", assets: []lineage.Asset{use(schedule("0 2 * * *", ""), paused)}, edges: direct,
			why: []string{"paused"},
		},
		{
			name: "a pause may have come after a read", from: "2026-11-30T01:00:00Z",
			assets: []lineage.Asset{use(schedule("0 2 * * *", ""), paused)}, edges: direct,
			why: []string{"paused; since when is not known", "2026-11-30T02:00:00Z"},
		},
		{
			name: "already read", from: "2026-11-29T01:00:00Z",
			assets: []lineage.Asset{use(schedule("0 2 * * *", ""))}, edges: direct,
			already: "2026-11-29T02:00:00Z", next: "2026-12-01T02:00:00Z",
		},
		{
			name: "a read before the data was bad does not count", from: "2026-11-30T03:00:00Z",
			assets: []lineage.Asset{use(schedule("0 2 * * *", ""))}, edges: direct,
			next: "2026-12-01T02:00:00Z",
		},
		{
			name: "a hop that runs before the use does not delay it",
			assets: []lineage.Asset{
				asset("hop", lineage.KindModel, schedule("0 * * * *", "")), use(schedule("0 2 * * *", "")),
			},
			edges: by("subject > hop > use"), next: "2026-12-01T02:00:00Z",
			why: []string{"the rows arrive when hop runs at 2026-11-30T13:00:00Z"},
		},
		{
			name: "a hop that runs after the use delays it to the use's next run",
			assets: []lineage.Asset{
				asset("hop", lineage.KindModel, schedule("30 2 * * *", "")), use(schedule("0 2 * * *", "")),
			},
			edges: by("subject > hop > use"), next: "2026-12-02T02:00:00Z",
		},
		{
			name: "hops in the wrong order cost a day each",
			assets: []lineage.Asset{
				asset("late", lineage.KindModel, schedule("0 3 * * *", "")),
				asset("early", lineage.KindModel, schedule("0 1 * * *", "")), use(schedule("0 2 * * *", "")),
			},
			edges: by("subject > late > early > use"), next: "2026-12-02T02:00:00Z",
		},
		{
			name: "the earliest of two ways counts",
			assets: []lineage.Asset{
				asset("slow", lineage.KindModel, schedule("30 2 * * *", "")),
				asset("a", lineage.KindModel), asset("b", lineage.KindModel), use(schedule("0 2 * * *", "")),
			},
			edges: append(by("subject > slow > use"), by("subject > a > b > use")...),
			next:  "2026-12-01T02:00:00Z", why: []string{"2 hops on the way with no known time"},
		},
		{
			name: "no harm before the rows arrive, though the use runs hourly",
			assets: []lineage.Asset{
				asset("hop", lineage.KindModel, schedule("0 4 * * *", "")), use(schedule("30 * * * *", "")),
			},
			edges: by("subject > hop > use"), next: "2026-12-01T04:30:00Z",
		},
		{
			name: "a read before the rows arrived is no harm done", from: "2026-11-30T10:30:00Z",
			assets: []lineage.Asset{
				asset("hop", lineage.KindModel, schedule("0 12 * * *", "")), use(schedule("0 * * * *", "")),
			},
			edges: by("subject > hop > use"), already: "2026-11-30T12:00:00Z", next: "2026-11-30T13:00:00Z",
		},
		{
			name: "the job that builds a hop is its schedule",
			assets: []lineage.Asset{
				asset("builder", lineage.KindJob, schedule("30 2 * * *", "")),
				asset("hop", lineage.KindModel), use(schedule("0 2 * * *", "")),
			},
			edges: append(by("subject > hop > use"), by("builder > hop")...), next: "2026-12-02T02:00:00Z",
		},
		{
			name: "the job on the way and what it builds are one run",
			assets: []lineage.Asset{
				asset("builder", lineage.KindJob, schedule("0 15 * * *", "")),
				asset("hop", lineage.KindModel), use(schedule("0 16 * * *", "")),
			},
			edges: by("subject > builder > hop > use"), next: "2026-11-30T16:00:00Z",
		},
		{
			name: "a use that the job on the way builds is read in that run",
			assets: []lineage.Asset{
				asset("builder", lineage.KindJob, schedule("0 15 * * *", "")),
				asset("use", lineage.KindDashboard),
			},
			edges: by("subject > builder > use"), next: "2026-11-30T15:00:00Z", why: []string{"built by builder"},
		},
		{
			name: "a hop at an interval may run at any moment",
			assets: []lineage.Asset{
				asset("hop", lineage.KindModel, schedule("@every 6h", "")), use(schedule("0 14 * * *", "")),
			},
			edges: by("subject > hop > use"), next: "2026-11-30T14:00:00Z", why: []string{"1 hop on the way with no known time"},
		},
		{
			name: "a builder at an interval may run at any moment",
			assets: []lineage.Asset{
				asset("builder", lineage.KindJob, schedule("@every 6h", "")),
				asset("hop", lineage.KindModel), use(schedule("0 14 * * *", "")),
			},
			edges: by("subject > builder > hop > use"), next: "2026-11-30T14:00:00Z",
		},
		{
			name: "the earlier of two builders counts, a broken one does not hide it",
			assets: []lineage.Asset{
				asset("a-late", lineage.KindJob, schedule("0 20 * * *", "")),
				asset("broken", lineage.KindJob, schedule("often", "")),
				asset("early", lineage.KindJob, schedule("0 18 * * *", "")),
				asset("use", lineage.KindDashboard),
			},
			edges: append(by("subject > use"), edges("a-late > use", "early > use", "broken > use")...),
			next:  "2026-11-30T18:00:00Z", why: []string{"built by early"},
		},
		{
			name: "a broken builder is said",
			assets: []lineage.Asset{
				asset("broken", lineage.KindJob, schedule("often", "")), asset("use", lineage.KindDashboard),
			},
			edges: append(by("subject > use"), edges("broken > use")...), unknown: true, why: []string{"often", "broken"},
		},
		{
			name: "a use whose builder is paused is held", from: "2026-11-30T11:30:00Z",
			assets: []lineage.Asset{
				asset("builder", lineage.KindJob, schedule("0 12 * * *", ""), paused), asset("use", lineage.KindDashboard),
			},
			edges: append(by("subject > use"), edges("builder > use")...), held: "builder",
			why: []string{"not built while test://builder is paused", "2026-11-30T12:00:00Z may have happened"},
		},
		{
			name:   "a schedule that never fires is not known",
			assets: []lineage.Asset{use(schedule("@every 9601h", ""))}, edges: direct,
			unknown: true, why: []string{"no instant within 400 days"},
		},
		{
			name: "a paused hop holds the rows back",
			assets: []lineage.Asset{
				asset("hop", lineage.KindModel, schedule("0 * * * *", ""), paused),
				asset("next", lineage.KindModel), use(schedule("0 2 * * *", "")),
			},
			edges: by("subject > hop > next > use"), held: "hop", why: []string{"not reached while test://hop is paused"},
		},
		{
			name: "a paused builder holds the rows back",
			assets: []lineage.Asset{
				asset("builder", lineage.KindJob, schedule("0 * * * *", ""), paused),
				asset("hop", lineage.KindModel), use(schedule("0 2 * * *", "")),
			},
			edges: append(by("subject > hop > use"), by("builder > hop")...), held: "builder",
		},
		{
			name: "a paused hop may have passed the rows on before", from: "2026-11-30T11:30:00Z",
			assets: []lineage.Asset{
				asset("hop", lineage.KindModel, schedule("0 * * * *", ""), paused), use(schedule("0 2 * * *", "")),
			},
			edges: by("subject > hop > use"), next: "2026-12-01T02:00:00Z",
		},
		{
			name: "a cycle ends",
			assets: []lineage.Asset{
				asset("a", lineage.KindModel), asset("b", lineage.KindModel), use(schedule("0 2 * * *", "")),
			},
			edges: append(by("subject > a > b > a"), by("b > subject > use")...), next: "2026-12-01T02:00:00Z",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opts := lineage.BlastOptions{}
			if tt.now != "" {
				opts.Now = at(t, tt.now)
			}
			if tt.from != "" {
				opts.From = at(t, tt.from)
			}
			g := build(t, append(slices.Clone(tt.assets), asset("subject", lineage.KindTable)), tt.edges)
			c := consumer(t, blast(t, g, "subject", opts), "use")
			wantTime(t, "next read", c.NextRead, tt.next)
			wantTime(t, "already harmed", c.AlreadyHarmedAt, tt.already)
			if c.Unknown != tt.unknown {
				t.Errorf("unknown is %v, want %v (%s)", c.Unknown, tt.unknown, c.NextReadWhy)
			}
			if tt.held != "" && c.HeldBy != id(tt.held) || tt.held == "" && c.HeldBy != "" {
				t.Errorf("held by %q, want %q", c.HeldBy, tt.held)
			}
			for _, why := range tt.why {
				if !strings.Contains(c.NextReadWhy, why) {
					t.Errorf("why is %q, want it to say %q", c.NextReadWhy, why)
				}
			}
			if c.NextReadWhy == "" {
				t.Error("no reason is given")
			}
		})
	}
}

func wantTime(t *testing.T, what string, got *time.Time, want string) {
	t.Helper()
	switch {
	case got == nil && want == "":
	case got == nil:
		t.Errorf("%s is not known, want %s", what, want)
	case want == "":
		t.Errorf("%s is %s, want none", what, got.Format(time.RFC3339))
	case !got.Equal(at(t, want)):
		t.Errorf("%s is %s, want %s", what, got.Format(time.RFC3339), want)
	}
}
