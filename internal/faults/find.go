package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// test is one test function of a package, "./store".
type test struct{ pkg, name string }

var declared = regexp.MustCompile(`(?m)^func (TestFault\d\d\w*)\(t \*testing\.T\)`)

// scenario is the number in the test's name.
func (t test) scenario() int {
	n, _ := strconv.Atoi(t.name[len("TestFault") : len("TestFault")+2]) // two digits, by declared
	return n
}

// find reads the names of the tests from the files below root.
func find(root string) ([]test, error) {
	var all []test
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(d.Name()):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		found, err := testsOf(root, path)
		all = append(all, found...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the tests: %w", err)
	}
	slices.SortFunc(all, func(a, b test) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.pkg, b.pkg)) })
	return all, nil
}

// skipped are folders without tests of dw.
func skipped(name string) bool {
	return name == ".git" || name == "testdata" || name == "node_modules" || name == "tools"
}

func testsOf(root, path string) ([]test, error) {
	if matched, _ := filepath.Match("*_test.go", filepath.Base(path)); !matched {
		return nil, nil
	}
	content, err := os.ReadFile(path) //nolint:gosec // the tests of this repository
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	var out []test
	for _, m := range declared.FindAllSubmatch(content, -1) {
		out = append(out, test{"./" + filepath.ToSlash(dir), string(m[1])})
	}
	return out, nil
}
