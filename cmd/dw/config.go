package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Check a configuration"}
	cmd.AddCommand(&cobra.Command{
		Use:   "check FILE",
		Short: "Report every problem of FILE with its line; exit code 2 if there is one",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			project, err := loadProject(args[0], false)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: good: %d checks, %d domains, %d assets\n",
				args[0], len(project.Specs), len(project.Config.Domains), project.Graph.Len())
			return project.Close()
		},
	})
	return cmd
}
