package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"dw/lineage/columns/wire"
)

func TestFrames(t *testing.T) {
	t.Parallel()
	var pipe bytes.Buffer
	sent := []wire.Request{
		{ID: 1, SQL: "select 'é😀\x00' from \"a.b\"\n;", Options: json.RawMessage(`{"dialect":"x"}`)},
		{ID: 2, Options: json.RawMessage(`null`)},
	}
	for _, r := range sent {
		if err := wire.Write(&pipe, r); err != nil {
			t.Fatal(err)
		}
	}
	whole := bytes.Clone(pipe.Bytes())
	for _, want := range sent {
		var got wire.Request
		if err := wire.Read(&pipe, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, %v; want %+v", got, err, want)
		}
	}
	var got wire.Request
	if err := wire.Read(&pipe, &got); !errors.Is(err, io.EOF) {
		t.Errorf("behind the last frame: %v", err)
	}
	for cut := 1; cut < 30; cut++ {
		if err := wire.Read(bytes.NewReader(whole[:cut]), &got); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at byte %d: %v", cut, err)
		}
	}
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	var got wire.Reply
	if err := wire.Read(bytes.NewReader([]byte{0xff, 0xff, 0xff, 0xff, '{'}), &got); !errors.Is(err, wire.ErrTooLong) {
		t.Errorf("read: %v", err)
	}
	if err := wire.Write(io.Discard, wire.Request{SQL: strings.Repeat("a", wire.MaxFrame)}); !errors.Is(err, wire.ErrTooLong) {
		t.Errorf("write: %v", err)
	}
}

// FuzzRead: whatever a worker says is read or refused, and what is read can be
// written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte{0, 0, 0, 2, '{', '}'})
	f.Add([]byte{0, 0, 0, 16, '{', '"', 'i', 'd', '"', ':', '1', '}'})
	f.Add([]byte{0xff, 0, 0, 0})
	f.Add([]byte("panic: runtime error\n"))
	f.Fuzz(func(t *testing.T, said []byte) {
		var reply wire.Reply
		if wire.Read(bytes.NewReader(said), &reply) != nil {
			return
		}
		var pipe bytes.Buffer
		if err := wire.Write(&pipe, reply); err != nil {
			t.Fatalf("%+v cannot be written: %v", reply, err)
		}
		var again wire.Reply
		if err := wire.Read(&pipe, &again); err != nil || again.ID != reply.ID || again.Error != reply.Error {
			t.Fatalf("%+v became %+v, %v", reply, again, err)
		}
	})
}
