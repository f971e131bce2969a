package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"dw/receipts"
)

func receiptsBundleCommand() *cobra.Command {
	var flags logFlags
	var incident, out string
	var texts bool
	cmd := &cobra.Command{
		Use: "bundle", Short: "Write one incident's receipts, each with its proof, to an empty folder", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer log.Close() //nolint:errcheck // only read
			kept, err := signedTexts(cmd, log, texts, incident)
			if err != nil {
				return err
			}
			count, err := log.Bundle(cmd.Context(), incident, out)
			if errors.Is(err, receipts.ErrNothing) {
				return &exitError{receipts.CodeUnreadable, fmt.Errorf("%w; dw receipts list names the incidents", err)}
			}
			if err != nil {
				return &exitError{receipts.CodeUnreadable, err}
			}
			if err := writeTexts(cmd, texts, kept, out); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "bundled %d receipts of %s to %s; verify it with: dw receipts verify --bundle %s --key FILE\n",
				count.Receipts, incident, out, out)
			if count.Unsigned > 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "left out: %d receipts that came after the newest checkpoint and are not signed yet\n", count.Unsigned)
			}
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&incident, "incident", "", "the incident's id")
	cmd.Flags().StringVar(&out, "out", "", "folder to write to")
	textsFlag(cmd, &texts)
	_ = cmd.MarkFlagRequired("incident")
	_ = cmd.MarkFlagRequired("out")
	return cmd
}

// folders are what verify reads instead of a database.
type folders struct{ export, bundle string }

func (f folders) verify(flags logFlags, key string, earlier [][]byte) (receipts.Report, error) {
	refuse := func(err error) (receipts.Report, error) {
		return receipts.Report{}, &exitError{receipts.CodeUnreadable, err}
	}
	given := 0
	for _, source := range []string{flags.db, flags.config, f.export, f.bundle} {
		if source != "" {
			given++
		}
	}
	switch {
	case given > 1:
		return refuse(errors.New("give one of --export, --bundle or a database"))
	case f.bundle != "" && len(earlier) > 0:
		return refuse(errors.New("--expect-at-least and --anchor need the whole log: verify an export or a database with it"))
	}
	if _, err := os.Stat(f.export + f.bundle); err != nil {
		return refuse(fmt.Errorf("read the folder: %w", err))
	}
	if f.bundle != "" {
		return receipts.VerifyBundle(f.bundle, key), nil
	}
	return receipts.VerifyExport(f.export, key, earlier...), nil
}
