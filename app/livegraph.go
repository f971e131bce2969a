package app

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"dw/config"
	"dw/intake"
	hook "dw/intake/openlineage"
	"dw/lineage"
	"dw/store"
)

// mountOpenLineage takes OpenLineage events in where a token for it is set.
func (s *server) mountOpenLineage(mux *http.ServeMux) error {
	var tokens []string
	for _, token := range s.app.project.Config.Lineage.Tokens {
		tokens = append(tokens, token.Reveal())
	}
	if len(tokens) == 0 {
		return nil
	}
	handler, err := hook.New(hook.Options{Graph: graphLog{s.app}, Tokens: tokens, Now: s.app.project.Now, Log: s.app.log})
	if err != nil {
		return fmt.Errorf("lineage.tokens: %w", err)
	}
	mux.Handle("/intake/openlineage", handler)
	return nil
}

// graphLog meets hook.Recorder on the store.
type graphLog struct{ app *App }

// RecordLineage stores what events state and asks for a new graph.
func (g graphLog) RecordLineage(ctx context.Context, s lineage.Statements) error {
	if err := g.app.store.PutLineage(ctx, s); err != nil {
		return err
	}
	select {
	case g.app.redraw <- struct{}{}:
	default: // one is asked for already, and will read this too
	}
	return nil
}

// checkGraphTokens finds what is wrong with the tokens for events.
func checkGraphTokens(c *config.Config) config.Problems {
	var problems config.Problems
	for i, token := range c.Lineage.Tokens {
		if err := intake.CheckSecret(token.Reveal()); err != nil {
			problems = append(problems, c.Problem(fmt.Sprintf("lineage.tokens[%d]", i), "%v", err))
		}
	}
	return problems
}

// redraw builds the graph from the files as they are now and from what events
// have stated. A file that has become bad is an error; the graph that stood
// before stays.
func (p *Project) redraw(stored lineage.Statements) error {
	p.drawing.Lock()
	defer p.drawing.Unlock()
	p.stated = stored
	return p.draw()
}

// draw is redraw for what holds drawing.
func (p *Project) draw() error {
	graph, problems := buildGraph(p.Config, p.Now(), nil, p.stated, p.columns)
	if len(problems) > 0 {
		return problems
	}
	p.live.Store(graph)
	return nil
}

// AddStored puts what events have stated into the graph, for commands that answer
// while dw does not run. A database that is not there yet has stated nothing.
func (p *Project) AddStored(ctx context.Context) error {
	_, err := p.stored(ctx, func(db *store.DB) error {
		stated, _, err := db.Lineage(ctx)
		if err != nil || len(stated.Assets) == 0 {
			return err
		}
		return p.redraw(stated)
	})
	if err != nil {
		return fmt.Errorf("read what events have stated: %w", err)
	}
	return nil
}

// drawGraph makes a new graph if anything that it is made of has changed since
// the last. What changes meanwhile is seen the next time.
func (a *App) drawGraph(ctx context.Context) error {
	rev, err := a.store.LineageRev(ctx)
	if err != nil {
		return err
	}
	mark := fmt.Sprintf("%d %s", rev, filesMark(a.project.Config.Lineage))
	if mark == a.drawn {
		return nil
	}
	stored, _, err := a.store.Lineage(ctx)
	if err != nil {
		return err
	}
	if err := a.project.redraw(stored); err != nil {
		return err
	}
	a.drawn = mark
	return nil
}

// keepGraph makes a new graph when events have stated something, in this process
// or another on the same database, and when a file has changed.
func (a *App) keepGraph(ctx context.Context) error {
	ticks := time.NewTicker(a.project.Config.Lineage.Refresh.Or(5 * time.Minute))
	defer ticks.Stop()
	for {
		if err := a.drawGraph(ctx); err != nil && ctx.Err() == nil {
			a.log.ErrorContext(ctx, "the graph could not be made anew; the one before stays", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		case <-a.redraw:
		}
	}
}

// filesMark changes when a file of the graph does. One that cannot be read is a
// mark of its own; reading it says what is wrong.
func filesMark(l config.Lineage) string {
	var paths []string
	for _, m := range l.Manifests {
		paths = append(paths, m.Path, m.Catalog, m.RunResults, m.CodeOwners)
	}
	for _, s := range l.Sources {
		files, err := sourceFiles(s.Path, "")
		if err != nil {
			files = []string{s.Path}
		}
		paths = append(paths, files...)
	}
	var mark strings.Builder
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&mark, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return mark.String()
}
