package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dw/app"
)

func runCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use: "run", Short: "Run the bot: exit code 0 when it was stopped, 1 when it failed, 2 for a wrong configuration", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			project, err := loadProject(path, false)
			if err != nil {
				return err
			}
			worker, reader, err := keptReader()
			if err != nil {
				return &exitError{exitFailed, errors.Join(err, project.Close())}
			}
			bot, err := app.New(cmd.Context(), project, app.Options{LogTo: cmd.ErrOrStderr(), Version: version, Columns: reader})
			if err != nil {
				return &exitError{exitFailed, errors.Join(fmt.Errorf("start: %w", err), project.Close())}
			}
			if err := errors.Join(bot.Run(cmd.Context()), bot.Close(), worker.Close()); err != nil {
				return &exitError{exitFailed, err}
			}
			return nil
		},
	}
	configFlag(cmd, &path)
	return cmd
}
