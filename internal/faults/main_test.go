package main

import (
	"strings"
	"testing"
)

// Every scenario has a test in the tree, so that `make test` plays all of them.
func TestEveryScenarioHasATest(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	if err := run(t.Context(), "../..", false, &list); err != nil {
		t.Errorf("%v\n%s", err, list.String())
	}
}

// A scenario without a test is named, as is one whose only test was skipped.
func TestMissingScenarioIsNamed(t *testing.T) {
	t.Parallel()
	tests, err := find("../..")
	if err != nil {
		t.Fatal(err)
	}
	some := tests[:0:0]
	skipped := map[test]string{}
	for _, one := range tests {
		switch one.scenario() {
		case 4:
		case 6:
			skipped[one] = "skip"
			some = append(some, one)
		default:
			some = append(some, one)
		}
	}
	got := report(&strings.Builder{}, some, skipped)
	if got == nil || !strings.Contains(got.Error(), "scenario 4 ") || !strings.Contains(got.Error(), "scenario 6 ") || strings.Contains(got.Error(), "scenario 5 ") {
		t.Errorf("got %v, want that 4 and 6 have none", got)
	}
}
