package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dw/app"
	"dw/config"
)

// loadStore reads the part of a configuration that names dw's own database. It
// leaves out what is wrong elsewhere in the file: a backup must not wait for it.
func loadStore(path string) (*config.Config, error) {
	from, err := config.WithEnvFile(path, config.OS())
	if err != nil {
		return nil, &exitError{exitUnasked, err}
	}
	c, err := config.Load(path, from)
	if c == nil {
		return nil, &exitError{exitUnasked, err}
	}
	problems, _ := errors.AsType[config.Problems](err)
	for _, p := range problems {
		for _, part := range []string{"instance", "store", "receipts"} {
			if strings.HasPrefix(p.Key, part) {
				return nil, &exitError{exitUnasked, p}
			}
		}
	}
	return c, nil
}

func backupCommand() *cobra.Command {
	var path string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "backup OUT",
		Short: "Copy dw's database to the file OUT, while dw may run, and verify the copy",
		Long: "The copy is what one moment saw. Its pages and every receipt in it are checked before the command answers: exit code 0\n" +
			"good, 1 the copy does not verify, 2 it could not be made. The signing key is not in it: keep a copy of that elsewhere.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := loadStore(path)
			if err != nil {
				return err
			}
			done, err := app.Backup(cmd.Context(), c, args[0])
			if err != nil && done.Bytes == 0 {
				return &exitError{exitUnasked, err}
			}
			if asJSON {
				err = errors.Join(printJSON(cmd.OutOrStdout(), done), err)
			} else {
				fmt.Fprintf(cmd.OutOrStdout(), "backup      %s, %d bytes (database %d)\nreceipts    %s\nhead        %d %s\ncheckpoint  %d receipts signed, %s\nnot in it   %s: keep a copy of the signing key elsewhere\n",
					done.File, done.Bytes, done.From, done.Receipt.String(), done.Receipt.Count, done.Receipt.Chain, done.Receipt.Signed, done.Receipt.Origin, c.Receipts.KeyFile)
			}
			if err != nil {
				return &exitError{exitFailed, err}
			}
			return nil
		},
	}
	configFlag(cmd, &path)
	jsonFlag(cmd, &asJSON)
	return cmd
}

func restoreCommand() *cobra.Command {
	var path, atLeast string
	var o app.RestoreOptions
	cmd := &cobra.Command{
		Use:   "restore BACKUP",
		Short: "Put a backup in the place of dw's database; dw must be stopped",
		Long: "Checks pages, receipts and instance of the backup first. A database that is there is never overwritten: --replace moves\n" +
			"it aside. A backup with fewer receipts than that database, or than the checkpoint of --expect-at-least, is refused\n" +
			"unless --shorter says that the loss is known. The first start writes the receipt restored_from. Exit code 2 if refused.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := loadStore(path)
			if err != nil {
				return err
			}
			if atLeast != "" {
				if o.Known, err = os.ReadFile(atLeast); err != nil {
					return &exitError{exitUnasked, fmt.Errorf("read the earlier checkpoint: %w", err)}
				}
			}
			o.Now = time.Now()
			done, err := app.Restore(cmd.Context(), c, args[0], o)
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "restored  %s with %d receipts, head %s\n", c.Store.DSN.Reveal(), done.Seq, done.Chain)
			if done.Aside != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "aside     %s\n", done.Aside)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "next: start dw; it records the restore as a receipt\n")
			return nil
		},
	}
	configFlag(cmd, &path)
	cmd.Flags().BoolVar(&o.Replace, "replace", false, "move a database that is there aside")
	cmd.Flags().BoolVar(&o.Shorter, "shorter", false, "accept a backup that holds fewer receipts than are known")
	cmd.Flags().StringVar(&atLeast, "expect-at-least", "", "file with an earlier checkpoint that the backup must hold")
	return cmd
}
