package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"dw/lineage/cases"
	"dw/lineage/columns"
)

func benchLineageCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "lineage FILE.jsonl",
		Short: "Answer cases of lineage read out of SQL; count what is wrong and what is missing",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := benchLineage(cmd.Context(), args[0])
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), report)
			}
			printCases(cmd.OutOrStdout(), report)
			return nil
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func benchLineage(ctx context.Context, path string) (_ cases.Report, err error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return cases.Report{}, fmt.Errorf("read the cases: %w", err)
	}
	defer file.Close() //nolint:errcheck // only read
	worker, reader, err := sqlReader()
	if err != nil {
		return cases.Report{}, err
	}
	defer func() { err = errors.Join(err, worker.Close()) }()
	report, err := cases.Run(ctx, file, reader)
	if err != nil {
		return cases.Report{}, fmt.Errorf("%s: %w", path, err)
	}
	return report, nil
}

func printCases(out io.Writer, report cases.Report) {
	for _, s := range report.Scores {
		if !s.Asked {
			fmt.Fprintf(out, "%-12s %-18s %d cases, none answered: %s\n", s.Set, s.Kind, s.Cases, columns.NoEngine)
			continue
		}
		fmt.Fprintf(out, "%-12s %-18s %d of %d exact (%.3f); %s: %d right, %d wrong (of %d it says that the table is not known), %d missing\n",
			s.Set, s.Kind, s.Exact, s.Answers, s.Share(), what(s.Kind), s.Right, s.Wrong, s.Unknown, s.Missing)
	}
	for _, m := range report.Misses {
		fmt.Fprintf(out, "  %s: wrong %s; missing %s\n", m.Class, listed(m.Wrong), listed(m.Missing))
	}
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return fmt.Sprintf("%q", strings.Join(names, ", "))
}

// what is counted of a kind of case.
func what(kind string) string {
	if kind == cases.KindTables {
		return "tables"
	}
	return "columns"
}
