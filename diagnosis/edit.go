package diagnosis

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Encoder is the processor to add to a pipeline file.
type Encoder struct {
	URL     string // of the schema registry
	Subject string
	RawJSON bool // values are plain JSON and not Avro's JSON
}

// ErrNoChangeNeeded says that a file already does what a change would make it do.
var ErrNoChangeNeeded = errors.New("no change needed")

// EncodeTopic returns the text of a pipeline file with the encoder, and a guard
// that drops what fails to encode, as the last processors before each output
// that writes to topic. Every other byte stays. The result is parsed again: an
// edit that would not make each write guarded is refused. ErrNoChangeNeeded says
// that all are guarded already.
func EncodeTopic(text []byte, isTopic func(string) bool, e Encoder) ([]byte, error) {
	if e.URL == "" || e.Subject == "" {
		return nil, errors.New("the schema registry's url or the subject is not known")
	}
	before, err := ParsePipeline(text)
	if err != nil {
		return nil, err
	}
	todo, err := writesToChange(before, isTopic)
	if err != nil {
		return nil, err
	}
	l := splitLines(text)
	edits, err := planEdits(text, todo, l, e)
	if err != nil {
		return nil, err
	}
	out := l.apply(edits)
	if err := checkEdit(before, out, isTopic); err != nil {
		return nil, err
	}
	return out, nil
}

func writesToChange(all []TopicWrite, isTopic func(string) bool) ([]TopicWrite, error) {
	var todo []TopicWrite
	found := false
	for _, w := range all {
		if w.interpolated() || !isTopic(w.Topic) {
			continue
		}
		found = true
		switch w.Coding {
		case CodingGuarded:
		case CodingRaw, CodingEncoded:
			todo = append(todo, w)
		case CodingCopied, CodingUnknown, CodingRewritten:
			return nil, fmt.Errorf("output %s at line %d: %s; a person must decide", w.Output, w.Line, w.Why)
		}
	}
	if !found {
		return nil, errors.New("no output of the file names the topic")
	}
	if len(todo) == 0 {
		return nil, fmt.Errorf("%w: each output to the topic encodes already, and drops what fails to encode", ErrNoChangeNeeded)
	}
	return todo, nil
}

// checkEdit parses the result: the writes to the topic must be guarded now, and
// nothing else may have changed.
func checkEdit(before []TopicWrite, out []byte, isTopic func(string) bool) error {
	after, err := ParsePipeline(out)
	if err != nil {
		return fmt.Errorf("the layout of the file is not one that dw can edit: %w", err)
	}
	if len(after) != len(before) {
		return errors.New("the layout of the file is not one that dw can edit: the edit would change its outputs")
	}
	for i, w := range after {
		want := before[i].Coding
		if !w.interpolated() && isTopic(w.Topic) {
			want = CodingGuarded
		}
		if w.Topic != before[i].Topic || w.Output != before[i].Output || w.Coding != want {
			return fmt.Errorf("the layout of the file is not one that dw can edit: output %s at line %d would be wrong (%s)", w.Output, before[i].Line, w.Why)
		}
	}
	return nil
}

// edit puts lines after line number after (0: at the start) in place of drop
// lines.
type edit struct {
	after int
	drop  int
	lines []string // without line ends
}

// planEdits says where the processors go. A file whose only output stands at the
// top without processors of its own takes them at the end of
// pipeline.processors, any other at the output itself.
func planEdits(text []byte, todo []TopicWrite, l fileLines, e Encoder) ([]edit, error) {
	var edits []edit
	for _, w := range todo {
		holder, key := w.leaf, "output "+w.Output
		if !w.nested && !w.own {
			root, err := parseRoot(text)
			if err != nil {
				return nil, err
			}
			if procs := child(child(root, "pipeline"), "processors"); procs != nil {
				holder, key = child(root, "pipeline"), "pipeline"
			}
		}
		ed, err := l.appendProcessors(holder, e.processors(w.Coding == CodingRaw))
		if err != nil {
			return nil, fmt.Errorf("%s at line %d: %w", key, holder.Line, err)
		}
		edits = append(edits, ed)
	}
	return edits, nil
}

