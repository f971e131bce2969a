package checks

import (
	"fmt"
	"time"
)

// What people say of a verdict of the detector.
const (
	AnswerReal     = "real"      // a fault: kept out of training
	AnswerExpected = "expected"  // usual: trained on, and not told again
	AnswerOneOff   = "one_off"   // neither judged nor trained on
	AnswerNewLevel = "new_level" // the level of the last days is usual from here on
)

// Answer is what one person said of what the detector found.
type Answer struct {
	Check string    `json:"check"`
	Word  string    `json:"word"`  // an Answer constant
	Start time.Time `json:"start"` // of the deviation
	End   time.Time `json:"end"`   // of the newest bucket that showed it when they answered
	By    string    `json:"by"`    // as people are shown
	At    time.Time `json:"at"`
}

// goesOn is how long after an answer what follows without a gap belongs to it.
const goesOn = 24 * time.Hour

// Quietens reports whether the answer says that there is no fault.
func (a Answer) Quietens() bool {
	return a.Word == AnswerExpected || a.Word == AnswerOneOff || a.Word == AnswerNewLevel
}

// excuses reports whether an answer says that a deviation is no fault: one that
// began in its span, or just as it ended, and was judged within a day of it.
func (a Answer) excuses(since, now time.Time) bool {
	return a.Quietens() && !since.Before(a.Start) && !since.After(a.End) && now.Before(a.At.Add(goesOn))
}

// said says who answered what and when.
func (a Answer) said() string {
	return fmt.Sprintf("%s said at %s that this is %s", a.By, timeText(a.At, time.UTC), a.Words())
}

// Words is an answer as it is said in a sentence: "expected", "a one-off event".
func (a Answer) Words() string {
	switch a.Word {
	case AnswerReal:
		return "a real fault"
	case AnswerExpected:
		return "expected"
	case AnswerOneOff:
		return "a one-off event"
	case AnswerNewLevel:
		return "the new usual level"
	}
	return a.Word
}

// Detection is what the detector adds to a Result for people to answer.
type Detection struct {
	Start time.Time `json:"start,omitzero"` // of the deviation; zero where there is none
	End   time.Time `json:"end"`            // of the newest bucket that was judged
	// NewLevel, other than zero, asks whether so many times the old level is usual
	// now; LevelAt is within the day at whose end that was asked.
	NewLevel float64   `json:"new_level,omitempty"`
	LevelAt  time.Time `json:"level_at,omitzero"`
}
