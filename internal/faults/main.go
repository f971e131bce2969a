// Command faults plays the faults that dw must survive and says which test holds
// which scenario. It fails where a scenario has no test, or a test fails:
//
//	go run ./internal/faults        list the tests, run nothing
//	go run ./internal/faults -run   run them
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	play := flag.Bool("run", false, "run the tests")
	flag.Parse()
	if err := run(context.Background(), ".", *play, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root string, play bool, out io.Writer) error {
	tests, err := find(root)
	if err != nil {
		return err
	}
	results := map[test]string{}
	var failed error
	if play {
		if results, failed = runTests(ctx, root, tests); failed != nil {
			failed = fmt.Errorf("a fault is not survived: %w", failed)
		}
	}
	return errors.Join(failed, report(out, tests, results))
}

// report prints each scenario with its tests, and is an error where one has none.
func report(out io.Writer, tests []test, results map[test]string) error {
	var missing error
	for _, s := range scenarios() {
		fmt.Fprintf(out, "%2d  %s\n", s.number, s.what)
		held := false
		for _, t := range tests {
			if t.scenario() != s.number {
				continue
			}
			held = held || results[t] != "skip"
			fmt.Fprintf(out, "      %-4s  %s %s\n", results[t], t.pkg, t.name)
		}
		if !held {
			missing = errors.Join(missing, fmt.Errorf("no test holds scenario %d (%s): name one TestFault%02d", s.number, s.what, s.number))
		}
	}
	return missing
}
