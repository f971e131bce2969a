package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dw/checks"
)

func checkCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "check", Short: "Ask the warehouse"}
	var path string
	var asJSON bool
	run := &cobra.Command{
		Use:   "run [NAME...]",
		Short: "Run checks now: exit code 0 all passed, 1 some failed, 2 could not be asked",
		Long: "Runs the named checks, or all, and prints what each found. Nothing is recorded and no incident is opened.\n" +
			"A dead_letter check counts every row, since no earlier run is known here.",
		RunE: func(cmd *cobra.Command, names []string) error {
			project, err := loadOffline(path)
			if err != nil {
				return err
			}
			defer project.Close() //nolint:errcheck // only read
			results, err := project.RunChecks(cmd.Context(), names)
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			if err := printResults(cmd.OutOrStdout(), results, asJSON); err != nil {
				return err
			}
			return resultsExit(results)
		},
	}
	configFlag(run, &path)
	jsonFlag(run, &asJSON)
	cmd.AddCommand(run, previewCommand())
	return cmd
}

func printResults(out io.Writer, results []checks.Result, asJSON bool) error {
	if asJSON {
		return printJSON(out, results)
	}
	for _, r := range results {
		fmt.Fprintf(out, "%-8s %s: %s", r.Status, r.Check, r.Message)
		if r.Problem != "" {
			fmt.Fprintf(out, " (%s)", r.Problem)
		}
		fmt.Fprintln(out)
	}
	return nil
}

// resultsExit turns results into an exit code: what could not be asked weighs
// more than what failed, for it is no answer at all.
func resultsExit(results []checks.Result) error {
	code := 0
	for _, r := range results {
		switch r.Status {
		case checks.Error, checks.Skipped:
			code = exitUnasked
		case checks.Fail, checks.Late:
			code = max(code, exitFailed)
		}
	}
	if code == 0 {
		return nil
	}
	return &exitError{code: code}
}
