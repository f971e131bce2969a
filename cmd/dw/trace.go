package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dw/lineage"
)

// traced is the answer of `dw trace` in JSON.
type traced struct {
	Asset lineage.AssetID `json:"asset"`
	Up    []lineage.Step  `json:"up,omitempty"`
	Down  []lineage.Step  `json:"down,omitempty"`
}

func traceCommand() *cobra.Command {
	var flags graphFlags
	var up, down bool
	var depth int
	cmd := &cobra.Command{
		Use:   "trace ASSET[.COLUMN]",
		Short: "List all that feeds an asset or a column and all that it feeds, nearest first; exit code 3 if it is unknown",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if depth < 0 {
				return &exitError{exitUnasked, errors.New("--depth is 1 or more, or 0 for no limit")}
			}
			q, err := flags.about(cmd, args[0], false)
			if err != nil {
				return err
			}
			if q.column != "" {
				return traceColumn(cmd.OutOrStdout(), q, up || !down, down || !up, depth, flags.asJSON)
			}
			graph, asset, now := q.graph, q.asset, q.now
			answer := traced{Asset: asset.ID}
			if up || !down {
				if answer.Up, err = graph.Trace(asset.ID, true, depth); err != nil {
					return assetError(err)
				}
			}
			if down || !up {
				if answer.Down, err = graph.Trace(asset.ID, false, depth); err != nil {
					return assetError(err)
				}
			}
			if flags.asJSON {
				return printJSON(cmd.OutOrStdout(), answer)
			}
			printSteps(cmd.OutOrStdout(), "fed by", up || !down, answer.Up, now)
			printSteps(cmd.OutOrStdout(), "feeds", down || !up, answer.Down, now)
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&up, "up", false, "only what feeds it")
	cmd.Flags().BoolVar(&down, "down", false, "only what it feeds")
	cmd.Flags().IntVar(&depth, "depth", 0, "edges to follow; 0 is no limit")
	return cmd
}

// printSteps lists one direction, indented by the distance.
func printSteps(out io.Writer, label string, asked bool, steps []lineage.Step, now time.Time) {
	if !asked {
		return
	}
	fmt.Fprintf(out, "%s: %d\n", label, len(steps))
	for _, step := range steps {
		mark := ""
		if step.Via.Seen.Old(now) {
			mark = ", " + step.Via.Seen.Age(now) + " old: may be gone"
		}
		fmt.Fprintf(out, "%s%s  (%s%s)\n", strings.Repeat("  ", step.Depth), step.Asset, step.Via.Seen.Source, mark)
	}
}
