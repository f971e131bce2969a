package app

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"dw/checks"
	"dw/config"
	"dw/lineage"
	"dw/store"
)

// Project is a configuration with everything that can be had from it without
// Slack and without dw's own state: the graph, the checks and the connections.
type Project struct {
	Config *config.Config
	Graph  *lineage.Graph // what the configuration and its files say at start; see Current
	Specs  []checks.Spec
	Zone   *time.Location
	Now    func() time.Time

	mu        sync.Mutex
	databases map[string]database
	live      atomic.Pointer[lineage.Graph]
	metrics   atomic.Pointer[store.DB] // what was pushed, where this process has dw's database open
	drawing   sync.Mutex               // one redraw at a time: the newest stands
	columns   *lineage.Statements      // what was read out of SQL, see ReadColumns
	stated    lineage.Statements       // what events have stated
}

// LoadProject reads a configuration file. The error holds every problem of the
// file, its manifests and its checks. offline leaves out problems of the Slack
// section, for commands that do not talk to Slack.
func LoadProject(path string, from config.Sources, offline bool) (*Project, error) {
	c, err := config.Load(path, from)
	var problems config.Problems
	if errors.As(err, &problems) && c == nil {
		return nil, problems
	}
	p := &Project{Config: c, Now: time.Now, databases: map[string]database{}}
	if c.Clock.File != "" {
		clock, err := newStoryClock(c.Clock.File)
		if err != nil {
			problems = append(problems, c.Problem("clock.file", "%v", err))
		} else {
			p.Now = clock.Now
		}
	}
	graph, more := buildGraph(c, p.Now(), problems, lineage.Statements{}, nil)
	problems = append(problems, more...)
	specs, more := buildSpecs(c, graph)
	problems = append(problems, more...)
	problems = append(problems, checkIntake(c)...)
	problems = append(problems, checkGraphTokens(c)...)
	problems = append(problems, checkSignals(c, graph)...)
	problems = append(problems, checkConnections(c)...)
	problems = append(problems, checkMetrics(c)...)
	problems = append(problems, checkPlaybooks(c)...)
	p.Graph, p.Specs = graph, specs
	if problems = without(problems, offline); len(problems) > 0 {
		return nil, problems
	}
	if p.Zone, err = time.LoadLocation(c.Timezone); err != nil {
		return nil, fmt.Errorf("load time zone: %w", err)
	}
	return p, nil
}

// Current returns the graph as it is now: what the files say, read again, and
// what events have stated. Before there is such a one it is Graph.
func (p *Project) Current() *lineage.Graph {
	if g := p.live.Load(); g != nil {
		return g
	}
	return p.Graph
}

// without drops the problems of the Slack section where offline.
func without(problems config.Problems, offline bool) config.Problems {
	var kept config.Problems
	for _, problem := range problems {
		if !offline || !strings.HasPrefix(problem.Key, "slack") {
			kept = append(kept, problem)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].Line < kept[j].Line })
	return kept
}

// Spec returns a check by name; the error lists near names.
func (p *Project) Spec(name string) (checks.Spec, error) {
	names := make([]string, len(p.Specs))
	for i, spec := range p.Specs {
		if spec.Name == name {
			return spec, nil
		}
		names[i] = spec.Name
	}
	near := checks.Near(name, names)
	if len(near) == 0 {
		near = names
	}
	return checks.Spec{}, fmt.Errorf("there is no check %q; there are: %s", name, strings.Join(near, ", "))
}

// RunCheck asks one check's question as of at. A connection that cannot be
// opened is a result with status error, as is a query that fails.
func (p *Project) RunCheck(ctx context.Context, spec checks.Spec, memory checks.Memory, at time.Time) checks.Result {
	began := time.Now()
	q, err := p.Querier(spec.Connection)
	if err != nil {
		return p.unopened(spec, at, began, err)
	}
	other, err := p.otherSide(spec, q)
	if err != nil {
		return p.unopened(spec, at, began, err)
	}
	result := checks.RunAgainst(ctx, spec, q, other, memory, at)
	result.Took = time.Since(began)
	return result
}

// otherSide is the connection that a check compares with, its own where it names
// none.
func (p *Project) otherSide(spec checks.Spec, q checks.Querier) (checks.Querier, error) {
	if spec.ToConnection == "" || spec.ToConnection == spec.Connection {
		return q, nil
	}
	return p.Querier(spec.ToConnection)
}

// unopened is the result of a check whose connection cannot be opened.
func (p *Project) unopened(spec checks.Spec, at, began time.Time, err error) checks.Result {
	return checks.Result{
		Check: spec.Name, Kind: spec.Kind, Asset: spec.Asset, Domain: spec.Domain, Status: checks.Error, At: at.UTC(),
		Connected: spec.Connection, Message: "the question could not be asked", Problem: err.Error(), Took: time.Since(began),
	}
}

// settled is a check with the delay that it waits as of now.
func (p *Project) settled(ctx context.Context, spec checks.Spec, known checks.Memory, now time.Time) (checks.Spec, error) {
	q, err := p.Querier(spec.Connection)
	if err != nil {
		return spec, nil //nolint:nilerr // the check itself says what is wrong with its connection
	}
	return checks.Settled(ctx, spec, q, known, now)
}
