package segment

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// ReadLeaves reads CSV whose columns are dimensions, expected and actual, with a
// header, in any order. A number that is none, negative or endless, and a leaf
// that comes twice are errors.
func ReadLeaves(in io.Reader) (dimensions []string, leaves []Leaf, err error) {
	r := csv.NewReader(in)
	header, err := r.Read()
	if err != nil {
		return nil, nil, fmt.Errorf("read the header: %w", err)
	}
	expected, actual := slices.Index(header, "expected"), slices.Index(header, "actual")
	if expected < 0 || actual < 0 || len(header) < 3 {
		return nil, nil, errors.New("the header must name dimensions, expected and actual")
	}
	for i, name := range header {
		if i != expected && i != actual {
			dimensions = append(dimensions, name)
		}
	}
	seen := map[string]bool{}
	for line := 2; ; line++ {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return dimensions, leaves, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read the leaves: %w", err)
		}
		leaf, err := readLeaf(record, expected, actual)
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", line, err)
		}
		key := fmt.Sprintf("%q", leaf.Values)
		if seen[key] {
			return nil, nil, fmt.Errorf("line %d: the leaf %s stands there before", line, key)
		}
		seen[key] = true
		leaves = append(leaves, leaf)
	}
}

func readLeaf(record []string, expected, actual int) (Leaf, error) {
	var leaf Leaf
	for i, field := range record {
		if i != expected && i != actual {
			leaf.Values = append(leaf.Values, field)
			continue
		}
		number, err := strconv.ParseFloat(field, 64)
		if err != nil || math.IsNaN(number) || math.IsInf(number, 0) || number < 0 {
			return Leaf{}, fmt.Errorf("%q is not a number of rows", field)
		}
		if i == expected {
			leaf.Expected = number
		} else {
			leaf.Actual = number
		}
	}
	return leaf, nil
}
