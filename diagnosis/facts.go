package diagnosis

import (
	"slices"
	"strings"
	"time"

	"dw/checks"
	"dw/lineage"
)

// Properties of assets that a diagnosis reads.
const (
	PropIcebergMode = "iceberg.mode" // topic: how values become table rows
	PropDeadLetter  = "dead_letter"  // topic: name or id of the table of rows that could not be translated
)

// facts is the input, sorted by what the predicates ask for.
type facts struct {
	Input
	now       time.Time
	near      []nearby
	results   []checks.Result // newest of every check, signals included
	bad       []checks.Result // those that fail or warn about the subject or what feeds it
	onset     time.Time       // start of the first bad bucket; zero if unknown
	topic     *nearby         // the nearest topic upstream
	dead      *checks.Result  // newest dead_letter result of the topic
	pipelines []feed          // files that feed the topic
	unknown   []string
}

// feed is a pipeline asset with what its file does to the topic.
type feed struct {
	asset  nearby
	writes []TopicWrite
	err    error
}

func gather(in Input, now time.Time) *facts {
	f := &facts{Input: in, now: now, near: upstream(in.Graph, in.Subject), unknown: slices.Clone(in.Unknown)}
	f.results = newest(in.Signals, in.Results)
	f.sortResults()
	f.onset = firstOnset(f.bad)
	for i := range f.near {
		if f.near[i].Kind == lineage.KindTopic {
			f.topic = &f.near[i]
			break
		}
	}
	f.dead = f.deadLetter()
	f.pipelines = f.feeds()
	return f
}

// newest keeps the newest result of every check, in the order of check names.
func newest(lists ...[]checks.Result) []checks.Result {
	last := map[string]checks.Result{}
	for _, r := range slices.Concat(lists...) {
		if old, ok := last[r.Check]; !ok || r.At.After(old.At) {
			last[r.Check] = r
		}
	}
	out := make([]checks.Result, 0, len(last))
	for _, r := range last {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b checks.Result) int { return strings.Compare(a.Check, b.Check) })
	return out
}

// sortResults picks the bad results near the subject and notes what could not
// be asked there. A signal stays bad evidence when a later run of its check
// looked at another bucket and passed.
func (f *facts) sortResults() {
	for _, r := range f.Signals {
		if r.Status == checks.Fail || r.Status == checks.Warn || r.Status == checks.Late {
			f.bad = append(f.bad, r)
		}
	}
	for _, r := range f.results {
		if _, near := f.find(r.Asset); !near {
			continue
		}
		switch r.Status {
		case checks.Error, checks.Skipped:
			f.unknown = append(f.unknown, "check "+r.Check+" could not be asked: "+r.Problem)
		case checks.Fail, checks.Warn, checks.Late:
			if !slices.ContainsFunc(f.bad, func(b checks.Result) bool { return b.Check == r.Check && b.At.Equal(r.At) }) {
				f.bad = append(f.bad, r)
			}
		}
	}
}

func (f *facts) find(id lineage.AssetID) (nearby, bool) {
	for _, n := range f.near {
		if n.ID == id {
			return n, true
		}
	}
	return nearby{}, false
}

// findNamed finds the subject or an ancestor by any of its names.
func (f *facts) findNamed(name string) (nearby, bool) {
	for _, n := range f.near {
		if named(n.Asset, name) {
			return n, true
		}
	}
	return nearby{}, false
}

// firstOnset is the start of the first bad bucket. A dead-letter table counts
// only where nothing else is bad: its first row may be of another time.
func firstOnset(bad []checks.Result) time.Time {
	others := slices.DeleteFunc(slices.Clone(bad), func(r checks.Result) bool { return r.Kind == checks.KindDeadLetter })
	if len(others) > 0 {
		bad = others
	}
	var first time.Time
	for _, r := range bad {
		at := r.Since
		if at.IsZero() && r.Bucket != nil {
			at = r.Bucket.Start
		}
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// deadLetter finds the newest dead_letter result that is about the topic: about
// the table that the topic names, the topic itself, or an asset beside it. A
// result that could not be asked does not hide an older one that was, and one
// without new rows does not hide that the incident had some.
func (f *facts) deadLetter() *checks.Result {
	var found *checks.Result
	for _, r := range slices.Concat(f.Signals, f.Results) {
		asked := r.Status != checks.Error && r.Status != checks.Skipped
		if r.Kind != checks.KindDeadLetter || !asked || !f.aboutTopic(r.Asset) {
			continue
		}
		if found == nil || newRows(r) == newRows(*found) && r.At.After(found.At) || newRows(r) && !newRows(*found) {
			found = &r
		}
	}
	return found
}

func newRows(r checks.Result) bool { return r.Observed != nil && r.Observed.Value > 0 }

func (f *facts) aboutTopic(id lineage.AssetID) bool {
	if f.topic == nil {
		_, near := f.find(id)
		return near
	}
	if want := f.topic.Properties[PropDeadLetter]; want != "" {
		a, ok := f.Graph.Asset(id)
		if string(id) == want || shortName(id) == want || ok && named(a, want) {
			return true
		}
	}
	if id == f.topic.ID {
		return true
	}
	steps, err := f.Graph.Trace(f.topic.ID, false, 1)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(steps, func(s lineage.Step) bool { return s.Asset == id })
}

// feeds reads and parses the file of every pipeline that writes to the topic.
func (f *facts) feeds() []feed {
	if f.topic == nil {
		return nil
	}
	var out []feed
	for _, a := range neighbours(f.Graph, f.topic.ID, true, lineage.KindPipeline) {
		if a.File == "" {
			f.unknown = append(f.unknown, "pipeline "+label(a)+" names no file, so what it writes is not known")
			continue
		}
		fd := feed{asset: nearby{Asset: a, hops: f.topic.hops + 1}}
		fd.writes, fd.err = readWrites(f.Files, a, f.topic.Asset)
		if fd.err != nil {
			f.unknown = append(f.unknown, "pipeline file "+a.File+": "+fd.err.Error())
		}
		out = append(out, fd)
	}
	return out
}

// readWrites returns the writes of a pipeline's file that go, or may go, to the
// topic.
func readWrites(files FileReader, a, topic lineage.Asset) ([]TopicWrite, error) {
	if files == nil {
		return nil, errNoFiles
	}
	text, err := files.ReadFile(a.Root, a.File)
	if err != nil {
		return nil, err
	}
	all, err := ParsePipeline(text)
	if err != nil {
		return nil, err
	}
	var out []TopicWrite
	for _, w := range all {
		if w.interpolated() || named(topic, w.Topic) {
			out = append(out, w)
		}
	}
	return out, nil
}
