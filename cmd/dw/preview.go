package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"dw/checks"
)

// previewCommand says how often a check would have spoken before it is switched
// on.
func previewCommand() *cobra.Command {
	var path, judge string
	var asJSON bool
	var days int
	cmd := &cobra.Command{
		Use:   "preview NAME",
		Short: "Say how often a check that uses history would have spoken in the past",
		Long: "Judges each bucket of the last days by those before it, and lists the messages that would have been sent,\n" +
			"at most one in 24 hours. Nothing is recorded. Exit code 2: the question could not be asked.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			project, err := loadOffline(path)
			if err != nil {
				return err
			}
			defer project.Close() //nolint:errcheck // only read
			p, err := project.Preview(cmd.Context(), names[0], days, judge)
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), p)
			}
			return printPreview(cmd.OutOrStdout(), p)
		},
	}
	configFlag(cmd, &path)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().IntVar(&days, "days", checks.DefaultPreviewDays, "days before now, 1 to 90")
	cmd.Flags().StringVar(&judge, "judge", "", "judge by weeks or by detector, whatever the check says")
	return cmd
}

func printPreview(out io.Writer, p checks.Preview) error {
	days := p.To.Sub(p.From).Hours() / 24
	_, err := fmt.Fprintf(out, "%s, judged by %s, would have spoken %d times in %.0f days, from %s to %s\n",
		p.Check, p.Judge, len(p.Messages), days, p.From.UTC().Format(time.DateOnly), p.To.UTC().Format(time.DateOnly))
	if p.Learning > 0 {
		fmt.Fprintf(out, "%d of %d buckets had too little history before them and were not judged\n", p.Learning, p.Buckets+p.Learning)
	}
	for _, m := range p.Messages {
		fmt.Fprintf(out, "%s  %s\n", m.At.Format("2006-01-02 15:04"), m.Text)
	}
	return err
}
