package app

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
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
	readers   []workflows.FactReader
	probers   []diagnosis.Prober
	pager     workflows.Courier // nil: none is configured
	tickets   workflows.Courier
	oncall    workflows.Pager
}

// connect builds the connectors that the configuration names. A system without
// one is left to its owner: dw says so and does nothing there.
func (a *App) connect() (outside, error) {
	out := outside{actuators: map[string]workflows.Actuator{}}
	if roots := a.project.roots(); len(roots) > 0 {
		files, err := gitfile.New(gitfile.Options{Roots: roots, Now: a.project.Now, Zone: a.project.Zone})
		if err != nil {
			a.log.Warn("changes of files cannot be observed, their owners mark them done", "error", err)
		} else {
			out.observers, out.readers = append(out.observers, files), append(out.readers, files)
		}
	}
	if err := a.connectControl(&out); err != nil {
		return out, err
	}
	if a.project.Config.Dagster == nil {
		return out, nil
	}
	client, err := a.project.Dagster(a.log)
	if err != nil {
		return out, err
	}
	out.actuators[dagster.System] = client
	out.observers, out.readers = append(out.observers, client), append(out.readers, client)
	return out, nil
}

// Dagster builds the client of the orchestrator that the configuration names.
func (p *Project) Dagster(log *slog.Logger) (*dagster.Client, error) {
	c := p.Config.Dagster
	client, err := dagster.New(dagster.Options{
		URL: c.URL, Token: c.Token.Reveal(), Location: c.Location, Repository: c.Repository,
		Timeout: c.Timeout.Or(15 * time.Second), Log: log, Now: p.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("dagster: %w", err)
	}
	return client, nil
}

// connectControl builds what carries pages and tickets.
func (a *App) connectControl(out *outside) error {
	if a.project.Config.PagerDuty != nil {
		pager, err := a.newPager()
		if err != nil {
			return err
		}
		a.pager, out.pager = pager, pager
		out.oncall = RotaReader(pager.client, a.client, a.team, a.emails)
	}
	if a.project.Config.Jira != nil {
		tickets, err := a.newTickets()
		if err != nil {
			return err
		}
		out.tickets = tickets
	}
	return nil
}

// permalink returns what makes the address of a message for people, or nil
// where Slack did not tell the workspace's.
func (a *App) permalink() func(workflows.MessageRef) string {
	if a.site == "" {
		return nil
	}
	return func(m workflows.MessageRef) string {
		return strings.TrimSuffix(a.site, "/") + "/archives/" + m.Channel + "/p" + strings.ReplaceAll(m.TS, ".", "")
	}
}

// roots lists the folders of deployed files that the configuration names.
func (p *Project) roots() []string {
	var out []string
	add := func(root string) {
		if root != "" && !slices.Contains(out, root) {
			out = append(out, root)
		}
	}
	for _, m := range p.Config.Lineage.Manifests {
		add(m.Root)
	}
	for _, a := range p.Config.Lineage.Assets {
		add(a.Root)
	}
	return out
}
