package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dw/checks"
	"dw/lineage"
)

func blastCommand() *cobra.Command {
	var flags graphFlags
	var change changeFlags
	cmd := &cobra.Command{
		Use:   "blast ASSET[.COLUMN]",
		Short: "Say who is harmed first if an asset is wrong, and when; exit code 3 if it is unknown",
		Long: "Says who is harmed first if an asset is wrong, and when. With --drop, --rename, --type or --values it says what such a\n" +
			"change of the asset, or of its column, breaks, changes and leaves alone. Exit code 3 if the asset is unknown.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := flags.about(cmd, args[0], change.column != "")
			if err != nil {
				return err
			}
			if q.column != "" {
				change.column = q.column
			}
			graph, asset, now := q.graph, q.asset, q.now
			if c, asked, err := change.of(asset.ID); asked || err != nil && q.column == "" {
				return printChange(cmd.OutOrStdout(), graph, c, err, flags.asJSON)
			}
			radius, err := graph.BlastRadius(asset.ID, lineage.BlastOptions{Now: now, Due: checks.Due})
			if err == nil && q.column != "" {
				radius, err = graph.OnlyColumn(radius, q.column)
			}
			if err != nil {
				return assetError(err)
			}
			if flags.asJSON {
				return printJSON(cmd.OutOrStdout(), radius)
			}
			fmt.Fprintln(cmd.OutOrStdout(), lineage.OneLine(radius, now))
			for _, line := range radius.Lines(now) {
				fmt.Fprintln(cmd.OutOrStdout(), "  "+line)
			}
			return nil
		},
	}
	flags.add(cmd)
	change.add(cmd)
	return cmd
}
