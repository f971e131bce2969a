package app

import (
	"fmt"
	"time"

	"dw/connectors/dagster"
	"dw/connectors/gitfile"
	"dw/diagnosis"
	"dw/workflows"
)

// outside is what dw can do and read in other systems.
type outside struct {
	actuators map[string]workflows.Actuator
	observers []workflows.Observer
	probers   []diagnosis.Prober
}

// connect builds the connectors that the configuration names. A system without
// one is left to its owner: dw says so and does nothing there.
func (a *App) connect() (outside, error) {
	out := outside{actuators: map[string]workflows.Actuator{}}
	out.observers = append(out.observers, gitfile.New(a.project.Now))
	c := a.project.Config.Dagster
	if c == nil {
		return out, nil
	}
	client, err := dagster.New(dagster.Options{
		URL: c.URL, Token: c.Token.Reveal(), Location: c.Location, Repository: c.Repository,
		Timeout: c.Timeout.Or(15 * time.Second), Log: a.log, Now: a.project.Now,
	})
	if err != nil {
		return out, fmt.Errorf("dagster: %w", err)
	}
	out.actuators[dagster.System] = client
	out.observers = append(out.observers, client)
	return out, nil
}
