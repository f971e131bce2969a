package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"dw/app/importer"
)

func importCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Turn the tests of dbt, Soda or Elementary into checks",
		Long: "Writes the list `checks` for dw's configuration to standard output, and to standard error each test that\n" +
			"became no check, with the reason. Nothing is asked of a database.",
	}
	cmd.AddCommand(
		importOf("dbt MANIFEST", "From a dbt manifest.json: dbt's tests, dbt_utils, dbt_expectations and queries", importer.DBT),
		importOf("elementary MANIFEST", "From a dbt manifest.json: the tests of Elementary's package", importer.Elementary),
		importOf("soda FILE", "From a file of SodaCL", importer.Soda),
	)
	return cmd
}

func importOf(use, short string, read func([]byte, importer.Options) (importer.Report, error)) *cobra.Command {
	var o importer.Options
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			content, err := os.ReadFile(args[0])
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			report, err := read(content, o)
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			text, err := report.YAML()
			if err != nil {
				return err
			}
			fmt.Fprint(cmd.OutOrStdout(), text)
			fmt.Fprintf(cmd.ErrOrStderr(), "%d checks, %d tests left out\n", len(report.Checks), len(report.Skipped))
			for _, s := range report.Skipped {
				fmt.Fprintf(cmd.ErrOrStderr(), "left out: %s: %s\n", s.Name, s.Why)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Connection, "connection", "warehouse", "connection of the checks")
	cmd.Flags().StringVar(&o.Schedule, "schedule", "@daily", "schedule of the checks")
	return cmd
}
