package pipes

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"dw/lineage"
	"dw/lineage/sqltables"
)

// deepest bounds the nesting of components.
const deepest = 60

// LoadConnect reads a Redpanda Connect (or Benthos) file: the inputs, outputs and
// processors that read or write topics, tables and files, through brokers,
// switches and resources of the same file. A topic with an interpolation is noted
// in the property pipeline.unknown: which it is, only the running pipeline knows.
func LoadConnect(content []byte, opts Options) (lineage.Statements, error) {
	if len(content) > maxFile {
		return lineage.Statements{}, fmt.Errorf("read Redpanda Connect file: it has %d bytes, dw reads at most %d", len(content), maxFile)
	}
	var root map[string]any
	if err := yaml.Unmarshal(content, &root); err != nil {
		return lineage.Statements{}, fmt.Errorf("read Redpanda Connect file: %w", err)
	}
	if !isPipeline(root) {
		return lineage.Statements{}, errors.New("read Redpanda Connect file: it has neither an input nor an output nor a pipeline")
	}
	if opts.Name == "" {
		return lineage.Statements{}, errors.New("read Redpanda Connect file: the pipeline has no name")
	}
	w := walker{flow: flow{opts: opts}, resources: map[string]any{}}
	w.collect(root)
	for _, key := range []string{"input", "pipeline", "output"} {
		w.walk(root[key], sides()[key], 0)
	}
	return w.flow.statements(lineage.AssetID("connect://"+opts.Name), opts.Name, SourceConnect), nil
}

func isPipeline(root map[string]any) bool {
	for _, key := range []string{"input", "output", "pipeline", "input_resources", "output_resources", "processor_resources"} {
		if _, ok := root[key]; ok {
			return true
		}
	}
	return false
}

// side is what a component does where it stands.
type side int

const (
	reading side = iota + 1
	writing
	processing
)

// sides are the keys below which components stand.
func sides() map[string]side {
	return map[string]side{
		"input": reading, "inputs": reading, "output": writing, "outputs": writing,
		"processors": processing, "pipeline": processing,
	}
}

type walker struct {
	flow      flow
	resources map[string]any
	asked     map[string]bool // resources that are being followed
}

// collect notes the resources of a file by their label.
func (w *walker) collect(root map[string]any) {
	for _, key := range []string{"input_resources", "output_resources", "processor_resources"} {
		list, _ := root[key].([]any)
		for _, item := range list {
			if m, ok := item.(map[string]any); ok {
				if label, ok := m["label"].(string); ok {
					w.resources[label] = m
				}
			}
		}
	}
}

// walk follows components, whatever they stand in.
func (w *walker) walk(value any, side side, depth int) {
	if depth > deepest {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			w.walk(item, side, depth+1)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if next, ok := sides()[key]; ok {
				w.walk(v[key], next, depth+1)
				continue
			}
			if label, ok := v[key].(string); ok && key == "resource" {
				w.resource(label, side, depth)
				continue
			}
			if fields, ok := v[key].(map[string]any); ok && w.component(key, fields, side) {
				w.walk(fields["processors"], processing, depth+1)
				continue
			}
			w.walk(v[key], side, depth+1)
		}
	}
}

// resource follows a component that is defined elsewhere in the file.
func (w *walker) resource(label string, side side, depth int) {
	target, known := w.resources[label]
	if !known {
		w.flow.unknown = append(w.flow.unknown, "resource "+label)
		return
	}
	if w.asked == nil {
		w.asked = map[string]bool{}
	}
	if !w.asked[label] {
		w.asked[label] = true
		w.walk(target, side, depth+1)
		delete(w.asked, label)
	}
}

