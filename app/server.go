package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"dw/workflows"
)

// server is dw's own HTTP listener: /healthz, /metrics and the intake.
type server struct {
	app      *App
	listener net.Listener
	http     *http.Server
	dead     atomic.Int64 // effects given up since the start
}

func newServer(a *App) (*server, error) {
	address := a.project.Config.Server.Listen
	listener, err := net.Listen("tcp", address) //nolint:noctx // bound once at start
	if err != nil {
		return nil, fmt.Errorf("server.listen %s: %w", address, err)
	}
	s := &server{app: a, listener: listener}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.health)
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.metrics(), promhttp.HandlerOpts{}))
	if err := errors.Join(s.mountIntake(mux), s.mountPages(mux), s.mountOpenLineage(mux), s.mountSignals(mux), s.mountMetrics(mux)); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second}
	return s, nil
}

// run serves until ctx ends.
func (s *server) run(ctx context.Context) error {
	stopped := make(chan error, 1)
	go func() { // ends with Serve, which Shutdown ends
		stopped <- s.http.Serve(s.listener)
	}()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	err := s.http.Shutdown(stop)
	if served := <-stopped; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// healthAnswer is what /healthz says.
type healthAnswer struct {
	OK       bool        `json:"ok"`
	Slack    bool        `json:"slack_connected"`
	Sockets  slackHealth `json:"slack"`
	Receipts int64       `json:"receipts"`
	GivenUp  int64       `json:"effects_given_up"`
	Problems []string    `json:"problems"`
	Stopped  string      `json:"stopped,omitempty"` // who stopped dw and why; it is healthy and starts nothing
}

// health answers 200 only if the store can be read and written, Slack is connected, and no
// effect was given up.
func (s *server) health(w http.ResponseWriter, r *http.Request) {
	status := s.app.socket.Status()
	answer := healthAnswer{Slack: status.Open > 0, Sockets: slackHealthOf(status, time.Now()), GivenUp: s.dead.Load(), Problems: []string{}}
	err := s.app.store.View(r.Context(), func(tx workflows.ReadTx) error {
		head, err := tx.Head(r.Context())
		answer.Receipts = head.Seq
		if err != nil {
			return err
		}
		stop, err := tx.Stop(r.Context())
		answer.Stopped = stop.Text(time.Now())
		return err
	})
	if err != nil {
		answer.Problems = append(answer.Problems, "the store does not answer: "+err.Error())
	}
	if err == nil {
		// Nothing is written: whether something could be is asked.
		if err := s.app.store.Writable(r.Context()); err != nil {
			answer.Problems = append(answer.Problems, "the store cannot be written, so nothing is decided or done: "+err.Error())
		}
	}
	if problem := slackProblem(status); problem != "" {
		answer.Problems = append(answer.Problems, problem)
	}
	if answer.GivenUp > 0 {
		answer.Problems = append(answer.Problems, fmt.Sprintf("%d effects were given up, see the log", answer.GivenUp))
	}
	if problem := s.app.selfCheck.problem.Load(); problem != nil {
		answer.Problems = append(answer.Problems, "the log of receipts does not verify: "+*problem)
	}
	answer.OK = len(answer.Problems) == 0
	w.Header().Set("Content-Type", "application/json")
	if !answer.OK {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(answer) // the reader went away
}

func (s *server) metrics() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(slackMetrics{s.app.socket})
	registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "dw_slack_connected", Help: "1 while a Socket Mode connection is open."}, func() float64 {
			if s.app.socket.Connected() {
				return 1
			}
			return 0
		}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "dw_effects_given_up_total", Help: "Effects that were given up since the start."}, func() float64 {
			return float64(s.dead.Load())
		}),
	)
	return registry
}
