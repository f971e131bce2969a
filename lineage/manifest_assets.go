package lineage

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The schema versions of a dbt manifest that dw reads.
const (
	oldestManifest = 1
	newestManifest = 12
)

// manifestReader turns a decoded manifest into assets and edges.
type manifestReader struct {
	manifest *manifest
	byID     map[string]manifestEntry
	project  string
	own      string // the name of the project's own package
	root     string
	from     Provenance
}

func newManifestReader(m *manifest, opts ManifestOptions) (*manifestReader, error) {
	if err := checkVersion(string(m.metadata.SchemaVersion)); err != nil {
		return nil, err
	}
	seen := opts.SeenAt
	if at := string(m.metadata.GeneratedAt); at != "" {
		var err error
		if seen, err = time.Parse(time.RFC3339Nano, at); err != nil {
			return nil, fmt.Errorf("metadata.generated_at: %q is not a time", at)
		}
	}
	own := cmp.Or(string(m.metadata.ProjectName), commonPackage(m.entries))
	r := &manifestReader{
		manifest: m, byID: make(map[string]manifestEntry, len(m.entries)), root: opts.Root,
		own: own, project: cmp.Or(opts.Project, own),
		from: Provenance{Source: SourceManifest, SeenAt: seen.UTC(), How: HowDeclared},
	}
	if seen.IsZero() {
		r.from.SeenAt = time.Time{}
	}
	if r.project == "" {
		return nil, errors.New("it does not name its project: give the project's name with the manifest")
	}
	for _, e := range m.entries {
		r.byID[string(e.UniqueID)] = e
	}
	return r, nil
}

// checkVersion reads the address of the schema, such as
// https://schemas.getdbt.com/dbt/manifest/v12.json.
func checkVersion(schema string) error {
	_, version, found := strings.Cut(schema, "/manifest/v")
	number, err := strconv.Atoi(strings.TrimSuffix(version, ".json"))
	switch {
	case schema == "":
		return errors.New("metadata.dbt_schema_version is missing: it is not a dbt manifest")
	case !found || err != nil:
		return fmt.Errorf("metadata.dbt_schema_version is %q: it is not a dbt manifest", schema)
	case number < oldestManifest || number > newestManifest:
		return fmt.Errorf("its schema is v%d, dw reads v%d to v%d: make it with another version of dbt",
			number, oldestManifest, newestManifest)
	}
	return nil
}

// commonPackage names the package of most entries, for the manifests of dbt
// before 1.5, which do not name their project.
func commonPackage(entries []manifestEntry) string {
	counts := map[string]int{}
	for _, e := range entries {
		counts[string(e.PackageName)]++
	}
	best := ""
	for _, name := range sortedKeys(counts) {
		if name != "" && counts[name] > counts[best] || best == "" {
			best = name
		}
	}
	return best
}

// read returns all assets and edges, ordered by id.
func (r *manifestReader) read() ([]Asset, []Edge, error) {
	var assets []Asset
	var edges []Edge
	missing := map[string]bool{}
	for _, id := range sortedKeys(r.byID) {
		e := r.byID[id]
		if !e.isAsset() {
			continue
		}
		a, err := r.asset(e)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", id, err)
		}
		assets = append(assets, a)
		for _, feeds := range r.feeds(e) {
			edges = append(edges, Edge{From: r.id(feeds), To: a.ID, Seen: r.from})
			if _, ok := r.byID[feeds]; !ok {
				missing[feeds] = true
			}
		}
	}
	for _, id := range sortedKeys(missing) {
		assets = append(assets, r.placeholder(id))
	}
	edges = append(edges, r.sameTables()...)
	slices.SortFunc(assets, func(a, b Asset) int { return cmp.Compare(a.ID, b.ID) })
	return assets, edges, nil
}

