package bot

import (
	"context"
	"sync"
	"time"
)

// laneSweep is the number of lanes from which idle ones are dropped.
const laneSweep = 256

// pacer keeps within Slack's limits: a lane for the posts of each channel, one
// for all updates, and a gate for each method that Slack closed by Retry-After.
type pacer struct {
	updates *lane

	mu    sync.Mutex
	lanes map[string]*lane
	gates map[string]time.Time // by method, closed until
}

func newPacer() *pacer {
	return &pacer{updates: &lane{pace: updatePace()}, lanes: make(map[string]*lane), gates: make(map[string]time.Time)}
}

// laneOf returns the lane in which a request waits its turn, or nil.
func (p *pacer) laneOf(r request) *lane {
	switch r.method {
	case methodPost:
		return p.lane(r.channel)
	case methodUpdate:
		return p.updates
	default:
		return nil
	}
}

// lane returns the lane of a channel. A caller must take its turn in it before
// the next call of lane for a lane not to be swept with somebody in it.
func (p *pacer) lane(channel string) *lane {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l, ok := p.lanes[channel]; ok {
		return l
	}
	if len(p.lanes) >= laneSweep {
		now := time.Now()
		for key, l := range p.lanes {
			if l.idle(now) {
				delete(p.lanes, key)
			}
		}
	}
	l := &lane{pace: postPace()}
	p.lanes[channel] = l
	return l
}

// close shuts the gate of a method for d.
func (p *pacer) close(method string, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := time.Now().Add(d); until.After(p.gates[method]) {
		p.gates[method] = until
	}
}

// pass waits until the gate of a method is open, at most wait long; it returns
// how long it would take when that is too long.
func (p *pacer) pass(ctx context.Context, method string, wait time.Duration) (time.Duration, error) {
	p.mu.Lock()
	d := time.Until(p.gates[method])
	p.mu.Unlock()
	switch {
	case d > wait:
		return d, errRate
	case d > 0:
		return 0, waitFor(ctx, d)
	default:
		return 0, ctx.Err()
	}
}
