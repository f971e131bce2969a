package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"dw/checks"
	"dw/config"
	"dw/intake/signals"
	"dw/lineage"
	"dw/workflows"
)

// sourceOf turns a configured source into one of the intake.
func sourceOf(s config.SignalSource) signals.Source {
	out := signals.Source{Name: s.Name, Tool: s.Tool}
	for _, token := range s.Tokens {
		out.Tokens = append(out.Tokens, token.Reveal())
	}
	for _, key := range s.Keys {
		out.Keys = append(out.Keys, key.Reveal())
	}
	return out
}

// checkSignals finds what is wrong with the tools, secrets and assets of the
// configured sources. Without a graph the assets are not looked up.
func checkSignals(c *config.Config, graph *lineage.Graph) config.Problems {
	var problems config.Problems
	for i, s := range c.Signals.Sources {
		key := fmt.Sprintf("signals.sources[%d]", i)
		switch _, err := sourceOf(s).Gate(); {
		case errors.Is(err, signals.ErrTool):
			problems = append(problems, c.Problem(key+".tool", "%q is not one of %s", s.Tool, strings.Join(signals.Tools(), ", ")))
		case err != nil:
			problems = append(problems, c.Problem(key+".tokens", "%v", err))
		}
		problems = append(problems, checkTied(c, key, s, graph)...)
	}
	for i, f := range c.Signals.Files {
		key := fmt.Sprintf("signals.files[%d]", i)
		if !slices.Contains(signals.Tools(), f.Tool) {
			problems = append(problems, c.Problem(key+".tool", "%q is not one of %s", f.Tool, strings.Join(signals.Tools(), ", ")))
		}
		problems = append(problems, checkTied(c, key, f.Source(), graph)...)
	}
	return problems
}

// checkTied finds assets that are named for a source and not known.
func checkTied(c *config.Config, key string, s config.SignalSource, graph *lineage.Graph) config.Problems {
	var problems config.Problems
	for check, name := range s.Assets {
		if graph == nil {
			break
		}
		if _, err := graph.Resolve(name); err != nil {
			problems = append(problems, c.Problem(key+".assets."+check, "%v", err))
		}
	}
	return problems
}

// mountSignals takes in what the configured sources send.
func (s *server) mountSignals(mux *http.ServeMux) error {
	for i, source := range s.app.project.Config.Signals.Sources {
		sink := newSignalSink(s.app, source)
		handler, err := signals.New(signals.Options{Source: sourceOf(source), Recorder: sink, Now: s.app.project.Now, Log: s.app.log})
		if err != nil {
			return fmt.Errorf("signals.sources[%d]: %w", i, err)
		}
		mux.Handle("/intake/signals/"+source.Name, handler)
	}
	return nil
}

// signalSink meets signals.Recorder with the loop.
type signalSink struct {
	app    *App
	source config.SignalSource
	tests  *dbtTests // of dbt and Elementary
}

func newSignalSink(a *App, source config.SignalSource) *signalSink {
	sink := &signalSink{app: a, source: source}
	if source.Tool == signals.DBT || source.Tool == signals.Elementary {
		sink.tests = &dbtTests{manifests: a.project.Config.Lineage.Manifests}
	}
	return sink
}

// RecordSignal meets signals.Recorder.
func (k *signalSink) RecordSignal(ctx context.Context, source string, sig signals.Signal) (signals.Outcome, string, error) {
	now := k.app.project.Now().UTC()
	asset, unknown := k.asset(sig)
	r := checks.Result{
		Check: source + "/" + sig.Check, Kind: workflows.KindSignal, Asset: asset.ID, Domain: cmp.Or(asset.Domain, k.source.Domain),
		Status: sig.Status, Since: sig.Since, At: sig.At, Message: sig.Message, Problem: unknown, Tool: signals.Title(k.source.Tool), URL: sig.URL,
	}
	if r.At.IsZero() {
		r.At = now
	}
	outcome, err := k.app.service.OnReport(ctx, workflows.Report{Event: sig.Event(source), Result: r, Unknown: unknown})
	switch {
	case err != nil:
		return "", "", err
	case outcome == workflows.ReportKnown:
		return signals.Known, "", nil
	case outcome == workflows.ReportOld:
		return signals.Old, "", nil
	case unknown != "":
		return signals.Unknown, unknown, nil
	}
	return signals.Recorded, "", nil
}

// asset finds what a signal is about: what the configuration says, else the
// first name of the tool's that the graph knows. A name that could mean several
// assets means none. The text says why none was found.
func (k *signalSink) asset(sig signals.Signal) (lineage.Asset, string) {
	graph := k.app.project.Current()
	for _, key := range append(append([]string{sig.Check}, sig.Keys...), sig.Named...) {
		if name := k.source.Assets[key]; key != "" && name != "" {
			asset, err := graph.Resolve(name)
			return asset, problemText(err)
		}
	}
	var first error
	for _, name := range sig.Named {
		about, err := k.tests.about(name)
		if err != nil {
			return lineage.Asset{}, err.Error()
		}
		asset, err := graph.Resolve(about)
		if _, ambiguous := errors.AsType[*lineage.AmbiguousError](err); err == nil || ambiguous {
			return asset, problemText(err)
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		return lineage.Asset{}, "the tool names no asset"
	}
	return lineage.Asset{}, first.Error()
}

func problemText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
