package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dw/checks/segment"
)

func benchRCACommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rca < INCIDENT.csv",
		Short: "Name the segments that explain an incident; prints a JSON array, best first",
		Long: "Reads rows of dimension values with expected and actual on standard input and prints the segments that\n" +
			"explain the difference, such as [{\"channel\":\"web\"},{\"region\":\"r3\",\"device\":\"ios\"}]. An empty array says that nothing is off.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := benchRCA(cmd.InOrStdin(), cmd.OutOrStdout()); err != nil {
				return &exitError{exitUnasked, err}
			}
			return nil
		},
	}
}

func benchRCA(in io.Reader, out io.Writer) error {
	dimensions, leaves, err := segment.ReadLeaves(in)
	if err != nil {
		return fmt.Errorf("read the incident: %w", err)
	}
	causes := []map[string]string{}
	for _, cause := range segment.Attribute(dimensions, leaves) {
		where := map[string]string{}
		for _, part := range cause.Where {
			where[part.Dimension] = part.Value
		}
		causes = append(causes, where)
	}
	if err := json.NewEncoder(out).Encode(causes); err != nil {
		return fmt.Errorf("print the causes: %w", err)
	}
	return nil
}
