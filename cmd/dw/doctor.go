package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"dw/app/doctor"
	"dw/config"
)

func doctorCommand() *cobra.Command {
	var path string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Examine an installation: exit code 0 if nothing failed, 1 if something did",
		Long: "Looks at the configuration, both Slack tokens and their scopes, the channels, the people, the connections, the clock,\n" +
			"dw's own database and what else is configured, and says what to do next. It changes nothing and posts nothing;\n" +
			"it may run beside dw. Warnings do not fail.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, err := config.WithEnvFile(path, config.OS())
			if err != nil {
				return &exitError{exitFailed, err}
			}
			report := doctor.Run(cmd.Context(), doctor.Options{Config: path, From: from, Now: time.Now})
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), report)
			} else {
				err = printReport(cmd.OutOrStdout(), report, colourful(cmd.OutOrStdout()))
			}
			if err == nil && report.Failed() {
				return &exitError{code: exitFailed}
			}
			return err
		},
	}
	configFlag(cmd, &path)
	jsonFlag(cmd, &asJSON)
	return cmd
}

// printReport writes one line a finding, with what to do under it.
func printReport(out io.Writer, r doctor.Report, colour bool) error {
	var b strings.Builder
	section := ""
	for _, f := range r.Findings {
		if f.Section != section {
			section = f.Section
			fmt.Fprintln(&b, section)
		}
		fmt.Fprintf(&b, "  %s %s", paint(f.Status, colour), oneLine(f.What))
		if f.Source != "" {
			fmt.Fprintf(&b, "  (%s)", oneLine(f.Source))
		}
		fmt.Fprintln(&b)
		if f.Do != "" && f.Do != f.What {
			fmt.Fprintf(&b, "          -> %s\n", oneLine(f.Do))
		}
	}
	fmt.Fprintf(&b, "\n%d ok, %d warnings, %d failed, %d not looked at\nnext: %s\n",
		r.Count(doctor.OK), r.Count(doctor.Warn), r.Count(doctor.Fail), r.Count(doctor.Skipped), oneLine(r.Next))
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// paint pads a status to one width, and colours it for a terminal.
func paint(s doctor.Status, colour bool) string {
	text := fmt.Sprintf("%-7s", s)
	codes := map[doctor.Status]string{doctor.OK: "32", doctor.Warn: "33", doctor.Fail: "31", doctor.Skipped: "2"}
	if !colour {
		return text
	}
	return "\x1b[" + codes[s] + "m" + text + "\x1b[0m"
}

// colourful reports that out is a terminal whose user did not ask for plain text
// (https://no-color.org).
func colourful(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// oneLine writes what other systems said as one line without what steers a
// terminal: a channel's name may hold anything.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return '\uFFFD'
		}
		return r
	}, text)
}
