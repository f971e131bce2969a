package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// event is one line of `go test -json`.
type event struct {
	Action, Package, Test, Output string
}

// runTests runs the tests of each package and returns how each ended: pass, skip
// or fail. The error tells which failed, with what they printed.
func runTests(ctx context.Context, root string, tests []test) (map[test]string, error) {
	var pkgs []string
	for _, t := range tests {
		pkgs = append(pkgs, t.pkg)
	}
	slices.Sort(pkgs)
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-count=1", "-json", "-run", "^TestFault"}, slices.Compact(pkgs)...)...) //nolint:gosec // go, on packages of this repository
	var stdout bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, &stdout, os.Stderr
	ran := cmd.Run()
	results, said, err := read(&stdout)
	failed := errors.Join(ran, err)
	if failed == nil {
		return results, nil
	}
	for t, how := range results {
		if how == "fail" {
			failed = errors.Join(failed, fmt.Errorf("%s %s\n%s", t.pkg, t.name, said[t]))
		}
	}
	return results, errors.Join(failed, errors.New(said[test{}]))
}

// read reads the events; said is what each test printed, of the packages
// themselves under the empty test.
func read(from io.Reader) (results map[test]string, said map[test]string, err error) {
	results, said = map[test]string{}, map[test]string{}
	for decoder := json.NewDecoder(from); ; {
		var e event
		if err := decoder.Decode(&e); errors.Is(err, io.EOF) {
			return results, said, nil
		} else if err != nil {
			return results, said, fmt.Errorf("read the output of go test: %w", err)
		}
		name, sub, _ := strings.Cut(e.Test, "/")
		t := test{"./" + strings.TrimPrefix(e.Package, "dw/"), name}
		switch e.Action {
		case "output":
			if name == "" {
				t = test{}
			}
			said[t] += e.Output
		case "pass", "fail", "skip":
			if name != "" && sub == "" {
				results[t] = e.Action
			}
		}
	}
}
