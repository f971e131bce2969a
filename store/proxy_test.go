package store_test

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// What a proxy does at the next commit.
const (
	passAll    = int32(iota)
	cutBefore  // the commit does not reach the server
	cutAfter   // the server has committed, its answer does not come back
	cutForGood // as cutAfter, and nobody can connect again
)

// proxy stands between a store and its server, to cut the line.
type proxy struct {
	to     string
	at     net.Listener
	next   atomic.Int32
	closed atomic.Bool
	lines  sync.WaitGroup
}

// proxied returns a proxy and the DSN through it.
func proxied(t *testing.T, dsn string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{to: u.Host}
	if p.at, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	p.lines.Go(p.accept)
	t.Cleanup(func() { _ = p.at.Close(); p.lines.Wait() })
	u.Host = p.at.Addr().String()
	return p, u.String()
}

func (p *proxy) accept() {
	for {
		client, err := p.at.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.to)
		if err != nil || p.closed.Load() {
			_ = client.Close()
			continue
		}
		var lost atomic.Bool
		p.lines.Go(func() { p.carry(client, server, func(text []byte) bool { return p.atCommit(text, &lost) }) })
		p.lines.Go(func() { p.carry(server, client, func([]byte) bool { return !lost.Load() }) })
	}
}

// carry copies until an end is closed or pass says no, and closes both.
func (p *proxy) carry(from, to net.Conn, pass func([]byte) bool) {
	defer func() { _ = from.Close(); _ = to.Close() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || !pass(buffer[:n]) {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) atCommit(text []byte, lost *atomic.Bool) bool {
	if p.closed.Load() {
		return false
	}
	if !bytes.Contains(text, []byte("commit\x00")) {
		return true
	}
	do := p.next.Swap(passAll)
	lost.Store(do != passAll)
	p.closed.Store(do == cutForGood)
	return do != cutBefore
}
