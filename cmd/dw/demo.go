package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"dw/demo"
)

func demoCommand() *cobra.Command {
	var o demo.Options
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Play the worked day on embedded parts: no account, nothing mocked inside dw",
		Long: "Builds an estate with real rows in DIR, a local Slack workspace and stand-ins of the vendors, and plays the day in story time.\n" +
			"It waits for your clicks in the browser; --auto clicks by itself and exits 0 only if what the variant promises held.\n" +
			"Exit codes: 0 played, or ended by you; 1 it could not be played, or a promise did not hold; 130 --auto was interrupted.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Out = cmd.OutOrStdout()
			return demoExit(cmd.Context(), demo.Run(cmd.Context(), o))
		},
	}
	demoFlags(cmd, &o)
	serve := &cobra.Command{
		Use:   "serve",
		Short: "Run workspace and stand-ins only; `dw run -c DIR/config.yaml` beside it plays the same day",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Out = cmd.OutOrStdout()
			return demoExit(cmd.Context(), demo.Serve(cmd.Context(), o))
		},
	}
	demoFlags(serve, &o)
	cmd.AddCommand(serve)
	return cmd
}

// demoExit gives an interrupted --auto the code of an interrupt, and what went
// wrong its own, so that neither looks like a day that held.
func demoExit(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return &exitError{exitInterrupted, errors.New("interrupted before the day had ended")}
	default:
		return &exitError{exitFailed, err}
	}
}

func demoFlags(cmd *cobra.Command, o *demo.Options) {
	cmd.Flags().StringVar(&o.Dir, "dir", "", "folder for all that the demo makes (default: a new temporary one)")
	cmd.Flags().StringVar(&o.Listen, "listen", "127.0.0.1:0", "address of the workspace's page")
	cmd.Flags().BoolVar(&o.Auto, "auto", false, "click by itself")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print the timeline as JSON, one object a line")
	cmd.Flags().StringVar(&o.Variant, "variant", "", "one of "+strings.Join(demo.Variants(), ", ")+" (default: the first)")
	cmd.Flags().StringVar(&o.Store, "store", "", "DSN of an empty PostgreSQL database for dw's own state (default: dw.db in DIR)")
	cmd.Flags().StringVar(&o.NamesFile, "names", "", "JSON object, story name to new name")
}
