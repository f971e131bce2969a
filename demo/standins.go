package demo

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"
)

// openStandIns starts the orchestrator, the pager and the tracker, each on a port
// of its own. What it returns takes down whatever was started.
func (c *conductor) openStandIns() (at addresses, stop func() error, err error) {
	var closers []func() error
	stop = func() error {
		var errs []error
		for _, closer := range slices.Backward(closers) {
			errs = append(errs, closer())
		}
		return errors.Join(errs...)
	}
	for _, s := range []struct {
		url  *string
		open func() (string, func() error, error)
	}{{&at.dagster, c.openDagster}, {&at.pager, c.openPager}, {&at.tracker, c.openTracker}} {
		url, closer, err := s.open()
		if err != nil {
			return at, stop, err
		}
		*s.url, closers = url, append(closers, closer)
	}
	return at, stop, nil
}

// standIn is a system outside dw; Close ends answers that hang.
type standIn interface {
	http.Handler
	Close()
}

// listen serves a stand-in on any free port of this machine.
func listen(what string, s standIn) (url string, stop func() error, err error) {
	listener, err := bind(what)
	if err != nil {
		s.Close()
		return "", nil, err
	}
	return "http://" + listener.Addr().String(), serve(listener, s), nil
}

// bind takes any free port of this machine.
func bind(what string) (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // bound once at start
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", what, err)
	}
	return listener, nil
}

// serve answers on a port until it is stopped.
func serve(listener net.Listener, s standIn) (stop func() error) {
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }() // ends with Close
	return func() error {
		s.Close()
		err := server.Close()
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}
}

// freeAddress is one of this machine where nobody listens now, for a dw that
// somebody else starts: the pager must know where to reach it.
func freeAddress() (string, error) {
	listener, err := bind("dw's listener")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
