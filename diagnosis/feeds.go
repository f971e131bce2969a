package diagnosis

import (
	"fmt"
	"slices"
	"strings"
)

// pipelineWithoutEncoder asks the files that feed the topic. It fails only when
// every file was read and none sends values that were not encoded.
func pipelineWithoutEncoder(f *facts) finding {
	if len(f.pipelines) == 0 {
		return finding{says: "no pipeline file that feeds the topic is known"}
	}
	if fd, w, ok := f.culprit(); ok {
		name := fd.asset.File
		return finding{is: holds, says: fmt.Sprintf("%s: %s", name, w.Why), evidence: []Evidence{{
			System: "pipeline file", What: fmt.Sprintf("output %s of %s to %s: %s", w.Output, label(fd.asset.Asset), w.Topic, w.Why),
			Value: "without " + encoder, At: f.now, Source: fmt.Sprintf("%s line %d", name, w.Line),
		}}}
	}
	var clear, open []string
	for _, fd := range f.pipelines {
		why, settled := fd.state()
		if settled {
			clear = append(clear, why)
		} else {
			open = append(open, why)
		}
	}
	if len(open) > 0 {
		return finding{says: strings.Join(open, "; ")}
	}
	return finding{is: fails, says: strings.Join(clear, "; ")}
}

// state says what a file without a culprit does, and whether that is settled.
func (fd feed) state() (string, bool) {
	name := fd.asset.File
	if fd.err != nil {
		return name + " could not be read: " + fd.err.Error(), false
	}
	for _, w := range fd.writes {
		switch {
		case w.interpolated():
			return fmt.Sprintf("%s line %d: the topic %q is only known when it runs", name, w.Line, w.Topic), false
		case w.Coding == CodingUnknown:
			return fmt.Sprintf("%s line %d: %s", name, w.Line, w.Why), false
		}
	}
	if len(fd.writes) == 0 {
		return name + " has no output to the topic", true
	}
	return fmt.Sprintf("%s sends no unencoded value to the topic (%s)", name, fd.writes[0].Why), true
}

// culprit finds the write that sends values without the wire format. Of several
// files, the one that the segment or a change event names comes first.
func (f *facts) culprit() (feed, TopicWrite, bool) {
	type suspect struct {
		fd    feed
		w     TopicWrite
		score float64
	}
	var found []suspect
	for _, fd := range f.pipelines {
		for _, w := range fd.writes {
			if !w.interpolated() && (w.Coding == CodingRaw || w.Coding == CodingRewritten) {
				found = append(found, suspect{fd, w, f.suspicion(fd)})
			}
		}
	}
	if len(found) == 0 {
		return feed{}, TopicWrite{}, false
	}
	best := slices.MaxFunc(found, func(a, b suspect) int {
		switch {
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return 0
	})
	return best.fd, best.w, true
}

func (f *facts) suspicion(fd feed) float64 {
	var s float64
	for _, c := range f.Changes {
		if named(fd.asset.Asset, c.Asset) {
			s = max(s, f.weigh(c).score)
		}
	}
	a := fd.asset
	var words strings.Builder
	words.WriteString(strings.Join(append([]string{string(a.ID), a.Name, a.File, a.Description}, a.Aliases...), " "))
	for _, v := range a.Properties {
		words.WriteString(" " + v)
	}
	if f.Segments != nil && mentions(words.String(), f.Segments.Value) {
		s++
	}
	return s
}

// mentions compares letters and digits only, so that "north west", "north-west"
// and "north_west" are one word.
func mentions(words, value string) bool {
	value = plain(value)
	return len(value) > 1 && strings.Contains(plain(words), value)
}

func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -_./", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
}
