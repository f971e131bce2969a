package diagnosis

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

const encoder = "schema_registry_encode"

// flow is the coding of a value at one point of a file, and why.
type flow struct {
	coding Coding
	why    string
}

func tooDeep() flow {
	return flow{coding: CodingUnknown, why: "the file nests too deep to be followed"}
}

// guard is the flow after what failed to encode was taken out.
func (f flow) guard() flow {
	if f.coding == CodingEncoded {
		f.coding = CodingGuarded
	}
	return f
}

// merge is what two paths bring together: the worse of the two.
func merge(a, b flow, first bool) flow {
	if first || b.coding > a.coding {
		return b
	}
	return a
}

// sequence applies processors one after the other.
func (p *parser) sequence(procs *yaml.Node, f flow, depth int) flow {
	for _, n := range items(procs) {
		if p.spent(depth) {
			return tooDeep()
		}
		f = p.processor(n, f, depth+1)
	}
	return f
}

// processor applies one processor.
func (p *parser) processor(n *yaml.Node, f flow, depth int) flow {
	name, comp := component(n, "label")
	switch {
	case name == encoder:
		return flow{coding: CodingEncoded, why: encoder + " at " + line(n)}
	case name == "schema_registry_decode":
		return flow{coding: CodingRaw, why: "schema_registry_decode at " + line(n) + " takes the wire format off"}
	case isOneOf(name, "try", "for_each"):
		return p.sequence(comp, f, depth)
	case name == "catch":
		return p.catch(comp, f)
	case name == "switch":
		return p.switchProcessor(comp, f, depth)
	case isOneOf(name, "while", "retry", "group"):
		return p.sequence(child(comp, "processors"), f, depth)
	case name == "branch":
		return p.branch(n, comp, f, depth)
	case name == "resource":
		return p.resource(comp, f, depth)
	case isOneOf(name, "mapping", "mutation", "bloblang"):
		return mapping(n, name, text(comp), f)
	case passive(name, comp):
		return f
	case !transforms(name):
		return unknownProcessor(n, name)
	}
	return rewritten(n, name, f)
}

// catch sees only messages with an error: one that ends by dropping them is the
// guard that an encoder needs. One that does not lets them go on as they were.
func (p *parser) catch(comp *yaml.Node, f flow) flow {
	list := items(comp)
	if len(list) == 0 {
		return f
	}
	last := list[len(list)-1]
	name, body := component(last, "label")
	if isOneOf(name, "mapping", "mutation", "bloblang") && dropsAll(text(body)) {
		return f.guard()
	}
	return f
}

// switchProcessor merges its cases, and what no case takes.
func (p *parser) switchProcessor(comp *yaml.Node, f flow, depth int) flow {
	out, all := flow{}, false
	for i, c := range items(comp) {
		check := strings.TrimSpace(text(child(c, "check")))
		list := items(child(c, "processors"))
		if check == "errored()" && len(list) > 0 {
			if name, body := component(list[len(list)-1], "label"); isOneOf(name, "mapping", "mutation", "bloblang") && dropsAll(text(body)) {
				f, out = f.guard(), out.guard()
				out = merge(out, f, i == 0)
				continue
			}
		}
		out = merge(out, p.sequence(child(c, "processors"), f, depth), i == 0)
		all = all || check == ""
	}
	if !all {
		return merge(out, f, len(items(comp)) == 0)
	}
	return out
}

// branch works on a copy; only its result_map touches the message.
func (p *parser) branch(n, comp *yaml.Node, f flow, depth int) flow {
	result := strings.TrimSpace(text(child(comp, "result_map")))
	if result == "" || metadataOnly(result) {
		return f
	}
	inner := p.sequence(child(comp, "processors"), flow{coding: CodingRaw}, depth)
	if inner.coding == CodingEncoded && result == "root = content()" {
		return inner
	}
	return rewritten(n, "branch", f)
}

func (p *parser) resource(comp *yaml.Node, f flow, depth int) flow {
	if target := p.labelled("processor_resources", comp); target != nil {
		return p.processor(target, f, depth+1)
	}
	return flow{coding: CodingUnknown, why: "processor resource " + text(comp) + " stands in another file"}
}

func mapping(n *yaml.Node, name, body string, f flow) flow {
	switch {
	case dropsErrored(body):
		return f.guard()
	case metadataOnly(body):
		return f
	}
	return rewritten(n, name, f)
}

// rewritten is the flow after a processor that makes a new value.
func rewritten(n *yaml.Node, name string, f flow) flow {
	switch f.coding {
	case CodingGuarded, CodingEncoded:
		return flow{coding: CodingRewritten, why: name + " at " + line(n) + " rewrites the value after " + encoder}
	case CodingCopied:
		return flow{coding: CodingRaw, why: name + " at " + line(n) + " rewrites the value and no " + encoder + " follows"}
	}
	return f
}

func unknownProcessor(n *yaml.Node, name string) flow {
	return flow{coding: CodingUnknown, why: "processor " + name + " at " + line(n) + " is not known to dw"}
}

// passive reports whether a processor leaves the value alone.
func passive(name string, comp *yaml.Node) bool {
	switch name {
	case "log", "metric", "sleep", "rate_limit", "noop", "dedupe", "select_parts", "crash", "bounds_check", "sync_response", "group_by",
		"group_by_value", "json_schema":
		return true
	case "cache":
		return isOneOf(text(child(comp, "operator")), "set", "add", "delete", "exists")
	}
	return false
}

// transforms reports whether a processor is known to make a new value and known
// not to write the wire format.
func transforms(name string) bool {
	return isOneOf(name, "archive", "avro", "awk", "aws_bedrock_chat", "aws_dynamodb_partiql", "aws_lambda", "cache",
		"cached", "command", "compress", "couchbase", "decompress", "gcp_bigquery_select", "grok", "http", "insert_part",
		"javascript", "jmespath", "jq", "mongodb", "msgpack", "nats_kv", "parallel", "parquet_decode",
		"parquet_encode", "parse_log", "processors", "protobuf", "redis", "redis_script", "split", "sql_insert", "sql_raw",
		"sql_select", "subprocess", "unarchive", "unstructured", "workflow", "xml")
}

var (
	dropLine    = regexp.MustCompile(`^root = deleted\(\)$`)
	filterLine  = regexp.MustCompile(`^root = if [^{}]+\{\s*deleted\(\)\s*\}$`)
	erroredLine = regexp.MustCompile(`^root = if errored\(\)\s*\{\s*deleted\(\)\s*\}$`)
	metaLine    = regexp.MustCompile(`^(meta( [\w.]+)?|@[\w.]*|let \w+) = `)
)

// statements returns the lines of a mapping without comments.
func statements(body string) []string {
	var out []string
	for l := range strings.Lines(body) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, l)
		}
	}
	return out
}

func dropsAll(body string) bool {
	lines := statements(body)
	return len(lines) > 0 && dropLine.MatchString(lines[len(lines)-1])
}

func dropsErrored(body string) bool {
	return erroredLine.MatchString(strings.Join(statements(body), " "))
}

// metadataOnly reports whether a mapping leaves the value of each message that
// goes on as it was.
func metadataOnly(body string) bool {
	lines := statements(body)
	if joined := strings.Join(lines, " "); dropLine.MatchString(joined) || filterLine.MatchString(joined) {
		return true
	}
	for _, l := range lines {
		if !metaLine.MatchString(l) {
			return false
		}
	}
	return true
}
