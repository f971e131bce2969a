package diagnosis

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dw/lineage"
)

// Properties of assets that a plan reads. Settings of the same name stand in
// where an asset does not have one.
const (
	PropRegistryURL = "schema_registry.url"
	PropSubject     = "schema_registry.subject"  // default: topic name + "-value"
	PropRawJSON     = "schema_registry.raw_json" // "true": values are plain JSON
)

// PlanInput is what a plan is filled from.
type PlanInput struct {
	Diagnosis Diagnosis
	Graph     Graph
	Readers   []lineage.Consumer // of the blast radius of the subject
	Files     FileReader
	Settings  map[string]string
	Now       time.Time
	Zone      *time.Location // of the times in titles, nil means UTC
	Horizon   time.Duration  // money jobs that read within it are held; zero is 24 hours
	FixBy     time.Time      // when the fix is expected at the latest; holds look at least that far
}

// Problem says why one proposal of a plan was not made.
type Problem struct {
	Key string
	Err error
}

// PlanError lists the proposals that could not be made. The proposals beside it
// are good.
type PlanError struct{ Problems []Problem }

func (e *PlanError) Error() string {
	said := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		said[i] = "proposal " + p.Key + " was not made: " + p.Err.Error()
	}
	return strings.Join(said, "; ")
}

// Unwrap returns the causes.
func (e *PlanError) Unwrap() []error {
	out := make([]error, len(e.Problems))
	for i, p := range e.Problems {
		out[i] = p.Err
	}
	return out
}

// Plan fills the step templates of the best cause. A cause without templates,
// and no cause, have no plan. Where a proposal cannot be filled from the estate
// the others are returned with a *PlanError; a proposal that would come after it
// is left out too. A file that already is as it should be needs no proposal,
// which is a Problem that wraps ErrNoChangeNeeded and holds up nothing.
func Plan(in PlanInput) ([]PlannedProposal, error) {
	top, ok := in.Diagnosis.Top()
	if !ok {
		return nil, nil
	}
	class, ok := classOf(top.ID)
	if !ok {
		return nil, fmt.Errorf("plan for cause %s: the catalogue has no such cause", top.ID)
	}
	p := &planner{PlanInput: in, cause: top}
	var out []PlannedProposal
	var failed PlanError
	for _, t := range class.Plan {
		if t.Renamed && len(top.Renamed) == 0 {
			continue
		}
		if t.Holds {
			holds, left := p.holds(t)
			out, failed.Problems = append(out, holds...), append(failed.Problems, left...)
			continue
		}
		made, err := p.proposal(t, out, failed.Problems)
		if err != nil {
			failed.Problems = append(failed.Problems, Problem{Key: t.Key, Err: err})
			continue
		}
		out = append(out, made)
	}
	if len(failed.Problems) > 0 {
		return out, &failed
	}
	return out, nil
}

// planner fills the steps of one plan.
type planner struct {
	PlanInput
	cause Cause
}

// builder makes the steps of one template step.
type builder func(*planner) ([]PlannedStep, error)

func builders() map[string]builder {
	return map[string]builder{
		"encode_before_output": (*planner).encodeBeforeOutput,
		"union_dead_letter":    (*planner).unionDeadLetter,
		"rebuild":              (*planner).rebuild,
		"verify":               (*planner).verify,
		"adapt_loads":          (*planner).adaptLoads,
		"adapt_models":         (*planner).adaptModels,
		"rerun_readers":        (*planner).rerunReaders,
		"verify_accepting":     (*planner).verifyAccepting,
	}
}

func (p *planner) proposal(t ProposalTemplate, made []PlannedProposal, failed []Problem) (PlannedProposal, error) {
	out := PlannedProposal{Key: t.Key, Title: t.Title}
	for _, key := range t.After {
		switch {
		case slices.ContainsFunc(made, func(m PlannedProposal) bool { return m.Key == key }):
			out.After = append(out.After, key)
		case slices.ContainsFunc(failed, func(f Problem) bool { return f.Key == key && errors.Is(f.Err, ErrNoChangeNeeded) }):
		default:
			return PlannedProposal{}, fmt.Errorf("it may only start after proposal %s, which was not made", key)
		}
	}
	for _, name := range t.Steps {
		build, ok := builders()[name]
		if !ok {
			return PlannedProposal{}, fmt.Errorf("step template %s is not known", name)
		}
		steps, err := build(p)
		if err != nil {
			return PlannedProposal{}, err
		}
		out.Steps = append(out.Steps, steps...)
	}
	return out, nil
}

