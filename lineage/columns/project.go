package columns

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"dw/lineage"
)

// Property is the property of an asset that says how its columns were read, or why
// they were not.
const Property = "column lineage"

// Summary counts the models of a project by how much is known of their columns.
type Summary struct {
	Models  int            `json:"models"` // with SQL
	Rungs   map[Rung]int   `json:"rungs"`
	Columns int            `json:"columns"` // of the results
	Unsure  int            `json:"unsure"`  // of these, where it is not known which columns feed them
	Whys    map[string]int `json:"whys"`    // reasons for the lower rungs
}

// Project reads the columns of every model of a dbt project, in the order in which
// they are built: what one model makes is the catalog of the next where the
// catalog itself lacks it. It returns statements to put beside those of the
// manifest. A model that cannot be read has no columns on its edges, which dw
// follows as if each column were read, and a property that says why. The error is
// that ctx has ended.
func (r Reader) Project(ctx context.Context, models []lineage.Model, catalog map[lineage.AssetID][]string) (lineage.Statements, Summary, error) {
	p := project{reader: r, catalog: catalog, byRelation: map[string]lineage.AssetID{}, schema: Schema{}, sum: Summary{Rungs: map[Rung]int{}, Whys: map[string]int{}}}
	for _, m := range models {
		if m.Relation == "" {
			continue
		}
		name := plainName(m.Relation)
		p.byRelation[strings.ToLower(name)] = m.ID
		if listed := catalog[m.ID]; len(listed) > 0 {
			p.schema[name] = listed
		}
	}
	for _, m := range inOrder(models) {
		if err := p.model(ctx, m); err != nil {
			return lineage.Statements{}, Summary{}, err
		}
	}
	return p.out, p.sum, nil
}

// plainName takes the quotes out of a relation's name.
func plainName(relation string) string {
	return strings.NewReplacer(`"`, "", "`", "", "[", "", "]", "").Replace(relation)
}

type project struct {
	reader     Reader
	catalog    map[lineage.AssetID][]string
	byRelation map[string]lineage.AssetID
	schema     Schema
	out        lineage.Statements
	sum        Summary
}

// inOrder puts each model behind those that it depends on; what is in a circle
// comes as it stands.
func inOrder(models []lineage.Model) []lineage.Model {
	byID := make(map[lineage.AssetID]lineage.Model, len(models))
	for _, m := range models {
		byID[m.ID] = m
	}
	var out []lineage.Model
	state := map[lineage.AssetID]bool{}
	var visit func(m lineage.Model)
	visit = func(m lineage.Model) {
		if state[m.ID] {
			return
		}
		state[m.ID] = true
		for _, id := range m.DependsOn {
			if before, ok := byID[id]; ok {
				visit(before)
			}
		}
		out = append(out, m)
	}
	for _, m := range models {
		visit(m)
	}
	return out
}

func (p *project) model(ctx context.Context, m lineage.Model) error {
	if len(m.DependsOn) == 0 && m.SQL == "" {
		return nil // a source or a seed
	}
	answer := Answer{Rung: Declared, Why: "the manifest has no compiled SQL (dbt compile)"}
	if m.SQL != "" {
		var err error
		if answer, err = p.reader.Read(ctx, Query{SQL: m.SQL, Dialect: m.Dialect, Schema: p.schema}); err != nil {
			return fmt.Errorf("%s: %w", m.ID, err)
		}
		p.sum.Models++
		p.sum.Rungs[answer.Rung]++
		if answer.Why != "" {
			p.sum.Whys[answer.Why]++
		}
	}
	p.state(m, answer)
	return nil
}

// state puts in what an answer says of a model.
func (p *project) state(m lineage.Model, answer Answer) {
	from := lineage.Provenance{Source: lineage.SourceModelSQL, SeenAt: m.SeenAt, How: lineage.HowDeclared}
	if answer.Rung == NoSchema {
		from.How = lineage.HowParsed
	}
	asset := lineage.Asset{ID: m.ID, From: []lineage.Provenance{from}, Properties: map[string]string{Property: string(answer.Rung)}}
	if !answer.Known() {
		asset.Properties[Property] = "unknown, tables from dbt: " + answer.Why
		p.out.Assets = append(p.out.Assets, asset)
		return
	}
	made := p.made(m, answer)
	if len(p.catalog[m.ID]) == 0 {
		asset.Columns = made
	}
	links := p.links(m, answer)
	if unsure := p.count(answer); unsure > 0 {
		asset.Properties[Property] += fmt.Sprintf("; of %d of %d columns it is not known what feeds them", unsure, len(answer.Outputs))
	}
	p.out.Assets = append(p.out.Assets, asset)
	for _, id := range slices.Sorted(mapKeys(links)) {
		p.out.Edges = append(p.out.Edges, lineage.Edge{From: id, To: m.ID, Seen: from, Columns: links[id]})
	}
}

// made are the columns of a model's result, where all are known; they become the
// schema of the next models where the catalog has none.
func (p *project) made(m lineage.Model, answer Answer) []string {
	var out []string
	for _, o := range answer.Outputs {
		if o.Name == "*" || o.Name == "" {
			return nil
		}
		out = append(out, o.Name)
	}
	if len(p.catalog[m.ID]) == 0 && m.Relation != "" {
		p.schema[plainName(m.Relation)] = out
	}
	return out
}

func (p *project) count(answer Answer) int {
	unsure := 0
	for _, o := range answer.Outputs {
		if !o.Sure() || o.Name == "*" {
			unsure++
		}
	}
	p.sum.Columns += len(answer.Outputs)
	p.sum.Unsure += unsure
	return unsure
}
