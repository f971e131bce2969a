package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dw/workflows"
)

func recordCommand() *cobra.Command {
	var flags logFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use: "record DOMAIN", Short: "What dw proposed in a domain or would have, and what came of it, counted from its receipts", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			log, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer log.Close() //nolint:errcheck // only read
			record, err := log.Record(cmd.Context(), args[0], time.Now())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), record)
			}
			return printRecord(cmd.OutOrStdout(), record)
		},
	}
	flags.add(cmd)
	jsonFlag(cmd, &asJSON)
	return cmd
}

// printRecord writes each number with the receipts it was counted from.
func printRecord(out io.Writer, r workflows.Record) error {
	if len(r.Classes) == 0 {
		_, err := fmt.Fprintf(out, "%s: nothing was proposed, and nothing would have been, in receipts 1 to %d; an empty record says nothing about how good dw would be\n", oneLine(r.Domain), r.Head)
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "playbook\twhat\tcount\treceipts\tnewest (UTC)")
	for _, c := range r.Classes {
		for _, row := range []struct {
			what  string
			tally workflows.Tally
		}{
			{"proposed", c.Proposed},
			{"approved unchanged", c.Approved},
			{"done by itself", c.ByItself},
			{"rejected", c.Rejected},
			{"expired", c.Expired},
			{"verified", c.Verified},
			{"failed", c.Failed},
			{"rolled back", c.RolledBack},
			{"would have been proposed", c.WouldPropose},
			{"of those incidents, resolved", c.WouldResolved},
		} {
			fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", oneLine(c.Class), row.what, row.tally.Count, tallySource(row.tally))
		}
		for _, row := range []struct {
			what   string
			spread workflows.Spread
		}{{"to approved fix", c.ToFix}, {"to resolved", c.ToResolved}} {
			if row.spread.Count > 0 {
				fmt.Fprintf(table, "%s\t%s: median %s, worst %s\t%d\t%s\n", oneLine(c.Class), row.what,
					row.spread.Median.Round(time.Second), row.spread.Worst.Round(time.Second), row.spread.Count, tallySource(row.spread.Tally))
			}
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	return nil
}

func tallySource(t workflows.Tally) string {
	if t.Count == 0 {
		return "-\t-"
	}
	return fmt.Sprintf("%d to %d\t%s", t.First, t.Last, t.Newest.UTC().Format(time.DateTime))
}