// component reads one component, and reports whether it is one that names what
// it reads or writes.
func (w *walker) component(name string, fields map[string]any, side side) bool {
	switch {
	case isKafka(name) && (fields["topic"] != nil || fields["topics"] != nil):
		w.topics(name, fields, side)
	case strings.HasPrefix(name, "sql_"):
		w.sql(name, fields, side)
	case strings.HasSuffix(name, "_cdc") && fields["tables"] != nil:
		system, host, _ := server(text(fields["dsn"]), strings.TrimSuffix(name, "_cdc"))
		for _, t := range texts(fields["tables"]) {
			if schema := text(fields["schema"]); schema != "" {
				t = schema + "." + t
			}
			w.ref(reading, table(system, host, t), t)
		}
	case name == "gcp_bigquery" || name == "gcp_bigquery_select":
		w.table(side, "bigquery", "", fields, "project", "dataset", "table")
	case name == "snowflake_streaming":
		w.table(side, "snowflake", text(fields["account"]), fields, "database", "schema", "table")
	case name == "iceberg":
		w.table(side, "iceberg", "", fields, "namespace", "table")
	case name == "aws_s3" || name == "gcp_cloud_storage":
		scheme := map[string]string{"aws_s3": "s3", "gcp_cloud_storage": "gs"}[name]
		bucket := text(fields["bucket"])
		w.ref(side, ref{id: lineage.AssetID(scheme + "://" + bucket), kind: lineage.KindTable, name: bucket}, bucket)
	default:
		return false
	}
	return true
}

func isKafka(name string) bool {
	switch name {
	case "kafka", "kafka_franz", "kafka_balanced", "redpanda", "redpanda_common", "redpanda_migrator", "ockam_kafka":
		return true
	}
	return false
}

func (w *walker) topics(name string, fields map[string]any, side side) {
	if on, _ := fields["regexp_topics"].(bool); on {
		w.flow.unknown = append(w.flow.unknown, name+" topics that match "+strings.Join(texts(fields["topics"]), ", "))
		return
	}
	for _, field := range []string{"topic", "topics"} {
		for _, list := range texts(fields[field]) {
			for topic := range strings.SplitSeq(list, ",") {
				topic, _, _ = strings.Cut(strings.TrimSpace(topic), ":") // a partition may follow
				if strings.Contains(list, "${") {
					topic = list
				}
				w.ref(side, w.flow.opts.topic(topic), topic)
			}
		}
	}
}

// sql reads the SQL components: of a processor, an insert writes and all others
// read.
func (w *walker) sql(name string, fields map[string]any, side side) {
	system, host, _ := server(text(fields["dsn"]), text(fields["driver"]))
	if side == processing {
		side = reading
		if name == "sql_insert" {
			side = writing
		}
	}
	if t := text(fields["table"]); t != "" {
		w.ref(side, table(system, host, t), t)
		return
	}
	query := text(fields["query"])
	if computed(query) {
		w.flow.unknown = append(w.flow.unknown, name+" with a computed query")
		return
	}
	read := sqltables.Read(query, system)
	for _, t := range read.Sources {
		w.ref(reading, table(system, host, t), t)
	}
	for _, t := range read.Targets {
		w.ref(writing, table(system, host, t), t)
	}
}

// table joins the parts of a name that are given.
func (w *walker) table(side side, system, host string, fields map[string]any, keys ...string) {
	var parts []string
	for _, key := range keys {
		if part := text(fields[key]); part != "" {
			parts = append(parts, part)
		}
	}
	name := strings.Join(parts, ".")
	w.ref(side, table(system, host, name), name)
}

// ref notes one thing that is read or written, unless its name is computed.
func (w *walker) ref(side side, r ref, name string) {
	switch {
	case name == "":
	case computed(string(r.id)):
		w.flow.unknown = append(w.flow.unknown, name)
	case side == writing:
		w.flow.writes = append(w.flow.writes, r)
	default:
		w.flow.reads = append(w.flow.reads, r)
	}
}

func text(value any) string {
	s, _ := value.(string)
	return strings.TrimSpace(s)
}

// texts is a text, or a list of them.
func texts(value any) []string {
	if s := text(value); s != "" {
		return []string{s}
	}
	list, _ := value.([]any)
	var out []string
	for _, item := range list {
		if s := text(item); s != "" {
			out = append(out, s)
		}
	}
	return out
}
