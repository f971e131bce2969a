package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"dw/config"
	"dw/connectors/sqlite"
	"dw/intake/metrics"
	"dw/store"
)

// checkMetrics finds what is wrong with who may push metrics.
func checkMetrics(c *config.Config) config.Problems {
	if len(c.Metrics.Tokens)+len(c.Metrics.Keys) == 0 {
		return nil
	}
	if _, err := newMetrics(c, metricSink{}, nil); err != nil {
		return config.Problems{c.Problem("metrics.tokens", "%v", err)}
	}
	return nil
}

func newMetrics(c *config.Config, sink metricSink, a *App) (*metrics.Handler, error) {
	o := metrics.Options{Recorder: sink, Tokens: revealed(c.Metrics.Tokens), Keys: revealed(c.Metrics.Keys), Now: sink.now}
	if a != nil {
		o.Log = a.log
	}
	return metrics.New(o)
}

func revealed(secrets []config.Secret) []string {
	var out []string
	for _, s := range secrets {
		out = append(out, s.Reveal())
	}
	return out
}

// mountMetrics takes pushed metrics in where a token or a key for it is set.
func (s *server) mountMetrics(mux *http.ServeMux) error {
	c := s.app.project.Config
	if len(c.Metrics.Tokens)+len(c.Metrics.Keys) == 0 {
		return nil
	}
	handler, err := newMetrics(c, metricSink{s.app}, s.app)
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	mux.Handle("/intake/metrics", handler)
	return nil
}

// metricSink meets metrics.Recorder with the store.
type metricSink struct{ app *App }

func (k metricSink) now() time.Time { return k.app.project.Now() }

// RecordMetrics stores values, all or none.
func (k metricSink) RecordMetrics(ctx context.Context, values []metrics.Value) (metrics.Answer, error) {
	rows := make([]store.MetricValue, len(values))
	for i, v := range values {
		rows[i] = store.MetricValue{Metric: v.Metric, At: v.At, Value: v.Value}
	}
	put, err := k.app.store.PutMetrics(ctx, rows, k.now())
	return metrics.Answer(put), err
}

// openPushed makes the metrics that were pushed readable. Where dw's database is
// not open in this process it is opened for each look; where there is none, nothing
// was pushed.
func (p *Project) openPushed(opts sqlite.Options) (database, error) {
	return sqlite.NewMirror(func(ctx context.Context, rev int64, limit int) (_ []sqlite.Point, err error) {
		db := p.metrics.Load()
		if db == nil {
			db, err = store.OpenReadOnly(ctx, p.Config.Store.DSN.Reveal())
			if errors.Is(err, os.ErrNotExist) || errors.Is(err, store.ErrNotDW) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, db.Close()) }()
		}
		values, err := db.MetricsAfter(ctx, rev, limit)
		points := make([]sqlite.Point, len(values))
		for i, v := range values {
			points[i] = sqlite.Point{Series: v.Metric, At: v.At, Value: v.Value, Rev: v.Rev}
		}
		return points, err
	}, opts)
}

// PushMetrics hands values to the dw that runs with this configuration. url is the
// address of that dw, empty for server.listen.
func PushMetrics(ctx context.Context, c *config.Config, url string, values []metrics.Value) (metrics.Answer, error) {
	if len(c.Metrics.Tokens)+len(c.Metrics.Keys) == 0 {
		return metrics.Answer{}, errors.New("metrics.tokens is empty, so nobody may push")
	}
	body, err := json.Marshal(values)
	if err != nil {
		return metrics.Answer{}, fmt.Errorf("write the values: %w", err)
	}
	var answer metrics.Answer
	err = post(ctx, c, url, "/intake/metrics", body, credential(c.Metrics.Tokens, c.Metrics.Keys), &answer)
	return answer, err
}
