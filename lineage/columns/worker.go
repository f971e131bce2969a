package columns

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"dw/lineage/columns/wire"
)

// The times that a worker has. The first start compiles the engine.
const (
	DefaultStart     = 5 * time.Minute
	DefaultStatement = 10 * time.Second
)

// WorkerOptions say how a worker is run.
type WorkerOptions struct {
	// Command makes the process, which speaks package wire on its standard input
	// and output.
	Command   func() *exec.Cmd
	Start     time.Duration // until it is ready; 0 is DefaultStart
	Statement time.Duration // for one query; 0 is DefaultStatement
}

// Worker is the engine in a process of its own. It is started by the first
// question and killed, to be started anew, when it takes too long, dies or says
// what is no answer. It meets Engine and may be used by several goroutines, which
// wait for one another.
type Worker struct {
	opts    WorkerOptions
	mu      sync.Mutex
	running *process
	lastID  uint64
}

// NewWorker returns a worker that is not started yet.
func NewWorker(opts WorkerOptions) *Worker {
	if opts.Start == 0 {
		opts.Start = DefaultStart
	}
	if opts.Statement == 0 {
		opts.Statement = DefaultStatement
	}
	return &Worker{opts: opts}
}

// Close ends the process.
func (w *Worker) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop()
	return nil
}

// Analyze meets Engine.
func (w *Worker) Analyze(ctx context.Context, sql string, options json.RawMessage) (json.RawMessage, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == nil {
		if err := w.start(ctx); err != nil {
			return nil, err
		}
	}
	w.lastID++
	var reply wire.Reply
	err := w.within(ctx, w.opts.Statement, func() error {
		if err := wire.Write(w.running.in, wire.Request{ID: w.lastID, SQL: sql, Options: options}); err != nil {
			return err
		}
		return wire.Read(w.running.out, &reply)
	})
	switch {
	case errors.Is(err, wire.ErrTooLong):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("ask the SQL engine: %w", err)
	case reply.ID != w.lastID || reply.Error == "" && len(reply.Analysis) == 0:
		w.stop()
		return nil, errors.New("ask the SQL engine: it answered another question, or nothing")
	case reply.Error != "":
		return nil, &RefusedError{Words: reply.Error}
	}
	return reply.Analysis, nil
}

// process is a running worker.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.Reader
	said *tail
}

func (w *Worker) start(ctx context.Context) error {
	p := &process{cmd: w.opts.Command(), said: &tail{}}
	p.cmd.Stderr = p.said
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return fmt.Errorf("start the SQL engine: %w", err)
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return fmt.Errorf("start the SQL engine: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start the SQL engine: %w", err)
	}
	w.running = p
	var ready wire.Ready
	err = w.within(ctx, w.opts.Start, func() error { return wire.Read(p.out, &ready) })
	if err == nil && ready.Engine == "" {
		w.stop()
		err = errors.New("it does not say that it is ready")
	}
	if err != nil {
		return fmt.Errorf("start the SQL engine: %w", err)
	}
	return nil
}

// within does what talks to the process and kills it when that takes too long or
// ctx ends. After an error there is no process any more.
func (w *Worker) within(ctx context.Context, limit time.Duration, talk func() error) error {
	p := w.running
	var late atomic.Bool
	kill := func() { _ = p.cmd.Process.Kill() } // it may have ended itself
	timer := time.AfterFunc(limit, func() { late.Store(true); kill() })
	stopWatching := context.AfterFunc(ctx, kill)
	err := talk()
	timer.Stop()
	stopWatching()
	if err == nil {
		return nil
	}
	w.stop()
	switch {
	case late.Load():
		return fmt.Errorf("%w after %v", ErrTimedOut, limit)
	case ctx.Err() != nil:
		return ctx.Err()
	case p.said.Len() > 0:
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(p.said.Bytes()))
	}
	return err
}

// stop ends the process and waits for it.
func (w *Worker) stop() {
	p := w.running
	if p == nil {
		return
	}
	w.running = nil
	_ = p.in.Close() // the process is ended whatever it says
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// tail keeps the first 2 KB of what a process says on standard error.
type tail struct{ bytes.Buffer }

// Write meets io.Writer; what is too long is passed over.
func (t *tail) Write(p []byte) (int, error) {
	if room := 2048 - t.Len(); room > 0 {
		t.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
