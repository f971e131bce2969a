package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"dw/lineage/columns"
	"dw/lineage/columns/polyglot"
)

// sqlWorkerCommand runs the SQL engine for the process that started it. It is
// hidden: only dw itself, `make sql-engine` and a build of an image call it.
func sqlWorkerCommand() *cobra.Command {
	var install string
	var check bool
	cmd := &cobra.Command{
		Use:    "sqlworker",
		Short:  "Answer questions about SQL on standard input; --install puts the engine into its folder",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			folder, err := polyglot.Folder(os.Getenv)
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			switch {
			case install != "":
				err = installEngine(cmd, install, folder)
			case check:
				_, err = polyglot.Module(folder)
			default:
				err = polyglot.Serve(cmd.Context(), folder, cmd.InOrStdin(), cmd.OutOrStdout())
			}
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&install, "install", "", "the module to check, to put into its folder and to compile")
	cmd.Flags().BoolVar(&check, "check", false, "only say whether the engine is there and is the right one")
	return cmd
}

// installEngine compiles it at once, so that the first question does not wait.
func installEngine(cmd *cobra.Command, path, folder string) error {
	if err := polyglot.Install(path, folder); err != nil {
		return err
	}
	engine, err := polyglot.Open(cmd.Context(), folder)
	if err != nil {
		return err
	}
	if err := engine.Close(cmd.Context()); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "the SQL engine %s is in %s\n", polyglot.Version, folder)
	return nil
}

// sqlReader answers questions about columns with a process of this very program,
// which the worker ends; without an engine where it is not installed.
func sqlReader() (*columns.Worker, columns.Reader, error) {
	folder, err := polyglot.Folder(os.Getenv)
	if err != nil {
		return nil, columns.Reader{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, columns.Reader{}, fmt.Errorf("find this program: %w", err)
	}
	worker := columns.NewWorker(columns.WorkerOptions{Command: func() *exec.Cmd { return exec.Command(self, "sqlworker") }}) //nolint:noctx // the worker kills it
	if !polyglot.Installed(folder) {
		return worker, columns.Reader{}, nil
	}
	return worker, columns.Reader{Engine: worker}, nil
}

// keptReader is sqlReader with the answers kept beside the engine.
func keptReader() (*columns.Worker, columns.Reader, error) {
	worker, reader, err := sqlReader()
	if err != nil || reader.Engine == nil {
		return worker, reader, err
	}
	folder, err := polyglot.Folder(os.Getenv)
	if err != nil {
		return nil, columns.Reader{}, err
	}
	reader.Engine = columns.Cache{Engine: worker, Version: polyglot.Version, Folder: filepath.Join(folder, "answers"), Limit: columns.DefaultStatement}
	return worker, reader, nil
}

// engineProblem says why no column is read out of SQL: the engine is not there, or
// is not the one that dw was tested with. It is empty where nothing is in the way.
func engineProblem() string {
	folder, err := polyglot.Folder(os.Getenv)
	if err == nil {
		_, err = polyglot.Module(folder)
	}
	switch {
	case err == nil:
		return ""
	case errors.Is(err, polyglot.ErrAbsent):
		return columns.NoEngine
	}
	return err.Error()
}
