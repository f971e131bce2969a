package slackdev

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// id returns a new identifier of Slack's look: the prefix and ten base-36 digits.
func (s *Server) id(prefix string) string {
	s.serial++
	return prefix + strings.ToUpper(fmt.Sprintf("%010s", strconv.FormatUint(0x5a7c3d1f+s.serial*7919, 36)))
}

// randomUUID returns a version 4 UUID.
func randomUUID() string {
	var b [16]byte
	rand.Read(b[:]) //nolint:errcheck // documented to never fail
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// stamp returns a new message timestamp: Unix seconds of Now, a dot and six
// digits, greater than every one before.
func (s *Server) stamp() string {
	micros := s.opts.Now().UnixMicro()
	if micros <= s.lastMicros {
		micros = s.lastMicros + 1
	}
	s.lastMicros = micros
	return fmt.Sprintf("%d.%06d", micros/1e6, micros%1e6)
}

// stampTime is the instant of a timestamp made by stamp, in UTC.
func stampTime(ts string) (time.Time, bool) {
	seconds, fraction, ok := strings.Cut(ts, ".")
	sec, err := strconv.ParseInt(seconds, 10, 64)
	micro, err2 := strconv.ParseInt(fraction, 10, 64)
	if !ok || err != nil || err2 != nil || len(fraction) != 6 {
		return time.Time{}, false
	}
	return time.Unix(sec, micro*1000).UTC(), true
}