// feeds returns the assets that an entry depends on. What stands between them
// without being an asset (a metric, a semantic model, an analysis) is passed
// through.
func (r *manifestReader) feeds(e manifestEntry) []string {
	var out []string
	seen := map[string]bool{string(e.UniqueID): true}
	queue := slices.Clone(e.DependsOn.Nodes)
	for head := 0; head < len(queue); head++ {
		id := queue[head]
		if seen[id] {
			continue
		}
		seen[id] = true
		between, known := r.byID[id]
		if known && !between.isAsset() {
			queue = append(queue, between.DependsOn.Nodes...)
			continue
		}
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// sameTables returns an edge to each source from what the same project builds
// under the same relation name: seeds that are read back as a source, or the
// models of a package. dbt draws no line between them, but they are one table.
func (r *manifestReader) sameTables() []Edge {
	builds := map[string][]string{}
	for _, id := range sortedKeys(r.byID) {
		e := r.byID[id]
		if relation := fold(string(e.RelationName)); relation != "" && e.isAsset() && e.resource() != "source" {
			builds[relation] = append(builds[relation], id)
		}
	}
	var out []Edge
	for _, id := range sortedKeys(r.byID) {
		e := r.byID[id]
		if e.resource() != "source" {
			continue
		}
		for _, from := range builds[fold(string(e.RelationName))] {
			out = append(out, Edge{From: r.id(from), To: r.id(id), Seen: r.from})
		}
	}
	return out
}

func (r *manifestReader) id(unique string) AssetID {
	return AssetID("dbt://" + r.project + "/" + unique)
}

// placeholder stands for an entry that another depends on and that the manifest
// does not describe: it is shown rather than dropped.
func (r *manifestReader) placeholder(unique string) Asset {
	resource, _, _ := strings.Cut(unique, ".")
	kind, ok := dbtKinds()[resource]
	if !ok {
		kind = KindModel
	}
	return Asset{
		ID: r.id(unique), Kind: kind, Name: unique[strings.LastIndex(unique, ".")+1:], Aliases: []string{unique},
		Properties: map[string]string{"dbt.described": "no, only named as a dependency"},
		From:       []Provenance{r.from},
	}
}

func dbtKinds() map[string]Kind {
	return map[string]Kind{
		"model": KindModel, "source": KindSource, "seed": KindTable,
		"snapshot": KindTable, "exposure": KindExposure,
	}
}

func (e manifestEntry) resource() string {
	resource, _, _ := strings.Cut(string(e.UniqueID), ".")
	return cmp.Or(string(e.ResourceType), resource)
}

func (e manifestEntry) isAsset() bool {
	_, ok := dbtKinds()[e.resource()]
	return ok
}

// asset describes one entry.
func (r *manifestReader) asset(e manifestEntry) (Asset, error) {
	file, err := r.file(e)
	if err != nil {
		return Asset{}, err
	}
	a := Asset{
		ID: r.id(string(e.UniqueID)), Kind: dbtKinds()[e.resource()],
		Description: string(e.Description), Columns: e.Columns, Owners: r.owners(e),
		File: file, Root: r.root, From: []Provenance{r.from}, Properties: e.properties(),
	}
	if e.resource() == "exposure" && e.Type == "dashboard" {
		a.Kind = KindDashboard
	}
	a.Name, a.Aliases = e.names()
	if adapter := string(r.manifest.metadata.AdapterType); adapter != "" && e.RelationName != "" {
		a.Relation = SystemOf(adapter) + ":///" + string(e.RelationName)
	}
	return a, nil
}

// names returns the short name and the other names. Of a model in several
// versions only the latest has the bare name, as in dbt's own ref().
func (e manifestEntry) names() (string, []string) {
	name := cmp.Or(string(e.Name), shortName(AssetID("dbt://"+string(e.UniqueID))))
	if e.Version != "" {
		versioned := name + ".v" + string(e.Version)
		if e.Version != e.LatestVersion {
			return versioned, e.otherNames(versioned)
		}
		return name, e.otherNames(name, versioned)
	}
	return name, e.otherNames(name)
}

func (e manifestEntry) otherNames(name string, more ...string) []string {
	all := append(more, string(e.Alias), string(e.Identifier), string(e.RelationName), string(e.Label), string(e.UniqueID))
	if e.SourceName != "" {
		all = append(all, string(e.SourceName)+"."+string(e.Name))
	}
	var out []string
	for _, other := range all {
		if other != "" && other != name {
			out = appendNew(out, other)
		}
	}
	return out
}

// checksum is the property by which two states of a definition are told apart; it
// tells a person nothing, so that Explain leaves it out.
const checksum = "dbt.checksum"

func (e manifestEntry) properties() map[string]string {
	out := map[string]string{"dbt.resource_type": e.resource()}
	for key, value := range map[string]looseText{
		"dbt.materialized": e.Config.Materialized,
		"dbt.package":      e.PackageName,
		"dbt.group":        cmp.Or(e.Group, e.Config.Group),
		"dbt.type":         e.Type,
		"dbt.maturity":     e.Maturity,
		"dbt.url":          e.URL,
	} {
		if value != "" {
			out[key] = string(value)
		}
	}
	if e.Checksum.sum != "" {
		out[checksum] = e.Checksum.sum
	}
	if emails := e.Owner.Emails; len(emails) > 0 {
		out["dbt.owner_email"] = strings.Join(emails, ", ")
	}
	return out
}

// owners are those of the entry itself, then those in its meta, then those of
// its group.
func (r *manifestReader) owners(e manifestEntry) []Fact {
	group := r.manifest.groups[string(cmp.Or(e.Group, e.Config.Group))]
	var values []string
	for _, owner := range []manifestOwner{e.Owner, e.Config.Meta.Owner, e.Meta.Owner, group} {
		named := owner.Names
		if len(named) == 0 {
			named = owner.Emails
		}
		values = appendNew(values, named...)
	}
	var out []Fact
	for _, value := range values {
		out = append(out, Fact{Value: value, From: r.from})
	}
	return out
}

// file is relative to the root of the project, also for an entry of an
// installed package. A path that leads out of the project is refused, because
// dw reads and patches the files that a manifest names.
func (r *manifestReader) file(e manifestEntry) (string, error) {
	if e.File == "" {
		return "", nil
	}
	file := path.Clean(strings.ReplaceAll(string(e.File), `\`, "/"))
	if !filepath.IsLocal(file) {
		return "", fmt.Errorf("original_file_path %q leads out of the project", string(e.File))
	}
	if e.PackageName != "" && string(e.PackageName) != r.own {
		file = path.Join("dbt_packages", string(e.PackageName), file)
	}
	if !filepath.IsLocal(file) {
		return "", fmt.Errorf("package_name %q leads out of the project", string(e.PackageName))
	}
	return file, nil
}