// systemArgs are the properties that an asset has for its own system:
// "dagster.location" of a dagster asset becomes the argument "location".
func systemArgs(a lineage.Asset) map[string]string {
	var args map[string]string
	for key, value := range a.Properties {
		if name, ok := strings.CutPrefix(key, a.ID.System()+"."); ok {
			if args == nil {
				args = map[string]string{}
			}
			args[name] = value
		}
	}
	return args
}

// encodeBeforeOutput makes the diff of the pipeline file.
func (p *planner) encodeBeforeOutput() ([]PlannedStep, error) {
	pipeline, ok := p.Graph.Asset(p.cause.Asset)
	if !ok || pipeline.Kind != lineage.KindPipeline {
		return nil, errors.New("no diff could be made because the pipeline that sends the records is not known")
	}
	topics := neighbours(p.Graph, pipeline.ID, false, lineage.KindTopic)
	topics = slices.DeleteFunc(topics, func(t lineage.Asset) bool { return !takesWireFormat(t.Properties[PropIcebergMode]) })
	if len(topics) != 1 {
		return nil, fmt.Errorf("no diff could be made because %s feeds %d topics that take the wire format", label(pipeline), len(topics))
	}
	before, err := readDeployed(p.Files, pipeline)
	if err != nil {
		return nil, err
	}
	topic := topics[0]
	after, err := EncodeTopic(before, func(name string) bool { return named(topic, name) }, p.encoder(topic))
	if err != nil {
		return nil, fmt.Errorf("no diff could be made of %s: %w", pipeline.File, err)
	}
	return p.diffStep(PlannedStep{
		Kind:   Change,
		Title:  "Add " + encoder + " before the output to " + label(topic),
		Reason: "Records without the wire format cannot become rows of the table. A record that fails to encode, or that failed in an earlier processor, is logged and dropped by this pipeline from then on.",
		Undo:   "Revert the diff of " + pipeline.File + " and deploy the pipeline again.",
	}, pipeline, before, after)
}

func (p *planner) encoder(topic lineage.Asset) Encoder {
	get := func(name, otherwise string) string {
		for _, value := range []string{topic.Properties[name], p.Settings[name]} {
			if value != "" {
				return value
			}
		}
		return otherwise
	}
	return Encoder{URL: get(PropRegistryURL, ""), Subject: get(PropSubject, label(topic)+"-value"), RawJSON: get(PropRawJSON, "") == "true"}
}

// diffStep finishes an owner's step that changes the file of an asset.
func (p *planner) diffStep(s PlannedStep, a lineage.Asset, before, after []byte) ([]PlannedStep, error) {
	diff, err := UnifiedDiff(a.File, before, after)
	if err != nil {
		return nil, err
	}
	s.By, s.File, s.Root, s.Diff, s.Reversible = ByOwner, a.File, a.Root, diff, true
	s.Action = Action{System: "git", Name: ActionApplyDiff, Target: a.ID}
	s.UndoAction = &Action{System: "git", Name: ActionRevertDiff, Target: a.ID}
	return []PlannedStep{s}, nil
}

func readDeployed(files FileReader, a lineage.Asset) ([]byte, error) {
	if files == nil {
		return nil, errNoFiles
	}
	if a.File == "" {
		return nil, fmt.Errorf("no diff could be made because %s names no file", label(a))
	}
	text, err := files.ReadFile(a.Root, a.File)
	if err != nil {
		return nil, fmt.Errorf("no diff could be made because %s could not be read: %w", a.File, err)
	}
	return text, nil
}

// rebuild reruns the job that builds the model.
func (p *planner) rebuild() ([]PlannedStep, error) {
	model, err := p.model()
	if err != nil {
		return nil, err
	}
	jobs := neighbours(p.Graph, model.ID, true, lineage.KindJob)
	if len(jobs) != 1 {
		return nil, fmt.Errorf("%s is built by %d known jobs, and exactly one can be rerun", label(model), len(jobs))
	}
	return []PlannedStep{rerunStep(jobs[0], model)}, nil
}

func (p *planner) zone() *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

func (p *planner) verify() ([]PlannedStep, error) {
	return []PlannedStep{{
		Kind: Verify, By: ByDW, Reversible: true,
		Title:  "Check again every span since " + p.Diagnosis.Onset.In(p.zone()).Format("15:04 MST"),
		Action: Action{System: "dw", Name: ActionVerify, Target: p.Diagnosis.Subject},
		Undo:   "none",
		Reason: "It only reads.",
	}}, nil
}
