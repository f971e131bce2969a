package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dw/app"
	"dw/config"
)

func runCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use: "run", Short: "Run the bot", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			project, err := app.LoadProject(path, config.OS(), false)
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			bot, err := app.New(cmd.Context(), project, app.Options{LogTo: cmd.ErrOrStderr(), Version: version})
			if err != nil {
				return errors.Join(fmt.Errorf("start: %w", err), project.Close())
			}
			defer func() { err = errors.Join(err, bot.Close()) }()
			return bot.Run(cmd.Context())
		},
	}
	configFlag(cmd, &path)
	return cmd
}