// processors is the text of the new processors, each line relative to the dash.
func (e Encoder) processors(encode bool) []string {
	var out []string
	if encode {
		out = append(out, "- "+encoder+":", "    url: "+quoteYAML(e.URL), "    subject: "+quoteYAML(e.Subject))
		if e.RawJSON {
			out = append(out, "    avro:", "      raw_json: true")
		}
	}
	return append(out, "- catch:", "    - log:", "        level: ERROR",
		"        message: 'record dropped, it could not be encoded: ${! error() }'", "    - mapping: root = deleted()")
}

func quoteYAML(s string) string { return strconv.Quote(s) }

// fileLines is a text file as lines that keep their ends.
type fileLines struct {
	lines []string
	end   string // the line end of the file
}

func splitLines(text []byte) fileLines {
	l := fileLines{end: "\n"}
	for s := range strings.Lines(string(text)) {
		l.lines = append(l.lines, s)
	}
	if len(l.lines) > 0 && strings.HasSuffix(l.lines[0], "\r\n") {
		l.end = "\r\n"
	}
	return l
}

func (l fileLines) apply(edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return b.after - a.after })
	out := slices.Clone(l.lines)
	for _, e := range edits {
		var block []string
		for _, s := range e.lines {
			block = append(block, s+l.end)
		}
		if e.after > 0 && !strings.HasSuffix(out[e.after-1], "\n") {
			out[e.after-1] += l.end
			block[len(block)-1] = strings.TrimSuffix(block[len(block)-1], l.end)
		}
		out = slices.Replace(out, e.after, e.after+e.drop, block...)
	}
	return []byte(strings.Join(out, ""))
}

// appendProcessors says how to add to the processors of a mapping in block
// style, or to start them.
func (l fileLines) appendProcessors(holder *yaml.Node, procs []string) (edit, error) {
	if holder.Style&yaml.FlowStyle != 0 || len(holder.Content) == 0 {
		return edit{}, errors.New("no diff could be made because the mapping is written in braces")
	}
	key, value := entry(holder, "processors")
	switch {
	case key == nil:
		indent := holder.Content[0].Column - 1
		after := l.blockEnd(holder.Content[0].Line, indent, false)
		lines := append([]string{spaces(indent) + "processors:"}, indented(indent+2, procs)...)
		return edit{after: after, lines: lines}, nil
	case value.Kind == yaml.AliasNode || value.Anchor != "" || key.Anchor != "":
		return edit{}, errors.New("no diff could be made because the processors are shared by an anchor")
	case value.Kind == yaml.SequenceNode && value.Style&yaml.FlowStyle == 0 && len(value.Content) > 0:
		indent := value.Column - 1
		return edit{after: l.blockEnd(value.Line, indent, true), lines: indented(indent, procs)}, nil
	case len(value.Content) == 0 && isOneOf(strings.TrimSpace(l.lines[key.Line-1]), "processors: []", "processors:"):
		indent := key.Column - 1
		return edit{after: key.Line - 1, drop: 1, lines: append([]string{spaces(indent) + "processors:"}, indented(indent+2, procs)...)}, nil
	}
	return edit{}, errors.New("no diff could be made because its processors are written in an unknown layout")
}

// entry returns key and value nodes as they stand in the file.
func entry(n *yaml.Node, key string) (*yaml.Node, *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// blockEnd returns the number of the last line of a block that starts at line
// first with the given indent. Blank lines and outer comments after it do not
// belong to it.
func (l fileLines) blockEnd(first, indent int, sequence bool) int {
	end := first
	for i := first; i < len(l.lines); i++ {
		body := strings.TrimSpace(l.lines[i])
		if body == "" {
			continue
		}
		in := len(l.lines[i]) - len(strings.TrimLeft(l.lines[i], " "))
		comment := strings.HasPrefix(body, "#")
		switch {
		case in > indent:
			end = i + 1
		case comment:
		case in == indent && (!sequence && !strings.HasPrefix(body, "---") || sequence && (body == "-" || strings.HasPrefix(body, "- "))):
			end = i + 1
		default:
			return end
		}
	}
	return end
}

func spaces(n int) string { return strings.Repeat(" ", n) }

func indented(n int, lines []string) []string {
	out := make([]string, len(lines))
	for i, s := range lines {
		out[i] = spaces(n) + s
	}
	return out
}
