package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"dw/checks/detect"
)

// benchCommand measures dw's own judgement on data of known faults.
func benchCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "bench", Short: "Measure the detector and the diagnosis on given data", Hidden: true}
	cmd.AddCommand(benchDetectCommand(), benchLineageCommand(), benchRCACommand())
	return cmd
}

func benchDetectCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "detect --meta FILE < SERIES.csv",
		Short: "Judge timestamp,value rows; prints timestamp,alarm",
		Long: "Reads timestamp,value rows on standard input and prints timestamp,alarm, each row judged by the rows up to it.\n" +
			"FILE is JSON: bucket_seconds, metric (count or ratio), holidays, zone. Exit code 2 where FILE says where the faults are.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := benchDetect(path, cmd.InOrStdin(), cmd.OutOrStdout()); err != nil {
				return &exitError{exitUnasked, err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&path, "meta", "", "JSON file that describes the series")
	if err := cmd.MarkFlagRequired("meta"); err != nil {
		cmd.Long += "\n" + err.Error()
	}
	return cmd
}

func benchDetect(path string, in io.Reader, out io.Writer) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the description of the series: %w", err)
	}
	defer file.Close() //nolint:errcheck // only read
	config, err := detect.ReadMeta(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	points, err := detect.ReadSeries(in)
	if err != nil {
		return err
	}
	verdicts, err := detect.Judge(config, points)
	if err != nil {
		return err
	}
	return printAlarms(out, verdicts)
}

func printAlarms(out io.Writer, verdicts []detect.Verdict) error {
	buffered := bufio.NewWriter(out)
	fmt.Fprintln(buffered, "timestamp,alarm")
	for _, v := range verdicts {
		alarm := 0
		if v.State == detect.Alarm {
			alarm = 1
		}
		fmt.Fprintf(buffered, "%s,%d\n", v.Start.Format(time.RFC3339), alarm)
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("print the alarms: %w", err)
	}
	return nil
}
