package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"dw/checks"
	"dw/lineage"
	"dw/workflows"
)

// printLines prints an answer line by line, each with its source and age.
func printLines(out io.Writer, lines []lineage.Line) {
	for _, line := range lines {
		fmt.Fprintf(out, "%-14s %s", line.Label, line.Value)
		if from := line.Sourced(); from != "" {
			fmt.Fprintf(out, "  (%s)", from)
		}
		fmt.Fprintln(out)
	}
}

// question makes the command of a question that one asset is asked about.
func question(name, short string, answer func(*graphFlags, *cobra.Command, *lineage.Graph, lineage.AssetID, time.Time) (lineage.Answer, error)) *cobra.Command {
	var flags graphFlags
	cmd := &cobra.Command{
		Use:   name + " ASSET",
		Short: short + "; exit code 3 if it is unknown",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			graph, asset, now, err := flags.asset(cmd, args[0])
			if err != nil {
				return err
			}
			found, err := answer(&flags, cmd, graph, asset.ID, now)
			if err != nil {
				return assetError(err)
			}
			if flags.asJSON {
				return printJSON(cmd.OutOrStdout(), found)
			}
			printLines(cmd.OutOrStdout(), found.Lines)
			return nil
		},
	}
	flags.add(cmd)
	return cmd
}

func ownerCommand() *cobra.Command {
	return question("owner", "Say who owns an asset, and who may know where nobody does",
		func(_ *graphFlags, _ *cobra.Command, g *lineage.Graph, id lineage.AssetID, now time.Time) (lineage.Answer, error) {
			return g.OwnersOf(id, now)
		})
}

func slaCommand() *cobra.Command {
	return question("sla", "Say by when an asset must be right, and what is promised below it",
		func(_ *graphFlags, _ *cobra.Command, g *lineage.Graph, id lineage.AssetID, now time.Time) (lineage.Answer, error) {
			return g.SLAOf(id, lineage.BlastOptions{Now: now, Due: checks.Due})
		})
}

func freshCommand() *cobra.Command {
	return question("fresh", "Say whether an asset is fresh, and when it was last fed",
		func(f *graphFlags, cmd *cobra.Command, g *lineage.Graph, id lineage.AssetID, now time.Time) (lineage.Answer, error) {
			return g.FreshOf(id, now, workflows.FreshLines(f.seen(cmd, id))...)
		})
}
