package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"dw/app"
	"dw/intake/metrics"
)

func metricCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "metric", Short: "Hand dw numbers of your own, which checks judge"}
	var path, at, url string
	var asJSON bool
	push := &cobra.Command{
		Use:   "push NAME VALUE",
		Short: "Send one value of a metric to the running dw",
		Long: "Sends a value to the dw that runs with this configuration, as POST /intake/metrics would. A check reads it over a\n" +
			"connection of kind pushed, as table NAME with the columns at and value. The first value at a time stays: sending the\n" +
			"same again changes nothing, and another value at that time is told and left out (exit code 1).",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			project, err := loadOffline(path)
			if err != nil {
				return err
			}
			defer project.Close() //nolint:errcheck // only read
			value, err := metricOf(args, at, project.Now())
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			answer, err := app.PushMetrics(cmd.Context(), project.Config, url, []metrics.Value{value})
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			if asJSON {
				if err := printJSON(cmd.OutOrStdout(), answer); err != nil {
					return err
				}
			} else {
				fmt.Fprintf(cmd.OutOrStdout(), "%d recorded, %d known before\n", answer.Recorded, answer.Known)
			}
			if answer.Other > 0 {
				return &exitError{exitFailed, fmt.Errorf("%s has another value at %s, which stays", value.Metric, value.At.Format(time.RFC3339Nano))}
			}
			return nil
		},
	}
	configFlag(push, &path)
	jsonFlag(push, &asJSON)
	push.Flags().StringVar(&at, "at", "", "when the value was true, such as 2026-10-01T12:00:00Z (default: now)")
	push.Flags().StringVar(&url, "url", "", "address of the running dw (default server.listen)")
	cmd.AddCommand(push)
	return cmd
}

// metricOf reads a value as it is typed.
func metricOf(args []string, at string, now time.Time) (metrics.Value, error) {
	v := metrics.Value{Metric: args[0], At: now.UTC()}
	if err := metrics.CheckName(v.Metric); err != nil {
		return v, err
	}
	var err error
	if v.Value, err = strconv.ParseFloat(args[1], 64); err != nil {
		return v, fmt.Errorf("%q is no number", args[1])
	}
	if at != "" {
		if v.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
			return v, fmt.Errorf("--at %q is no time such as 2026-10-01T12:00:00Z", at)
		}
	}
	return v, nil
}
