package slackdev

import "time"

// bucket is a token bucket: level tokens at the instant of at.
type bucket struct {
	level float64
	at    time.Time
}

// take takes one token of a bucket of size most that refills at rate a second;
// it returns how long to wait when there is none.
func (b *bucket) take(now time.Time, most, rate float64) time.Duration {
	if b.at.IsZero() {
		b.level = most
	} else {
		b.level = min(most, b.level+now.Sub(b.at).Seconds()*rate)
	}
	b.at = now
	if b.level < 1 {
		return time.Duration((1 - b.level) / rate * float64(time.Second))
	}
	b.level--
	return 0
}

// limit holds a call to its tier and messages to one a second per channel.
func (s *Server) limit(c *call, m method) time.Duration {
	key, most, rate := c.method, float64(m.perMin), float64(m.perMin)/60
	if c.method == "chat.postMessage" {
		key, most, rate = c.method+" "+c.str("channel"), float64(s.opts.Burst), 1
	}
	if s.opts.Unlimited || most == 0 {
		return 0
	}
	b := s.buckets[key]
	wait := b.take(s.opts.Wall(), most, rate)
	s.buckets[key] = b
	return wait
}
