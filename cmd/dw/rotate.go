package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"dw/app"
)

func receiptsRotateCommand() *cobra.Command {
	var path, by string
	var retire bool
	cmd := &cobra.Command{
		Use:   "rotate-key",
		Short: "Sign the log with a new key; the receipt of the change is signed by the old and the new one",
		Long: "The new key takes the place of receipts.key_file, the old one is kept beside it as .previous and signs too, so that auditors\n" +
			"who hold either public key can verify. Give them the new one, then say --retire: the old private key is deleted. Run it\n" +
			"where dw runs; a dw that runs takes up the new key by itself. Exit code 2 if nothing was changed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := loadStore(path)
			if err != nil {
				return err
			}
			if retire {
				if err := app.RetireKey(c); err != nil {
					return &exitError{exitUnasked, err}
				}
				fmt.Fprintln(cmd.OutOrStdout(), "retired: the old private key is deleted, the new key signs alone")
				return nil
			}
			if by == "" {
				return &exitError{exitUnasked, errors.New("say who rotates the key: --by NAME")}
			}
			done, err := app.RotateKey(cmd.Context(), c, by, time.Now())
			if err != nil {
				return &exitError{exitUnasked, err}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "old  %s\nnew  %s\nboth sign now; give auditors the new key, then say: dw receipts rotate-key --retire\n", done.Old, done.New)
			return nil
		},
	}
	configFlag(cmd, &path)
	cmd.Flags().StringVar(&by, "by", osUser(), "who rotates it, for the receipt")
	cmd.Flags().BoolVar(&retire, "retire", false, "delete the key before this one, which then signs no more")
	return cmd
}
