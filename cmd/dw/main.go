// Command dw owns whether a data team's numbers are right. See README.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// version is set by the build.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// exitError ends the program with a documented code. Its message, if any, goes
// to standard error.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func execute(ctx context.Context, args []string) int {
	root := rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	// A wrong command line must not look like a failed check or a changed receipt.
	code := exitUnasked
	exit, ok := errors.AsType[*exitError](err)
	if ok {
		code = exit.code
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(os.Stderr, "dw: "+text)
	}
	return code
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "dw",
		Short:         "A Slack bot that owns whether a data team's numbers are right",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(demoCommand(), runCommand(), checkCommand(), explainCommand(), blastCommand(), traceCommand(), graphCommand(),
		configCommand(), receiptsCommand(), slackdevCommand(), doctorCommand(), initCommand(), benchCommand())
	root.AddCommand(recordCommand(), historyCommand(), metricCommand(), backupCommand(), restoreCommand(), signalCommand(), importCommand(), ownerCommand(), slaCommand(), freshCommand(), pictureCommand())
	root.AddCommand(sqlWorkerCommand())
	return root
}
