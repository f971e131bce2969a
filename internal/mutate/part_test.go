package main

import (
	"slices"
	"testing"
)

// TestPart: the parts together are all patches, each once; anything else is refused.
func TestPart(t *testing.T) {
	t.Parallel()
	all := []string{"a", "b", "c", "d", "e", "f", "g"}
	var tried []string
	for _, text := range []string{"1/3", "2/3", "3/3"} {
		taken, err := part(all, text)
		if err != nil {
			t.Fatal(err)
		}
		tried = append(tried, taken...)
	}
	slices.Sort(tried)
	if !slices.Equal(tried, all) {
		t.Errorf("the parts are %v", tried)
	}
	for _, text := range []string{"", "0/3", "4/3", "x", "1"} {
		if _, err := part(all, text); err == nil {
			t.Errorf("%q is taken for a part", text)
		}
	}
}
