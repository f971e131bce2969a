// Package pipes reads the configurations of what moves records: Redpanda Connect
// files and connectors of Kafka Connect. It states which topics, tables and files
// they read and write. Secrets that stand in an address are never kept.
package pipes

import (
	"net/url"
	"strings"
	"time"

	"dw/lineage"
)

// The names of what this package reads, in every statement.
const (
	SourceConnect      = "Redpanda Connect"
	SourceKafkaConnect = "Kafka Connect"
)

// maxFile is the most that is read of one file, in bytes.
const maxFile = 4 << 20

// Options say how to read a configuration.
type Options struct {
	Name    string    // the pipeline's, where the file does not name it
	Cluster string    // stands in the ids of topics: "prod:9092"; empty where it is not said
	SeenAt  time.Time // the age of the file
}

// ref is something that is read or written.
type ref struct {
	id   lineage.AssetID
	kind lineage.Kind
	name string
}

// flow collects what one pipeline reads and writes.
type flow struct {
	opts      Options
	reads     []ref
	writes    []ref
	pairs     [][2]ref // what is known to feed what, within the pipeline
	unknown   []string // what only the running pipeline knows
	component []string // what neither is
}

func (o Options) topic(name string) ref {
	id := "kafka://" + name
	if o.Cluster != "" {
		id = "kafka://" + o.Cluster + "/" + name
	}
	return ref{id: lineage.AssetID(id), kind: lineage.KindTopic, name: name}
}

// table is a table by its dotted name, on a server or none.
func table(system, server, name string) ref {
	if system == "" {
		system = "table" // of a system that is not said
	}
	id := system + "://" + name
	if server != "" {
		id = system + "://" + server + "/" + name
	}
	return ref{id: lineage.AssetID(id), kind: lineage.KindTable, name: name[strings.LastIndex(name, ".")+1:]}
}

// computed says that a value is only known when the pipeline runs.
func computed(value string) bool {
	return strings.Contains(value, "${") || strings.Contains(value, "$(")
}

// server returns the system and the host of an address without its user, and the
// database that it names.
func server(dsn, driver string) (system, host, database string) {
	dsn = strings.TrimPrefix(dsn, "jdbc:")
	system = driver
	if u, err := url.Parse(dsn); err == nil && u.Host != "" {
		if system == "" {
			system = u.Scheme
		}
		host, database = u.Host, strings.Trim(u.Path, "/")
	}
	if system == "postgresql" {
		system = "postgres"
	}
	if computed(host) || strings.ContainsAny(host, " @") {
		host = ""
	}
	return system, host, database
}

// statements states the pipeline and what it reads and writes.
func (f flow) statements(id lineage.AssetID, name, source string) lineage.Statements {
	from := lineage.Provenance{Source: source, SeenAt: f.opts.SeenAt.UTC(), How: lineage.HowDeclared}
	if f.opts.SeenAt.IsZero() {
		from.SeenAt = f.opts.SeenAt
	}
	var out lineage.Statements
	state := func(r ref) {
		out.Assets = append(out.Assets, lineage.Asset{ID: r.id, Kind: r.kind, Name: r.name, From: []lineage.Provenance{from}})
	}
	edge := func(a, b lineage.AssetID) {
		if a != b {
			out.Edges = append(out.Edges, lineage.Edge{From: a, To: b, Seen: from})
		}
	}
	pipe := lineage.Asset{ID: id, Kind: lineage.KindPipeline, Name: name, From: []lineage.Provenance{from}, Properties: map[string]string{}}
	for key, list := range map[string][]string{"pipeline.unknown": f.unknown, "pipeline.other": f.component} {
		if len(list) > 0 {
			pipe.Properties[key] = strings.Join(list, ", ")
		}
	}
	out.Assets = append(out.Assets, pipe)
	for _, r := range f.reads {
		state(r)
		edge(r.id, id)
	}
	for _, r := range f.writes {
		state(r)
		edge(id, r.id)
	}
	for _, p := range f.pairs {
		edge(p[0].id, p[1].id)
	}
	return out.Folded()
}
