package store

import "time"

// toMicros rounds down: what has happened is never dated later than it was.
func toMicros(t time.Time) int64 { return t.UnixMicro() }

// dueMicros rounds up: a deadline never fires before its time.
func dueMicros(t time.Time) int64 {
	micros := t.UnixMicro()
	if t.After(time.UnixMicro(micros)) {
		micros++
	}
	return micros
}

func fromMicros(micros int64) time.Time { return time.UnixMicro(micros).UTC() }
