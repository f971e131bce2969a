package checks

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func at(t testing.TB, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.UTC()
}

func TestDue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec, zone, from, to string
		want                 []string
	}{
		"from is outside, to inside": {
			"0 * * * *", "", "2026-10-01T10:00:00Z", "2026-10-01T12:00:00Z",
			[]string{"2026-10-01T11:00:00Z", "2026-10-01T12:00:00Z"},
		},
		"nothing due": {"0 2 * * *", "", "2026-10-01T03:00:00Z", "2026-10-01T04:00:00Z", nil},
		"gap: Berlin 02:30 in March fires at 03:00": {
			"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z",
			[]string{"2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"},
		},
		"twice: Berlin 02:30 in October fires the first time only": {
			"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z",
			[]string{"2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		},
		"gap at midnight: Cairo 00:00 fires at 01:00": {
			"0 0 * * *", "Africa/Cairo", "2026-04-23T12:00:00Z", "2026-04-25T12:00:00Z",
			[]string{"2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"},
		},
		"half an hour: Lord Howe 02:15 in October fires at 02:30": {
			"15 2 * * *", "Australia/Lord_Howe", "2026-10-02T20:00:00Z", "2026-10-04T20:00:00Z",
			[]string{"2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"},
		},
		"half an hour: Lord Howe 01:45 in April fires the first time only": {
			"45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z", "2026-04-05T20:00:00Z",
			[]string{"2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"},
		},
		"several times in one gap fire once": {
			"*/15 2 * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", "2026-03-29T12:00:00Z",
			[]string{"2026-03-29T01:00:00Z"},
		},
		"from between the two passes": {"30 2 * * *", "Europe/Berlin", "2026-10-25T00:45:00Z", "2026-10-25T12:00:00Z", nil},
		"from in the second pass":     {"30 2 * * *", "Europe/Berlin", "2026-10-25T01:15:00Z", "2026-10-25T12:00:00Z", nil},
		"from at the end of a gap":    {"30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T12:00:00Z", nil},
		"a day that Samoa left out":   {"0 9 * * *", "Pacific/Apia", "2011-12-29T12:00:00Z", "2011-12-31T12:00:00Z", []string{"2011-12-29T19:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T19:00:00Z"}},
		"leap day":                    {"0 0 29 2 *", "", "2026-01-01T00:00:00Z", "2033-01-01T00:00:00Z", []string{"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"}},
		"leap day over 2100":          {"0 0 29 2 *", "", "2096-03-01T00:00:00Z", "2105-01-01T00:00:00Z", []string{"2104-02-29T00:00:00Z"}},
		"a day that never comes":      {"0 0 30 2 *", "", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", nil},
		"every follows elapsed time from the anchor": {
			"@every 20m", "Europe/Berlin", "2026-10-25T00:50:00Z", "2026-10-25T01:31:00Z",
			[]string{"2026-10-25T01:10:00Z", "2026-10-25T01:30:00Z"},
		},
		"a bare duration":    {"30s", "", "2026-10-01T10:00:01Z", "2026-10-01T10:01:01Z", []string{"2026-10-01T10:00:31Z", "2026-10-01T10:01:01Z"}},
		"a descriptor":       {"@daily", "Asia/Kolkata", "2026-10-01T00:00:00Z", "2026-10-02T00:00:00Z", []string{"2026-10-01T18:30:00Z"}},
		"to is before from":  {"0 * * * *", "", "2026-10-01T10:00:00Z", "2026-10-01T09:00:00Z", nil},
		"weekday and names":  {"0 8 * * MON-FRI", "", "2026-10-02T09:00:00Z", "2026-10-05T09:00:00Z", []string{"2026-10-05T08:00:00Z"}},
		"spaces around text": {"  5m ", "", "2026-10-01T10:00:00Z", "2026-10-01T10:05:00Z", []string{"2026-10-01T10:05:00Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			due, err := Due(c.spec, c.zone, at(t, c.from), at(t, c.to))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range due {
				got = append(got, d.Format(time.RFC3339))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("due %v, want %v", got, c.want)
			}
		})
	}
}

func TestDueRefuses(t *testing.T) {
	t.Parallel()
	from, to := at(t, "2026-10-01T00:00:00Z"), at(t, "2026-10-02T00:00:00Z")
	for name, c := range map[string]struct{ spec, zone, want string }{
		"empty":               {"", "", "five cron fields"},
		"six fields":          {"0 0 0 * * *", "", "five cron fields"},
		"nonsense":            {"often", "", "five cron fields"},
		"zone in the text":    {"TZ=Europe/Berlin 0 2 * * *", "", "its own key"},
		"zone alone":          {"TZ=", "", "its own key"},
		"unknown zone":        {"0 2 * * *", "Europe/Atlantis", "IANA"},
		"the machine's zone":  {"0 2 * * *", "Local", "depends on the machine"},
		"too short":           {"@every 10ms", "", "at least one second"},
		"negative":            {"-5m", "", "at least one second"},
		"every what":          {"@every now", "", "not a duration"},
		"more than can be":    {"1s", "", "10000"},
		"minute out of range": {"61 * * * *", "", "five cron fields"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			due, err := Due(c.spec, c.zone, from, to)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d due, error %v, want %q", len(due), err, c.want)
			}
		})
	}
	if _, err := Due("1s", "", from, to); !errors.Is(err, ErrTooMany) {
		t.Errorf("error %v is not ErrTooMany", err)
	}
}

