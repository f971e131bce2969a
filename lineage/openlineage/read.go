package openlineage

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"dw/lineage"
)

// reader turns one event into statements.
type reader struct {
	event event
	out   *lineage.Statements
	from  lineage.Provenance
	job   lineage.AssetID // "" for an event without one
}

// read adds the statements of the event, or says why it is refused.
func (r *reader) read(opts Options) error {
	e := r.event
	if e.Job == nil && e.Dataset == nil {
		return errors.New("it has neither a job nor a dataset: it is not an OpenLineage event")
	}
	at, err := r.time(opts)
	if err != nil {
		return err
	}
	r.from = lineage.Provenance{Source: Source, SeenAt: at, How: r.how()}
	if e.Dataset != nil {
		if _, err := r.dataset(*e.Dataset); err != nil {
			return fmt.Errorf("dataset: %w", err)
		}
	}
	if e.Job == nil {
		return nil
	}
	return r.readJob()
}

// how tells what was done from what is only meant to be.
func (r *reader) how() string {
	if r.event.Run == nil && r.event.EventType == "" {
		return lineage.HowDeclared
	}
	switch strings.ToUpper(r.event.EventType) {
	case "FAIL", "ABORT":
		return lineage.HowDeclared
	}
	return lineage.HowObserved
}

func (r *reader) time(opts Options) (time.Time, error) {
	if r.event.EventTime == nil {
		return opts.SeenAt.UTC(), nil
	}
	at, err := time.Parse(time.RFC3339Nano, *r.event.EventTime)
	switch {
	case err != nil:
		return time.Time{}, fmt.Errorf("eventTime %q is not a time such as 2006-01-02T15:04:05Z", *r.event.EventTime)
	case !opts.Latest.IsZero() && at.After(opts.Latest):
		return time.Time{}, fmt.Errorf("eventTime %s lies in the future by dw's clock", *r.event.EventTime)
	}
	return at.UTC(), nil
}

// readJob adds the job, what it reads and what it writes.
func (r *reader) readJob() error {
	if err := r.event.Job.check(); err != nil {
		return fmt.Errorf("job.%w", err)
	}
	if err := r.addJob(*r.event.Job); err != nil {
		return fmt.Errorf("job: %w", err)
	}
	for i, input := range r.event.Inputs {
		id, err := r.dataset(input)
		if err != nil {
			return fmt.Errorf("inputs[%d]: %w", i, err)
		}
		r.edge(id, r.job)
	}
	for i, output := range r.event.Outputs {
		id, err := r.dataset(output)
		if err != nil {
			return fmt.Errorf("outputs[%d]: %w", i, err)
		}
		r.edge(r.job, id)
	}
	if l := r.event.Job.Facets.Lineage; l != nil {
		if err := r.jobLineage(*l); err != nil {
			return fmt.Errorf("job.facets.lineage.%w", err)
		}
	}
	return nil
}

// edge says that one asset feeds another. A job that rewrites what it reads makes
// no edge from a thing to itself.
func (r *reader) edge(from, to lineage.AssetID, links ...lineage.ColumnLink) {
	if from == to {
		return
	}
	e := lineage.Edge{From: from, To: to, Seen: r.from, Columns: links}
	for _, link := range links {
		if link.Use == lineage.UseValue || e.Use == "" {
			e.Use = link.Use
		}
	}
	r.out.Edges = append(r.out.Edges, e)
}

func (r *reader) addJob(j job) error {
	r.job = JobID(*j.Namespace, *j.Name)
	a := lineage.Asset{
		ID: r.job, Kind: lineage.KindJob, Name: *j.Name, From: []lineage.Provenance{r.from},
		Properties: map[string]string{"openlineage.namespace": *j.Namespace},
	}
	if d := j.Facets.Documentation; d != nil {
		a.Description = d.Description
	}
	if t := j.Facets.JobType; t != nil {
		if strings.EqualFold(t.ProcessingType, "STREAMING") {
			a.Kind = lineage.KindPipeline
		}
		put(a.Properties, "openlineage.integration", t.Integration)
		put(a.Properties, "openlineage.job_type", t.JobType)
	}
	if l := j.Facets.SourceCodeLocation; l != nil {
		put(a.Properties, "openlineage.code", l.URL)
	}
	put(a.Properties, "openlineage.producer", r.event.Producer)
	put(a.Properties, "openlineage.last_event", r.lastEvent())
	if p := r.parent(); p != nil {
		put(a.Properties, "openlineage.parent", string(JobID(*p.Namespace, *p.Name)))
	}
	owners, err := r.owners(j.Facets.Ownership)
	if err != nil {
		return err
	}
	a.Owners = owners
	r.out.Assets = append(r.out.Assets, a)
	return nil
}

// parent is the job that started this one, if the event names it whole.
func (r *reader) parent() *identifier {
	if r.event.Run == nil || r.event.Run.Facets.Parent == nil {
		return nil
	}
	if p := &r.event.Run.Facets.Parent.Job; p.check() == nil {
		return p
	}
	return nil
}

// lastEvent says how the job's run went, and when.
func (r *reader) lastEvent() string {
	if r.event.EventType == "" || r.from.SeenAt.IsZero() {
		return ""
	}
	return strings.ToLower(r.event.EventType) + " at " + r.from.SeenAt.Format(time.RFC3339)
}

func (r *reader) owners(o *ownership) ([]lineage.Fact, error) {
	if o == nil {
		return nil, nil
	}
	var out []lineage.Fact
	for i, owner := range o.Owners {
		if owner.Name == nil || strings.TrimSpace(*owner.Name) == "" {
			return nil, fmt.Errorf("facets.ownership.owners[%d] has no name", i)
		}
		out = append(out, lineage.Fact{Value: strings.TrimSpace(*owner.Name), From: r.from})
	}
	return out, nil
}

// refer returns the id of a dataset or job that is only named, and states that
// it is there.
func (r *reader) refer(i identifier, kind string) (lineage.AssetID, error) {
	if err := i.check(); err != nil {
		return "", err
	}
	if strings.EqualFold(kind, "JOB") {
		id := JobID(*i.Namespace, *i.Name)
		r.out.Assets = append(r.out.Assets, lineage.Asset{
			ID: id, Kind: lineage.KindJob, Name: *i.Name, From: []lineage.Provenance{r.from},
		})
		return id, nil
	}
	return r.dataset(dataset{identifier: i})
}

func put(properties map[string]string, key, value string) {
	if value = strings.TrimSpace(value); value != "" {
		properties[key] = value
	}
}

// use tells a column that feeds a value from one that filters, joins or sorts.
// A column without a transformation feeds the value: so it was before 1-1-0.
func use(all []transformation) string {
	for _, t := range all {
		if strings.EqualFold(cmp.Or(t.Type, "DIRECT"), "DIRECT") {
			return lineage.UseValue
		}
	}
	if len(all) == 0 {
		return lineage.UseValue
	}
	return lineage.UseFilter
}
