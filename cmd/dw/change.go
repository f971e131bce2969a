package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dw/lineage"
)

// changeFlags say which change of an asset is asked about.
type changeFlags struct {
	column                       string
	drop, rename, ofType, values bool
}

func (f *changeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.column, "column", "", "the column that is changed; without it the whole asset is")
	cmd.Flags().BoolVar(&f.drop, "drop", false, "what breaks if it is dropped")
	cmd.Flags().BoolVar(&f.rename, "rename", false, "what breaks if it is renamed")
	cmd.Flags().BoolVar(&f.ofType, "type", false, "what changes if the column's type does")
	cmd.Flags().BoolVar(&f.values, "values", false, "what changes if its values do")
	cmd.MarkFlagsMutuallyExclusive("drop", "rename", "type", "values")
}

// of returns the change that is asked about, and whether one is.
func (f *changeFlags) of(asset lineage.AssetID) (lineage.Change, bool, error) {
	c := lineage.Change{Asset: asset, Column: f.column}
	switch {
	case f.drop:
		c.Kind = lineage.ChangeDrop
	case f.rename:
		c.Kind = lineage.ChangeRename
	case f.ofType:
		c.Kind = lineage.ChangeType
	case f.values:
		c.Kind = lineage.ChangeValues
	case f.column != "":
		return c, false, &exitError{exitUnasked, errors.New("--column needs --drop, --rename, --type or --values")}
	default:
		return c, false, nil
	}
	return c, true, nil
}

// printChange answers what a change does.
func printChange(out io.Writer, graph *lineage.Graph, c lineage.Change, err error, asJSON bool) error {
	if err != nil {
		return err
	}
	answer, err := graph.ChangeImpact(c)
	if err != nil {
		return &exitError{exitUnasked, err}
	}
	if asJSON {
		return printJSON(out, answer)
	}
	fmt.Fprintf(out, "%d break, %d change, %d are unaffected", answer.Counts[lineage.OutcomeBreaks],
		answer.Counts[lineage.OutcomeChanges], answer.Counts[lineage.OutcomeUnaffected])
	if answer.Unsure > 0 {
		fmt.Fprintf(out, "; of %d no source says which columns they read, the worst is assumed", answer.Unsure)
	}
	fmt.Fprintln(out)
	printImpacts(out, answer.Impacts)
	return nil
}

func printImpacts(out io.Writer, impacts []lineage.Impact) {
	for _, i := range impacts {
		owner := "no owner known"
		if i.Owner != "" {
			owner = "owner " + fmt.Sprintf("%q", i.Owner)
		}
		fmt.Fprintf(out, "  %-10s %s %q: %q (%s)\n", i.Outcome, i.Kind, i.Name, i.Why, owner)
	}
}