func TestNextAndLast(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ spec, zone, at, next, last string }{
		"between":             {"0 2 * * *", "", "2026-10-01T12:00:00Z", "2026-10-02T02:00:00Z", "2026-10-01T02:00:00Z"},
		"on the instant":      {"0 2 * * *", "", "2026-10-01T02:00:00Z", "2026-10-02T02:00:00Z", "2026-10-01T02:00:00Z"},
		"one month of a year": {"* * * 1 *", "", "2026-12-15T00:00:00Z", "2027-01-01T00:00:00Z", "2026-01-31T23:59:00Z"},
		"leap day":            {"0 0 29 2 *", "", "2026-10-01T00:00:00Z", "2028-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
		"gap":                 {"30 2 * * *", "Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z", "2026-03-28T01:30:00Z"},
		"after a gap":         {"30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z", "2026-03-29T01:00:00Z"},
		"second pass":         {"30 2 * * *", "Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z", "2026-10-25T00:30:00Z"},
		"an interval":         {"5m", "", "2026-10-01T00:00:00Z", "2026-10-01T00:05:00Z", "2026-09-30T23:55:00Z"},
		"every minute":        {"* * * * *", "", "2026-10-01T00:00:30Z", "2026-10-01T00:01:00Z", "2026-10-01T00:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next, err := Next(c.spec, c.zone, at(t, c.at))
			if err != nil || !next.Equal(at(t, c.next)) {
				t.Errorf("next %v, error %v, want %s", next, err, c.next)
			}
			last, err := Last(c.spec, c.zone, at(t, c.at))
			if err != nil || !last.Equal(at(t, c.last)) {
				t.Errorf("last %v, error %v, want %s", last, err, c.last)
			}
		})
	}
	for name, ask := range map[string]func(string, string, time.Time) (time.Time, error){"Next": Next, "Last": Last} {
		if _, err := ask("0 0 30 2 *", "", at(t, "2026-10-01T00:00:00Z")); !errors.Is(err, ErrNever) {
			t.Errorf("%s: error %v is not ErrNever", name, err)
		}
	}
}

// FuzzDue checks on any text that what is due lies in the span, in order, and
// that Next and Last agree with it.
func FuzzDue(f *testing.F) {
	for _, spec := range []string{"30 2 * * *", "@hourly", "@every 5m", "30s", "TZ= ", "CRON_TZ=UTC", "*/7 1-3 29 2 *", "0 0 30 2 *", "@every", "@reboot", "0/0 * * * *"} {
		f.Add(spec, "Europe/Berlin", int64(1_774_738_800), int64(86_400))
		f.Add(spec, "Australia/Lord_Howe", int64(1_791_000_000), int64(90_000))
	}
	f.Fuzz(func(t *testing.T, spec, zone string, start, length int64) {
		from := time.Unix(start%4_000_000_000, 0)
		to := from.Add(time.Duration(length%1_000_000) * time.Second)
		due, err := Due(spec, zone, from, to)
		if err != nil {
			return
		}
		previous := from
		for _, d := range due {
			if !d.After(previous) || d.After(to) {
				t.Fatalf("%q in %q: %v is not in (%v, %v]", spec, zone, d, previous, to)
			}
			previous = d
		}
		if len(due) == 0 || strings.HasPrefix(spec, "@every") {
			return
		}
		if next, err := Next(spec, zone, from); err != nil || !next.Equal(due[0]) {
			t.Fatalf("%q in %q: next %v (%v), due %v", spec, zone, next, err, due[0])
		}
		if s, err := parseSchedule(spec, zone); err == nil && s.every > 0 {
			return
		}
		if last, err := Last(spec, zone, to); err != nil || !last.Equal(due[len(due)-1]) {
			t.Fatalf("%q in %q: last %v (%v), due %v", spec, zone, last, err, due[len(due)-1])
		}
	})
}

func BenchmarkNext(b *testing.B) {
	after := at(b, "2026-03-29T00:30:00Z")
	for b.Loop() {
		if _, err := Next("30 2 * * *", "Europe/Berlin", after); err != nil {
			b.Fatal(err)
		}
	}
}
