package diagnosis

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// place says where an output stands.
type place struct {
	nested bool
	own    bool
}

// outputs follows one output component down to the Kafka-type leaves.
func (p *parser) outputs(n *yaml.Node, path string, f flow, at place, depth int) {
	n = resolve(n)
	if n == nil || p.spent(depth) {
		return
	}
	if procs := child(n, "processors"); procs != nil {
		f, at.own = p.sequence(procs, f, depth+1), true
	}
	name, comp := component(n, "processors", "label", "batching", "metadata")
	if procs := child(child(comp, "batching"), "processors"); procs != nil {
		f, at.own = p.sequence(procs, f, depth+1), true
	}
	if kafkaType(name) {
		p.leaf(n, name, comp, path, f, at)
		return
	}
	at.nested = true
	p.wrapped(name, comp, path+"."+name, f, at, depth)
}

// wrapped follows the outputs inside a wrapper.
func (p *parser) wrapped(name string, comp *yaml.Node, path string, f flow, at place, depth int) {
	switch name {
	case "broker", "fallback", "try":
		list, under := comp, path
		if name == "broker" {
			list, under = child(comp, "outputs"), path+".outputs"
		}
		for i, out := range items(list) {
			p.outputs(out, indexed(under, i), f, at, depth+1)
		}
	case "switch":
		p.switchOutput(comp, path, f, at, depth)
	case "reject_errored":
		p.outputs(comp, path, f.guard(), at, depth+1)
	case "drop_on", "retry", "cache", "cached":
		p.outputs(child(comp, "output"), path+".output", f, at, depth+1)
	case "dynamic":
		p.dynamic(child(comp, "outputs"), path+".outputs", f, at, depth)
	case "resource":
		if target := p.labelled("output_resources", comp); target != nil {
			p.outputs(target, path, f, at, depth+1)
		}
	}
}

// switchOutput follows each case. After a case that takes the messages with an
// error, the later cases do not see what failed to encode.
func (p *parser) switchOutput(comp *yaml.Node, path string, f flow, at place, depth int) {
	for i, c := range items(child(comp, "cases")) {
		p.outputs(child(c, "output"), indexed(path+".cases", i)+".output", f, at, depth+1)
		onward := text(child(c, "continue")) == "true"
		if strings.TrimSpace(text(child(c, "check"))) == "errored()" && !onward {
			f = f.guard()
		}
	}
}

func (p *parser) dynamic(outs *yaml.Node, path string, f flow, at place, depth int) {
	if outs = resolve(outs); outs == nil || outs.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(outs.Content); i += 2 {
		p.outputs(outs.Content[i+1], path+"."+outs.Content[i].Value, f, at, depth+1)
	}
}

func (p *parser) leaf(n *yaml.Node, name string, comp *yaml.Node, path string, f flow, at place) {
	topic := text(child(comp, "topic"))
	if name == "ockam_kafka" && topic == "" {
		topic = text(child(child(comp, "kafka"), "topic"))
	}
	p.writes = append(p.writes, TopicWrite{
		Output: name, Path: path, Topic: topic, Coding: f.coding, Why: f.why, Line: n.Line,
		leaf: n, nested: at.nested, own: at.own,
	})
}

// line says where a node stands, for sentences.
func line(n *yaml.Node) string { return "line " + strconv.Itoa(n.Line) }
