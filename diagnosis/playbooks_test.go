package diagnosis

import (
	"slices"
	"strings"
	"testing"
)

// TestPlaybooks: what a domain can open is holds, reruns and checks, never a step
// that changes a file.
func TestPlaybooks(t *testing.T) {
	t.Parallel()
	got := Playbooks()
	if !slices.Contains(got, CauseMissingWireFormat+"/hold") {
		t.Errorf("%v lacks the hold of jobs that pay", got)
	}
	for _, name := range got {
		cause, key, _ := strings.Cut(name, "/")
		class, known := classOf(cause)
		at := slices.IndexFunc(class.Plan, func(p ProposalTemplate) bool { return p.Key == key })
		if !known || at < 0 {
			t.Errorf("%s is not in the catalogue", name)
			continue
		}
		for _, step := range class.Plan[at].Steps {
			if step == "union_dead_letter" || step == "encode_before_output" {
				t.Errorf("%s changes a file by %s", name, step)
			}
		}
	}
}
