package diagnosis

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dw/checks"
	"dw/lineage"
)

// ArgAccept is the argument of a verify step that carries what its approval
// accepts: a JSON object of a schema check's name to the new names of columns.
const ArgAccept = "accept"

// Renamed is what a schema check of an asset found of new names.
type Renamed struct {
	Check   string          `json:"check"`
	Asset   lineage.AssetID `json:"asset"`
	Columns []checks.Rename `json:"columns"`
}

// Accepted reads what the approval of a step accepts, by the name of the schema
// check. A step that is not a verification accepts nothing.
func Accepted(s PlannedStep) (map[string][]checks.Rename, error) {
	text := s.Action.Args[ArgAccept]
	if s.Kind != Verify || text == "" {
		return nil, nil
	}
	var out map[string][]checks.Rename
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, fmt.Errorf("read what step %q accepts: %w", s.Title, err)
	}
	return out, nil
}

// renames lists what schema checks near the subject found of new names.
func (f *facts) renames() []Renamed {
	var out []Renamed
	for _, r := range f.results {
		if _, near := f.find(r.Asset); near && r.Kind == checks.KindSchema && r.Status == checks.Fail && len(r.Renamed) > 0 {
			out = append(out, Renamed{Check: r.Check, Asset: r.Asset, Columns: r.Renamed})
		}
	}
	return out
}

// adaptLoads makes a diff of each pipeline file that reads a renamed column.
func (p *planner) adaptLoads() ([]PlannedStep, error) {
	return p.adapt(lineage.KindPipeline, RenameInMapping, "Load %s from its new name %s", "The load reads the column by a name that is gone.")
}

// adaptModels makes a diff of each model next to the renamed columns that names
// one.
func (p *planner) adaptModels() ([]PlannedStep, error) {
	return p.adapt(lineage.KindModel, RenameInModel, "Read %s under its new name %s", "The model hands the column on under the old name, so its readers see no change.")
}

// adapt makes one step for each file that an edit changes, of the readers of a
// kind.
func (p *planner) adapt(kind lineage.Kind, change func([]byte, checks.Rename) ([]byte, error), title, reason string) ([]PlannedStep, error) {
	var out []PlannedStep
	for _, renamed := range p.cause.Renamed {
		for _, a := range p.readersOf(renamed.Asset) {
			if a.Kind != kind || a.File == "" {
				continue
			}
			step, err := p.adaptFile(a, renamed.Columns, change, title, reason)
			if errors.Is(err, ErrNoChangeNeeded) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("no diff could be made of %s: %w", a.File, err)
			}
			out = append(out, step...)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: no known %s file names the renamed columns", ErrNoChangeNeeded, kind)
	}
	return out, nil
}

func (p *planner) adaptFile(a lineage.Asset, columns []checks.Rename, change func([]byte, checks.Rename) ([]byte, error), title, reason string) ([]PlannedStep, error) {
	before, err := readDeployed(p.Files, a)
	if err != nil {
		return nil, err
	}
	after := before
	var done []string
	for _, column := range columns {
		next, err := change(after, column)
		if errors.Is(err, ErrNoChangeNeeded) {
			continue
		}
		if err != nil {
			return nil, err
		}
		after = next
		done = append(done, fmt.Sprintf(title, column.From, column.To))
	}
	if len(done) == 0 {
		return nil, ErrNoChangeNeeded
	}
	return p.diffStep(PlannedStep{
		Kind: Change, Title: strings.Join(done, "; ") + " in " + label(a), Reason: reason,
		Undo: "Revert the diff of " + a.File + ", and deploy it again.",
	}, a, before, after)
}

// readersOf lists what reads an asset: pipelines and tables on the way, and the
// first models.
func (p *planner) readersOf(id lineage.AssetID) []lineage.Asset {
	var out []lineage.Asset
	for queue := []lineage.AssetID{id}; len(queue) > 0; queue = queue[1:] {
		steps, err := p.Graph.Trace(queue[0], false, 1)
		if err != nil {
			continue // an asset without readers
		}
		for _, s := range steps {
			a, ok := p.Graph.Asset(s.Asset)
			if !ok || slices.ContainsFunc(out, func(seen lineage.Asset) bool { return seen.ID == a.ID }) {
				continue
			}
			out = append(out, a)
			if a.Kind == lineage.KindPipeline || a.Kind == lineage.KindTable || a.Kind == lineage.KindSource || a.Kind == lineage.KindView {
				queue = append(queue, a.ID)
			}
		}
	}
	return out
}

// rerunReaders runs the jobs that load and build what reads the renamed columns.
func (p *planner) rerunReaders() ([]PlannedStep, error) {
	var out []PlannedStep
	for _, renamed := range p.cause.Renamed {
		for _, a := range p.readersOf(renamed.Asset) {
			for _, job := range neighbours(p.Graph, a.ID, true, lineage.KindJob) {
				if !slices.ContainsFunc(out, func(s PlannedStep) bool { return s.Action.Target == job.ID }) {
					out = append(out, rerunStep(job, a))
				}
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no known job loads or builds what reads the renamed columns, so a person must run it")
	}
	return out, nil
}

// rerunStep is dw's step that runs a job once more.
func rerunStep(job, built lineage.Asset) PlannedStep {
	launch := Action{System: job.ID.System(), Name: ActionLaunchJob, Target: job.ID, Args: systemArgs(job)}
	again := launch
	return PlannedStep{
		Kind: Rerun, By: ByDW, Reversible: true, Action: launch, UndoAction: &again,
		Title: "Run " + label(job) + " to rebuild " + label(built),
		Undo:  "Run " + label(job) + " again after the diff is reverted.",
	}
}

// verifyAccepting checks again, and takes the renames for right: it is what the
// approval accepts, and nothing besides.
func (p *planner) verifyAccepting() ([]PlannedStep, error) {
	steps, err := p.verify()
	if err != nil {
		return nil, err
	}
	accept, said := map[string][]checks.Rename{}, []string{}
	for _, renamed := range p.cause.Renamed {
		accept[renamed.Check] = renamed.Columns
		for _, column := range renamed.Columns {
			said = append(said, column.From+" → "+column.To)
		}
	}
	text, err := json.Marshal(accept)
	if err != nil {
		return nil, fmt.Errorf("write what the step accepts: %w", err)
	}
	steps[0].Action.Args = map[string]string{ArgAccept: string(text)}
	steps[0].Title += ", and accept " + strings.Join(said, ", ")
	steps[0].Reason = "It reads. The approval accepts the new names, so that the schema check compares with them from then on; any other change of the columns stays a failure."
	return steps, nil
}
