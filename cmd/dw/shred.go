package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dw/app"
	"dw/receipts"
	"dw/store"
)

func receiptsShredCommand() *cobra.Command {
	var path string
	var yes bool
	r := app.ShredRequest{By: osUser()}
	cmd := &cobra.Command{
		Use:   "shred [SEQ]",
		Short: "Delete the free text of one receipt, or of an incident's; the chain stays whole",
		Long: "What people wrote (reasons of rejections and stops) is kept beside the log; receipts hold its salted hash. Shredding deletes\n" +
			"text and salt for good, and the reason in the request that was decided. It is itself a receipt. It does not reach Slack, the\n" +
			"note that dw posted there, backups, or exports that were given away. Exit code 2 if nothing was deleted.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := shredTarget(&r, args, yes); err != nil {
				return &exitError{exitUnasked, err}
			}
			c, err := loadStore(path)
			if err != nil {
				return err
			}
			r.Now = time.Now()
			gone, err := app.Shred(cmd.Context(), c, r)
			switch {
			case errors.Is(err, store.ErrNotFolded):
				fmt.Fprintln(cmd.ErrOrStderr(), err)
			case err != nil:
				return &exitError{exitUnasked, err}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "shredded %d texts; the receipts and their chain are unchanged, and a receipt says so\n", gone)
			return nil
		},
	}
	configFlag(cmd, &path)
	cmd.Flags().StringVar(&r.Incident, "incident", "", "all texts of this incident's receipts")
	cmd.Flags().StringVar(&r.By, "by", r.By, "who asks, for the receipt")
	cmd.Flags().StringVar(&r.Why, "why", "", "why, for the receipt: no personal data")
	cmd.Flags().BoolVar(&yes, "yes", false, "confirm: what is shredded cannot be brought back")
	return cmd
}

func shredTarget(r *app.ShredRequest, args []string, confirmed bool) error {
	r.Incident = strings.ToUpper(r.Incident)
	switch {
	case (len(args) == 1) == (r.Incident != ""):
		return errors.New("name one receipt by its number, or an incident by --incident")
	case r.By == "":
		return errors.New("say who asks: --by NAME")
	case !confirmed:
		return errors.New("nothing was deleted: what is shredded cannot be brought back; say --yes")
	case r.Incident != "":
		return nil
	}
	seq, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || seq < 1 {
		return fmt.Errorf("%q is no receipt number", args[0])
	}
	r.Seq = seq
	return nil
}

// osUser is who runs the command, as the system names them.
func osUser() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}

// printTexts shows the free texts of a receipt, and says where one is gone.
func printTexts(out io.Writer, entry receipts.Entry, texts []receipts.KeptText) error {
	fields, err := receipts.SealedFields(entry.Bytes)
	if err != nil {
		return fmt.Errorf("read receipt %d: %w", entry.Seq, err)
	}
	for _, t := range texts {
		fmt.Fprintf(out, "text %s: %s\n", t.Field, oneLine(t.Text.Text))
		delete(fields, t.Field)
	}
	for _, field := range sortedFields(fields) {
		fmt.Fprintf(out, "text %s: not kept (shredded)\n", field)
	}
	return nil
}

func sortedFields(fields map[string]string) []string { return slices.Sorted(maps.Keys(fields)) }

func textsFlag(cmd *cobra.Command, texts *bool) {
	cmd.Flags().BoolVar(texts, "texts", false, "also the free texts that people wrote, each checked against its receipt")
}

// signedTexts reads the free texts that are to accompany an export.
func signedTexts(cmd *cobra.Command, log *app.Log, wanted bool, incident string) ([]receipts.KeptText, error) {
	if !wanted {
		return nil, nil
	}
	texts, err := log.SignedTexts(cmd.Context(), incident)
	if err != nil {
		return nil, &exitError{receipts.CodeUnreadable, err}
	}
	return texts, nil
}

// writeTexts adds free texts to a folder that was just written.
func writeTexts(cmd *cobra.Command, wanted bool, texts []receipts.KeptText, dir string) error {
	if !wanted {
		return nil
	}
	if err := receipts.WriteTexts(dir, texts); err != nil {
		return &exitError{receipts.CodeUnreadable, err}
	}
	fmt.Fprintf(cmd.OutOrStdout(), "with %d texts that people wrote\n", len(texts))
	return nil
}
