package app

import (
	"context"
	"fmt"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
	"dw/workflows"
)

// relatedDepth is how many edges apart two failing assets may be and still
// belong to one incident.
const relatedDepth = 4

// investigator meets workflows.Investigator on the project's graph, checks,
// files and probes.
type investigator struct {
	project *Project
	probers []diagnosis.Prober
	changes func() ([]diagnosis.ChangeEvent, error) // from files, read again each time
}

// Related reports whether one asset feeds the other, or both are fed by one
// that is near.
func (v *investigator) Related(subject, asset lineage.AssetID) bool {
	above := v.sources(subject)
	for id := range v.sources(asset) {
		if above[id] {
			return true
		}
	}
	return false
}

// Feeds meets workflows.Feeder: it reports whether one asset feeds another, over
// at most relatedDepth edges.
func (v *investigator) Feeds(from, to lineage.AssetID) bool {
	return from != to && v.sources(to)[from]
}

var _ workflows.Feeder = (*investigator)(nil)

// sources is the asset itself and what feeds it nearby.
func (v *investigator) sources(id lineage.AssetID) map[lineage.AssetID]bool {
	out := map[lineage.AssetID]bool{id: true}
	steps, err := v.project.Current().Trace(id, true, relatedDepth)
	if err != nil {
		return out // an asset without lineage is related to itself only
	}
	for _, step := range steps {
		out[step.Asset] = true
	}
	return out
}

// Investigate reads the estate: the segment split of the failing bucket, the
// probes, the changes, the blast radius and the harm. What could not be asked
// is said in the diagnosis.
func (v *investigator) Investigate(ctx context.Context, i workflows.Incident, results []checks.Result, changes []diagnosis.ChangeEvent, now time.Time) (workflows.Findings, error) {
	in := diagnosis.Input{
		Subject: i.Subject, Results: results, Changes: changes, Earlier: i.Diagnosis,
		Graph: v.project.Current(), Files: files{}, Zone: v.project.Zone,
	}
	for _, signal := range i.Signals {
		in.Signals = append(in.Signals, signal.Result)
	}
	fromFiles, err := v.changes()
	if err != nil {
		in.Unknown = append(in.Unknown, "change events: "+err.Error())
	}
	in.Changes = append(in.Changes, fromFiles...)
	ctx, cancel := reading(ctx)
	defer cancel()
	v.split(ctx, &in, now)
	v.probe(ctx, &in)
	f := workflows.Findings{Diagnosis: diagnosis.Diagnose(in, now)}
	onset := f.Diagnosis.Onset
	f.Blast, err = v.project.Current().BlastRadius(i.Subject, lineage.BlastOptions{Now: now, From: onset, Due: checks.Due})
	if err != nil {
		return f, fmt.Errorf("blast radius of %s: %w", i.Subject, err)
	}
	v.harm(ctx, &f, now)
	return f, nil
}

// reading bounds how long the estate is read, to three quarters of the time that is
// left: where it is slow, what was found and what could not be asked is written down
// in the rest, and not read anew by each attempt, which would end as late.
func reading(ctx context.Context) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-time.Until(end)/4))
}

// split attributes the failing bucket of the first volume signal.
func (v *investigator) split(ctx context.Context, in *diagnosis.Input, now time.Time) {
	for _, signal := range in.Signals {
		spec, err := v.project.Spec(signal.Check)
		if err != nil || signal.Bucket == nil {
			continue
		}
		q, err := v.project.Querier(spec.Connection)
		if err == nil {
			var attribution checks.Attribution
			attribution, err = checks.Segments(ctx, spec, q, *signal.Bucket, spec.Dimensions)
			var unknown []string
			in.Segments, unknown = diagnosis.SplitOf(attribution, now, "split of check "+spec.Name)
			in.Unknown = append(in.Unknown, unknown...)
		}
		if err != nil {
			in.Unknown = append(in.Unknown, "split of the failing bucket: "+err.Error())
		}
		return
	}
}

// probe asks every prober about the subject.
func (v *investigator) probe(ctx context.Context, in *diagnosis.Input) {
	subject, ok := v.project.Current().Asset(in.Subject)
	if !ok {
		return
	}
	for _, p := range append(v.samples(in.Subject), v.probers...) {
		evidence, err := p.Probe(ctx, subject)
		in.Probes = append(in.Probes, evidence...)
		if err != nil {
			in.Unknown = append(in.Unknown, err.Error())
		}
	}
}

// samples makes a prober for each dead-letter table near the subject: the first
// byte of its values tells records without the wire format from others.
func (v *investigator) samples(subject lineage.AssetID) []diagnosis.Prober {
	var out []diagnosis.Prober
	for _, spec := range v.project.Specs {
		if kind, _ := checks.KindOf(spec.Kind); kind != checks.KindDeadLetter || !v.Related(subject, spec.Asset) {
			continue
		}
		q, err := v.project.Querier(spec.Connection)
		if err != nil {
			continue // the check itself says so
		}
		out = append(out, diagnosis.SampleProber{Querier: q, Table: spec.Table, Column: v.valueColumn(subject), Now: v.project.Now})
	}
	return out
}

func (v *investigator) valueColumn(subject lineage.AssetID) string {
	if asset, ok := v.project.Current().Asset(subject); ok && asset.Properties[diagnosis.PropRecoverValue] != "" {
		return asset.Properties[diagnosis.PropRecoverValue]
	}
	return "value"
}

// harm asks the harm query of the consumer that is harmed first.
func (v *investigator) harm(ctx context.Context, f *workflows.Findings, now time.Time) {
	first := f.Blast.First
	if first == nil || first.Harm == nil {
		return
	}
	count, err := v.count(ctx, *first.Harm)
	if err != nil {
		f.Diagnosis.Unknown = append(f.Diagnosis.Unknown, "how many "+first.Harm.Unit+" are harmed: "+err.Error())
		return
	}
	f.Harm = &workflows.HarmCount{
		Asset: first.ID, Count: count, Unit: first.Harm.Unit, At: now,
		Source: "harm query on connection " + first.Harm.Connection,
	}
}

func (v *investigator) count(ctx context.Context, h lineage.Harm) (int64, error) {
	if err := checks.Guard(h.Query); err != nil {
		return 0, err
	}
	q, err := v.project.Querier(h.Connection)
	if err != nil {
		return 0, err
	}
	rows, err := q.Select(ctx, h.Query)
	if err != nil {
		return 0, err
	}
	if len(rows.Values) != 1 || len(rows.Values[0]) != 1 {
		return 0, fmt.Errorf("the harm query answers %d rows of %d columns; it must answer one number", len(rows.Values), len(rows.Columns))
	}
	switch value := rows.Values[0][0].(type) {
	case int64:
		return value, nil
	case float64:
		return int64(value), nil
	default:
		return 0, fmt.Errorf("the harm query answers %v, which is no number", value)
	}
}

// Plan fills the steps of the best cause.
func (v *investigator) Plan(_ context.Context, _ workflows.Incident, f workflows.Findings, now time.Time) ([]diagnosis.PlannedProposal, error) {
	return diagnosis.Plan(diagnosis.PlanInput{
		Diagnosis: f.Diagnosis, Graph: v.project.Current(), Readers: f.Blast.Consumers, Files: files{}, Now: now, Zone: v.project.Zone,
		FixBy: f.FixBy,
	})
}
