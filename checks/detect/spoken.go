package detect

// Constants of repeats: an hour of the day that spoke before on the same side
// must be louder to be heard again, for heavy tails often have an hour of theirs
// (roadworks at night, the mail of the morning).
const (
	repeatPenalty = 0.2 // of the threshold, for each earlier day
	repeatHours   = 4.0 // longest window that has an hour of its own
)

// spoken remembers the alarms of short windows.
type spoken struct {
	perDay int
	alarms []utterance // oldest first
}

type utterance struct{ day, hour, side int }

// add remembers an alarm.
func (s *spoken) add(w window, side, day, hour int) {
	if w.hours > repeatHours {
		return
	}
	for len(s.alarms) > 0 && s.alarms[0].day < day-calibrateDays {
		s.alarms = s.alarms[1:]
	}
	s.alarms = append(s.alarms, utterance{day, hour, side})
}

// penalty is the factor of the threshold at an hour: it grows with the number of
// earlier days on which this hour or one beside it spoke on the same side.
func (s *spoken) penalty(w window, side, day, hour int) float64 {
	if w.hours > repeatHours {
		return 1
	}
	last, days := -1, 0
	for _, a := range s.alarms {
		if a.day != last && a.day < day && a.day >= day-calibrateDays && a.side == side && s.near(a.hour, hour) {
			last = a.day
			days++
		}
	}
	return 1 + repeatPenalty*float64(days)
}

// near reports whether two slots of the day are at most an hour apart.
func (s *spoken) near(a, b int) bool {
	apart := (a - b + s.perDay) % s.perDay
	hour := max(1, s.perDay/24)
	return apart <= hour || apart >= s.perDay-hour
}
