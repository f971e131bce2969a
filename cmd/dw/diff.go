package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dw/app"
	"dw/lineage"
)

func graphDiffCommand() *cobra.Command {
	var flags graphFlags
	var against, againstCatalog string
	cmd := &cobra.Command{
		Use:   "diff --manifest NEW --against OLD",
		Short: "Say what a newer manifest breaks and changes below; exit code 1 if something breaks",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.manifest == "" || against == "" {
				return &exitError{exitUnasked, errors.New("give two manifests: --manifest NEW and --against OLD")}
			}
			newer, _, err := flags.load(cmd)
			if err != nil {
				return err
			}
			older, err := app.GraphOfManifest(against, againstCatalog)
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			diff, err := older.Diff(newer)
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			if flags.asJSON {
				err = printJSON(cmd.OutOrStdout(), diff)
			} else {
				printDiff(cmd.OutOrStdout(), diff)
			}
			if err == nil && diff.Counts[lineage.OutcomeBreaks] > 0 {
				return &exitError{code: exitFailed}
			}
			return err
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&against, "against", "", "the older dbt manifest.json")
	cmd.Flags().StringVar(&againstCatalog, "against-catalog", "", "the catalog.json beside it")
	return cmd
}

func printDiff(out io.Writer, d lineage.Diff) {
	fmt.Fprintf(out, "%d changes, %d assets added: below them %d break, %d change, %d are unaffected\n", len(d.Differences), len(d.Added),
		d.Counts[lineage.OutcomeBreaks], d.Counts[lineage.OutcomeChanges], d.Counts[lineage.OutcomeUnaffected])
	for _, one := range d.Differences {
		what := fmt.Sprintf("%q", string(one.Change.Asset))
		if one.Change.Column != "" {
			what += fmt.Sprintf(", column %q", one.Change.Column)
		}
		fmt.Fprintf(out, "  %-8s %s: %q\n", one.Change.Kind, what, one.Why)
	}
	printImpacts(out, d.Worst)
}
