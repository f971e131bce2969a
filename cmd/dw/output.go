package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dw/app"
	"dw/config"
	"dw/lineage"
)

// The exit codes of the commands that ask questions.
const (
	exitFailed  = 1 // a check failed, or the bot did
	exitUnasked = 2 // the question could not be asked, or configuration or command line are wrong
	exitUnknown = 3 // no such asset

	exitInterrupted = 130 // 128 + SIGINT, as a shell says it
)

func printJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

func configFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVarP(path, "config", "c", "config.yaml", "configuration file")
}

func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// loadOffline reads a configuration for a command that does not talk to Slack.
func loadOffline(path string) (*app.Project, error) {
	return loadProject(path, true)
}

// loadProject reads a configuration, with the .env file beside it.
func loadProject(path string, offline bool) (*app.Project, error) {
	from, err := config.WithEnvFile(path, config.OS())
	if err != nil {
		return nil, &exitError{exitUnasked, err}
	}
	project, err := app.LoadProject(path, from, offline)
	if err != nil {
		return nil, &exitError{exitUnasked, err}
	}
	return project, nil
}

// assetError gives an unknown asset its own exit code.
func assetError(err error) error {
	var unknown *lineage.UnknownAssetError
	var ambiguous *lineage.AmbiguousError
	if errors.As(err, &unknown) || errors.As(err, &ambiguous) {
		return &exitError{exitUnknown, err}
	}
	return &exitError{exitUnasked, err}
}
