package app

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"dw/config"
	"dw/diagnosis"
	"dw/intake"
	"dw/workflows"
)

// readChanges reads one file of change events, one JSON object a line.
func readChanges(path string) ([]diagnosis.ChangeEvent, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the change events: %w", err)
	}
	defer file.Close() //nolint:errcheck // only read
	return intake.LoadChanges(file)
}

// checkIntake finds what is wrong with the tokens for change events.
func checkIntake(c *config.Config) config.Problems {
	var problems config.Problems
	for i, token := range c.Changes.Tokens {
		_, err := intake.New(intake.Options{Changes: changeLog{}, Tokens: []string{token.Reveal()}, Now: time.Now})
		if err != nil {
			problems = append(problems, c.Problem(fmt.Sprintf("changes.tokens[%d]", i), "%v", err))
		}
	}
	return problems
}

// mountIntake takes change events in over HTTP where a token for it is set.
func (s *server) mountIntake(mux *http.ServeMux) error {
	var tokens []string
	for _, token := range s.app.project.Config.Changes.Tokens {
		tokens = append(tokens, token.Reveal())
	}
	if len(tokens) == 0 {
		return nil
	}
	handler, err := intake.New(intake.Options{
		Changes: changeLog{s.app.store}, Tokens: tokens, Now: s.app.project.Now, Log: s.app.log,
	})
	if err != nil {
		return fmt.Errorf("changes.tokens: %w", err)
	}
	mux.Handle("/intake/changes", handler)
	return nil
}

// changeLog meets intake.Changes on the store.
type changeLog struct{ store workflows.Store }

// RecordChange stores one change event; it reports false for one that is known.
func (c changeLog) RecordChange(ctx context.Context, e diagnosis.ChangeEvent) (fresh bool, err error) {
	err = c.store.Update(ctx, func(tx workflows.Tx) error {
		fresh, err = tx.PutChange(ctx, e)
		return err
	})
	return fresh, err
}
