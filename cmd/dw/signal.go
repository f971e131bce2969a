package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"dw/app"
	"dw/intake/signals"
)

func signalCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "signal", Short: "Hand dw what other tools say"}
	var path, source, url string
	var asJSON bool
	imported := &cobra.Command{
		Use:   "import FILE",
		Short: "Send a tool's result file to the running dw; exit code 3 if an asset is unknown",
		Long: "Sends a file that a tool wrote (dbt's run_results.json or sources.json, a scan of Soda, a validation of Great\n" +
			"Expectations, rows of Elementary, a stored alert) to the dw that runs with this configuration, as the tool's own\n" +
			"webhook would. FILE is - for standard input. Sending a file again changes nothing.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			project, err := loadOffline(path)
			if err != nil {
				return err
			}
			defer project.Close() //nolint:errcheck // only read
			body, err := readInput(cmd.InOrStdin(), args[0])
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			answer, err := app.SendSignals(cmd.Context(), project.Config, url, source, body)
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			return printSignals(cmd.OutOrStdout(), answer, asJSON)
		},
	}
	configFlag(imported, &path)
	jsonFlag(imported, &asJSON)
	imported.Flags().StringVar(&source, "source", "", "name of the source under signals.sources")
	imported.Flags().StringVar(&url, "url", "", "address of the running dw (default server.listen)")
	_ = imported.MarkFlagRequired("source") // the flag is there
	cmd.AddCommand(imported)
	return cmd
}

// readInput reads a whole file, or standard input for "-".
func readInput(in io.Reader, name string) ([]byte, error) {
	if name != "-" {
		file, err := os.Open(name) //nolint:gosec // the person names the file
		if err != nil {
			return nil, err
		}
		defer file.Close() //nolint:errcheck // only read
		in = file
	}
	body, err := io.ReadAll(io.LimitReader(in, signals.MaxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(body) > signals.MaxBody:
		return nil, fmt.Errorf("%s is larger than %d bytes", name, signals.MaxBody)
	}
	return body, nil
}

func printSignals(out io.Writer, a signals.Answer, asJSON bool) error {
	if asJSON {
		if err := printJSON(out, a); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(out, "%d recorded, %d known before, %d overtaken or too old\n", a.Recorded, a.Known, a.Old)
		for _, u := range a.Unknown {
			fmt.Fprintf(out, "unknown asset: %s: %s\n", u.Check, u.Problem)
		}
	}
	if len(a.Unknown) > 0 {
		return &exitError{code: exitUnknown}
	}
	return nil
}
