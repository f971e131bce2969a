package signals

import (
	"context"
	"fmt"
	"time"
)

// Feed takes in what a tool has written to a file that is read again and again.
type Feed struct {
	Name     string // of the source, as in the names of its checks
	Tool     string // one of Tools
	Recorder Recorder
}

// Take records what a file says, as of now. All of it is decoded before the first
// signal is recorded; what was recorded before is dropped. A statement that is older
// than repeats are remembered is counted as old: a file that lies there for weeks
// must not say the same anew.
func (f Feed) Take(ctx context.Context, body []byte, now time.Time) (Answer, error) {
	found, err := Decode(f.Tool, body)
	if err != nil {
		return Answer{}, err
	}
	for i, s := range found {
		if s.At.After(now.Add(future)) {
			return Answer{}, fmt.Errorf("result %d lies in the future by dw's clock", i+1)
		}
	}
	var answer Answer
	for _, s := range found {
		if !s.At.IsZero() && now.Sub(s.At) > MaxAge {
			answer.Old++
			continue
		}
		if err := answer.record(ctx, f.Recorder, f.Name, s); err != nil {
			return answer, err
		}
	}
	return answer, nil
}
