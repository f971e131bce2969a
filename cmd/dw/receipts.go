package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dw/app"
	"dw/blocks"
	"dw/receipts"
)

// logFlags are where a command reads receipts from.
type logFlags struct{ config, db, key string }

func (f *logFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.config, "config", "c", "", "configuration file")
	cmd.Flags().StringVar(&f.db, "db", "", "dw's database, instead of a configuration")
	cmd.MarkFlagsMutuallyExclusive("config", "db")
}

func (f *logFlags) open(cmd *cobra.Command) (*app.Log, error) {
	dsn := f.db
	if dsn == "" {
		if f.config == "" {
			f.config = "config.yaml"
		}
		project, err := loadOffline(f.config)
		if err != nil {
			return nil, err
		}
		dsn = project.Config.Store.DSN.Reveal()
		if err := project.Close(); err != nil {
			return nil, err
		}
	}
	log, err := app.OpenLog(cmd.Context(), dsn)
	if err != nil {
		return nil, &exitError{receipts.CodeUnreadable, err}
	}
	return log, nil
}

func receiptsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "receipts", Short: "List, show, export and verify receipts"}
	cmd.AddCommand(receiptsListCommand(), receiptsShowCommand(), receiptsExportCommand(), receiptsBundleCommand(), receiptsVerifyCommand(), receiptsShredCommand(), receiptsRotateCommand())
	return cmd
}

func receiptsListCommand() *cobra.Command {
	var flags logFlags
	var incident string
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the newest receipts", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer log.Close() //nolint:errcheck // only read
			rows, err := log.LastReceipts(cmd.Context(), strings.ToUpper(incident), limit)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), rows)
			}
			return printReceipts(cmd.OutOrStdout(), rows)
		},
	}
	flags.add(cmd)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().StringVar(&incident, "incident", "", "only this incident's")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many at most")
	return cmd
}

// printReceipts writes a table; times to the second, in UTC as they were recorded.
func printReceipts(out io.Writer, rows []blocks.Receipt) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "seq\ttime (UTC)\tkind\tincident\tproposal\twho")
	for _, r := range rows {
		at := r.At
		if parsed, err := time.Parse(time.RFC3339Nano, at); err == nil {
			at = parsed.UTC().Format(time.DateTime)
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\n", r.Seq, at, oneLine(r.Kind), dash(r.Incident), dash(r.Proposal), oneLine(r.Who))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	return nil
}

// dash stands for nothing, so that a column is never empty.
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return oneLine(text)
}

func receiptsShowCommand() *cobra.Command {
	var flags logFlags
	cmd := &cobra.Command{
		Use: "show SEQ", Short: "Print one receipt's bytes as they are stored, and the free texts kept beside it", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			seq, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return fmt.Errorf("%q is no receipt number", args[0])
			}
			log, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer log.Close() //nolint:errcheck // only read
			entry, err := log.Receipt(cmd.Context(), seq)
			if err != nil {
				return err
			}
			texts, err := log.Texts(cmd.Context(), entry)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n", entry.Bytes)
			return printTexts(cmd.OutOrStdout(), entry, texts)
		},
	}
	flags.add(cmd)
	return cmd
}

func receiptsExportCommand() *cobra.Command {
	var flags logFlags
	var out string
	var texts bool
	cmd := &cobra.Command{
		Use: "export", Short: "Write receipts, checkpoint and public key to an empty folder", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer log.Close() //nolint:errcheck // only read
			kept, err := signedTexts(cmd, log, texts, "")
			if err != nil {
				return err
			}
			if err := log.Export(cmd.Context(), out); err != nil {
				return &exitError{receipts.CodeUnreadable, err}
			}
			if err := writeTexts(cmd, texts, kept, out); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "exported to %s; verify it with: dw receipts verify --export %s --key FILE\n", out, out)
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&out, "out", "", "folder to write to")
	textsFlag(cmd, &texts)
	_ = cmd.MarkFlagRequired("out")
	return cmd
}

func receiptsVerifyCommand() *cobra.Command {
	var flags logFlags
	var from folders
	var atLeast string
	var saved []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Verify a database, an export or a bundle",
		Long: "Exit codes: 0 good, signature checked; 1 bytes, hashes or signature disagree; 2 cannot be opened or parsed;\n" +
			"3 every receipt present verifies, but fewer than head or checkpoint say; 4 hashes good, no public key given.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report, err := verifyReport(cmd, flags, from, atLeast, saved)
			if err != nil {
				return err
			}
			if asJSON {
				if err := printJSON(cmd.OutOrStdout(), report); err != nil {
					return err
				}
			} else {
				fmt.Fprintln(cmd.OutOrStdout(), report.String())
			}
			if report.Code != receipts.CodeGood {
				return &exitError{code: report.Code}
			}
			return nil
		},
	}
	flags.add(cmd)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().StringVar(&from.export, "export", "", "an export's folder, instead of a database")
	cmd.Flags().StringVar(&from.bundle, "bundle", "", "a bundle's folder, instead of a database")
	cmd.Flags().StringVar(&flags.key, "key", "", "file with the public key, kept apart from the log")
	cmd.Flags().StringVar(&atLeast, "expect-at-least", "", "file with an earlier checkpoint")
	cmd.Flags().StringArrayVar(&saved, "anchor", nil, "file with an anchored checkpoint, such as the text of the message in Slack; may be repeated")
	return cmd
}

func verifyReport(cmd *cobra.Command, flags logFlags, from folders, atLeast string, saved []string) (receipts.Report, error) {
	key, err := optionalFile(flags.key)
	if err != nil {
		return receipts.Report{}, &exitError{receipts.CodeUnreadable, err}
	}
	var earlier [][]byte
	if atLeast != "" {
		note, err := os.ReadFile(atLeast)
		if err != nil {
			return receipts.Report{}, &exitError{receipts.CodeUnreadable, fmt.Errorf("read the earlier checkpoint: %w", err)}
		}
		earlier = append(earlier, note)
	}
	for _, file := range saved {
		text, err := os.ReadFile(file)
		if err != nil {
			return receipts.Report{}, &exitError{receipts.CodeUnreadable, fmt.Errorf("read the anchor: %w", err)}
		}
		found, err := receipts.FindCheckpoints(string(text))
		if err != nil {
			return receipts.Report{}, &exitError{receipts.CodeUnreadable, fmt.Errorf("read the anchor %s: %w", file, err)}
		}
		earlier = append(earlier, found...)
	}
	if from != (folders{}) {
		return from.verify(flags, key, earlier)
	}
	log, err := flags.open(cmd)
	if err != nil {
		return receipts.Report{}, err
	}
	defer log.Close() //nolint:errcheck // only read
	return log.Verify(cmd.Context(), key, earlier...)
}

func optionalFile(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the public key: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}
