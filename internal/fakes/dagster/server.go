// Package dagster is a stand-in of the orchestrator's GraphQL endpoint for the
// demo and for tests. It refuses what the real one refuses, validates each query
// against a schema, and has no idempotency: a launch that is sent twice runs
// twice.
package dagster

import (
	"context"
	_ "embed" // for the schema
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"
)

//go:embed schema.graphql
var schemaText string

// Schedule is a schedule of one job.
type Schedule struct {
	Name    string
	Job     string
	Cron    string
	Running bool
}

// Run is one launch.
type Run struct {
	ID      string
	Job     string
	Status  string // the vendor's word
	Tags    map[string]string
	Created time.Time
	Started time.Time
	Ended   time.Time
}

// Options say what the stand-in holds.
type Options struct {
	Location   string
	Repository string
	Jobs       []string
	Schedules  []Schedule
	// Runner does the work of a job; its error makes the run fail.
	Runner    func(ctx context.Context, job string) error
	Now       func() time.Time
	NewID     func() string
	Token     string // asked for in Dagster-Cloud-Api-Token where set
	OldLaunch bool   // only launchPipelineExecution, as on servers before launchRun
	OldStop   bool   // stopRunningSchedule takes scheduleOriginId and scheduleSelectorId
}

// Server is the stand-in. It is an http.Handler.
type Server struct {
	opts   Options
	schema *ast.Schema
	ctx    context.Context
	stop   context.CancelFunc
	work   sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	runs      []*Run
	schedules []Schedule
	faults    []Fault
	versions  map[string]string // of jobs that were deployed anew
}

// New builds a stand-in; a missing option is an error. Close ends its runs.
func New(o Options) (*Server, error) {
	if o.Runner == nil || o.Now == nil || o.NewID == nil || o.Location == "" || o.Repository == "" {
		return nil, errors.New("dagster stand-in: Location, Repository, Runner, Now and NewID are needed")
	}
	text := schemaText
	if o.OldStop {
		text = strings.Replace(text, "stopRunningSchedule(id: String)", "stopRunningSchedule(scheduleOriginId: String!, scheduleSelectorId: String!)", 1)
	}
	if o.OldLaunch {
		text = strings.Replace(text, "launchRun(executionParams: ExecutionParams!): LaunchRunResult!", "", 1)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: text})
	if err != nil {
		return nil, fmt.Errorf("dagster stand-in: load schema: %w", err)
	}
	s := &Server{opts: o, schema: schema, schedules: append([]Schedule(nil), o.Schedules...)}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// Close cancels what runs, ends answers that hang, and waits for the runs.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.work.Wait()
}

// Runs returns a copy of all launches, oldest first.
func (s *Server) Runs() []Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Run, len(s.runs))
	for i, r := range s.runs {
		out[i] = *r
	}
	return out
}

// Schedule returns a schedule as it stands.
func (s *Server) Schedule(name string) (Schedule, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sch := range s.schedules {
		if sch.Name == name {
			return sch, true
		}
	}
	return Schedule{}, false
}

// SetRunning starts or stops a schedule, as a person does in the vendor's page.
// It reports false for a schedule that does not exist.
func (s *Server) SetRunning(name string, running bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.schedules {
		if s.schedules[i].Name == name {
			s.schedules[i].Running = running
			return true
		}
	}
	return false
}

// maxBody bounds a request.
const maxBody = 1 << 20

type request struct {
	Query         string         `json:"query"`
	Variables     map[string]any `json:"variables"`
	OperationName string         `json:"operationName"`
}

// ServeHTTP answers POST /graphql.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path != "/graphql":
		http.NotFound(w, r)
		return
	case r.Method != http.MethodPost:
		http.Error(w, "use POST", http.StatusMethodNotAllowed)
		return
	case s.opts.Token != "" && r.Header.Get("Dagster-Cloud-Api-Token") != s.opts.Token:
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	var req request
	if err := json.NewDecoder(io.LimitReader(r.Body, maxBody)).Decode(&req); err != nil {
		http.Error(w, "the body is not JSON", http.StatusBadRequest)
		return
	}
	op, vars, err := s.parse(req)
	if err != nil {
		answer(w, http.StatusBadRequest, map[string]any{"errors": gqlErrors(err)})
		return
	}
	s.carryOut(w, r, op, vars)
}

// parse validates a request against the schema, as the real server does before
// it looks at anything else.
func (s *Server) parse(req request) (*ast.OperationDefinition, map[string]any, error) {
	doc, errs := gqlparser.LoadQueryWithRules(s.schema, req.Query, nil)
	if len(errs) > 0 {
		return nil, nil, errs
	}
	op := doc.Operations.ForName(req.OperationName)
	if op == nil {
		return nil, nil, gqlerror.Errorf("Unknown operation named %q", req.OperationName)
	}
	vars, err := validator.VariableValues(s.schema, op, req.Variables)
	return op, vars, err
}

// gqlErrors writes errors as the errors[] of an answer.
func gqlErrors(err error) []map[string]any {
	var list gqlerror.List
	if !errors.As(err, &list) {
		return []map[string]any{{"message": err.Error()}}
	}
	var out []map[string]any
	for _, e := range list {
		out = append(out, map[string]any{"message": e.Message})
	}
	return out
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The client may have gone; there is nobody else to tell.
	_ = json.NewEncoder(w).Encode(value)
}
