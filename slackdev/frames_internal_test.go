package slackdev

import (
	"bytes"
	"net"
	"testing"
)

// reads gives out its bytes a few at a time, as a network does.
type reads struct {
	net.Conn
	rest *bytes.Reader
	size int
}

func (r *reads) Read(p []byte) (int, error) { return r.rest.Read(p[:min(len(p), r.size)]) }

func TestFrameTapSeesFragments(t *testing.T) {
	t.Parallel()
	masked := func(first byte, payload int) []byte {
		b := []byte{first}
		switch {
		case payload < 126:
			b = append(b, 0x80|byte(payload))
		case payload < 1<<16:
			b = append(b, 0x80|126, byte(payload>>8), byte(payload))
		default:
			b = append(b, 0x80|127, 0, 0, 0, 0, 0, byte(payload>>16), byte(payload>>8), byte(payload))
		}
		return append(b, make([]byte, 4+payload)...)
	}
	const final, more, text, next, ping = 0x80, 0, 1, 0, 9
	stream := bytes.Join([][]byte{
		masked(final|text, 5), masked(final|text, 0), masked(final|ping, 3),
		masked(more|text, 200), masked(final|ping, 1), masked(final|next, 70000),
		masked(final|text, 300),
	}, nil)
	want := []bool{false, false, true, false}
	for _, size := range []int{1, 2, 7, 4096} {
		tap := &frameTap{Conn: &reads{rest: bytes.NewReader(stream), size: size}}
		for buf := make([]byte, 4096); ; {
			if _, err := tap.Read(buf); err != nil {
				break
			}
		}
		for i, fragmented := range want {
			if len(tap.fragments) == 0 {
				t.Fatalf("reads of %d: message %d is missing", size, i)
			}
			if got := tap.pop(); got != fragmented {
				t.Errorf("reads of %d: message %d fragmented=%v", size, i, got)
			}
		}
		if len(tap.fragments) != 0 {
			t.Errorf("reads of %d: %d messages too many", size, len(tap.fragments))
		}
	}
}
