package diagnosis

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// errNoFiles says that no reader of deployed files was given.
var errNoFiles = errors.New("no reader of deployed files is configured")

// Coding is what has happened to a record's value by the time a write sends it.
type Coding int

// The codings, from the best to the worst that one path can bring.
const (
	CodingGuarded   Coding = iota // in the wire format; what fails to encode does not reach the topic
	CodingCopied                  // the bytes of another topic, unchanged
	CodingEncoded                 // in the wire format, but what fails to encode is sent as it was
	CodingUnknown                 // Why says what could not be followed
	CodingRewritten               // encoded, then rewritten, so that the wire format is lost
	CodingRaw                     // never encoded
)

// TopicWrite is one Kafka-type output of a pipeline file.
type TopicWrite struct {
	Output string // component: "kafka_franz"
	Path   string // "output.switch.cases.0.output"
	Topic  string // as written; may hold an interpolation
	Coding Coding
	Why    string // names the processor that decided the coding, with its line
	Line   int    // of the output, from 1

	leaf   *yaml.Node // the mapping that holds the component
	nested bool       // inside a broker, switch or another wrapper
	own    bool       // processors stand at the output or at a wrapper of it
}

// interpolated reports whether the topic is only known when the pipeline runs.
func (w TopicWrite) interpolated() bool {
	return w.Topic == "" || strings.Contains(w.Topic, "${")
}

// maxDepth bounds how deep components may nest.
const maxDepth = 40

// maxPipelineBytes bounds a pipeline file.
const maxPipelineBytes = 1 << 20

// ParsePipeline lists the Kafka-type outputs of a Redpanda Connect file with
// what the processors on the way do to the value: pipeline.processors,
// input.processors, and processors of the output and of its wrappers. A file
// without outputs has no writes. An error says what could not be read.
func ParsePipeline(text []byte) ([]TopicWrite, error) {
	root, err := parseRoot(text)
	if err != nil || root == nil {
		return nil, err
	}
	output := child(root, "output")
	if output == nil {
		return nil, nil
	}
	p := &parser{root: root}
	start := p.inputs(child(root, "input"), 0)
	start = p.sequence(child(child(root, "pipeline"), "processors"), start, 0)
	p.outputs(output, "output", start, place{}, 0)
	return p.writes, nil
}

func parseRoot(text []byte) (*yaml.Node, error) {
	if len(text) > maxPipelineBytes {
		return nil, fmt.Errorf("the file has %d bytes, more than %d", len(text), maxPipelineBytes)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("parse pipeline file: %w", err)
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	root := resolve(doc.Content[0])
	if root.Kind != yaml.MappingNode {
		return nil, errors.New("parse pipeline file: the top level is not a mapping")
	}
	return root, nil
}

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.AliasNode && i < maxDepth; i++ {
		n = n.Alias
	}
	return n
}

// child returns the value of a key, nil where n is no mapping or lacks it.
func child(n *yaml.Node, key string) *yaml.Node {
	n = resolve(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return resolve(n.Content[i+1])
		}
	}
	return nil
}

// items returns the items of a sequence, none where n is not one.
func items(n *yaml.Node) []*yaml.Node {
	n = resolve(n)
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// parser walks one file. steps bounds the work, since aliases can make a small
// file describe a very large tree.
type parser struct {
	root   *yaml.Node
	writes []TopicWrite
	steps  int
}

const maxSteps = 20_000

func (p *parser) spent(depth int) bool {
	p.steps++
	return depth > maxDepth || p.steps > maxSteps
}

// inputs returns the worst coding that any input brings.
func (p *parser) inputs(n *yaml.Node, depth int) flow {
	n = resolve(n)
	if n == nil {
		return flow{coding: CodingUnknown, why: "the file has no input"}
	}
	if p.spent(depth) {
		return tooDeep()
	}
	at, comp := component(n, "processors", "label")
	var f flow
	switch {
	case at == "broker" || at == "sequence":
		for i, in := range items(child(comp, "inputs")) {
			f = merge(f, p.inputs(in, depth+1), i == 0)
		}
	case at == "resource":
		f = p.inputResource(comp, depth)
	case at == "read_until" || at == "dedupe" || at == "batched":
		f = p.inputs(child(comp, "input"), depth+1)
	case kafkaType(at) || at == "redpanda_migrator":
		f = flow{coding: CodingCopied, why: "values come from another topic"}
	default:
		f = flow{coding: CodingRaw, why: "no schema_registry_encode on the path"}
	}
	f = p.sequence(child(child(comp, "batching"), "processors"), f, depth+1)
	return p.sequence(child(n, "processors"), f, depth+1)
}

func (p *parser) inputResource(comp *yaml.Node, depth int) flow {
	if target := p.labelled("input_resources", comp); target != nil {
		return p.inputs(target, depth+1)
	}
	return flow{coding: CodingUnknown, why: "input resource " + text(comp) + " stands in another file"}
}

// labelled finds a resource of this file by its label.
func (p *parser) labelled(section string, name *yaml.Node) *yaml.Node {
	for _, n := range items(child(p.root, section)) {
		if l := child(n, "label"); l != nil && l.Value == text(name) {
			return n
		}
	}
	return nil
}

func text(n *yaml.Node) string {
	if n = resolve(n); n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// component returns the name and value of the one key that is not a common
// field of its kind of component.
func component(n *yaml.Node, common ...string) (string, *yaml.Node) {
	n = resolve(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return "", nil
	}
	if t := child(n, "type"); t != nil && t.Kind == yaml.ScalarNode {
		return t.Value, child(n, t.Value)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		if key != "" && !isOneOf(key, common...) {
			return key, resolve(n.Content[i+1])
		}
	}
	return "", nil
}

func isOneOf(s string, names ...string) bool {
	return slices.Contains(names, s)
}

// kafkaType reports whether a component speaks Kafka and does not encode by
// itself.
func kafkaType(name string) bool {
	return isOneOf(name, "redpanda", "redpanda_common", "kafka_franz", "kafka", "ockam_kafka")
}

func indexed(path string, i int) string { return path + "." + strconv.Itoa(i) }
