package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dw/workflows"
)

func historyCommand() *cobra.Command {
	var configFile string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history ASSET|INCIDENT",
		Short: "Past incidents of an asset, or like an incident: when, why, what ended them, how long; exit code 3 if the asset is unknown",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			project, err := loadOffline(configFile)
			if err != nil {
				return err
			}
			defer project.Close() //nolint:errcheck // only read
			if err := project.AddStored(cmd.Context()); err != nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "what events have stated is left out:", err)
			}
			history, err := project.History(cmd.Context(), args[0])
			if err != nil {
				return assetError(err)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), history)
			}
			printHistory(cmd.OutOrStdout(), history, project.Zone)
			return nil
		},
	}
	cmd.Flags().StringVarP(&configFile, "config", "c", "config.yaml", "configuration file")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// printHistory writes a line for each past incident, most alike first.
func printHistory(out io.Writer, h workflows.History, zone *time.Location) {
	if len(h.Past) == 0 {
		fmt.Fprintf(out, "no incident like %s is known\n", oneLine(h.Of))
		return
	}
	for _, p := range h.Past {
		why, took := "no cause named", ""
		if p.Title != "" {
			why = p.Title
		}
		for _, dimension := range slices.Sorted(maps.Keys(p.Segment)) {
			why += " " + dimension + "=" + p.Segment[dimension]
		}
		if p.State == workflows.Resolved {
			took = ", took " + p.Took.Round(time.Minute).String()
		}
		fmt.Fprintln(out, oneLine(fmt.Sprintf("%s  %s  %s: %s; %s%s  (same %s)",
			p.ID, p.OpenedAt.In(zone).Format("2006-01-02 15:04"), p.Subject, why, p.Ended(), took, strings.Join(p.Same, ", "))))
	}
	if left := h.All - len(h.Past); left > 0 {
		fmt.Fprintf(out, "and %d more\n", left)
	}
}
