package app_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dw/app"
	"dw/blocks"
	"dw/config"
	"dw/internal/fakes/dagster"
	"dw/receipts"
	"dw/slackdev"
	"dw/store"
)

// A re-executed test binary is told by these what to run and where to die.
const (
	childConfig = "DW_TEST_APP_CONFIG"
	childPoint  = "DW_TEST_APP_CRASH_POINT"
	armedFile   = "armed" // beside the configuration; from then on the point kills
)

// runChild is the child: a whole dw that is killed at the named point of the
// first transaction after it was armed.
func runChild(path string) error {
	project, err := app.LoadProject(path, config.OS(), false)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	at, armed := os.Getenv(childPoint), filepath.Join(filepath.Dir(path), armedFile)
	dw, err := app.New(ctx, project, app.Options{Crash: func(point string) {
		if _, err := os.Stat(armed); err == nil && point == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way; nothing runs after the point
		}
	}})
	if err != nil {
		return errors.Join(err, project.Close())
	}
	return errors.Join(dw.Run(ctx), dw.Close())
}

// spawn runs dw as a process of its own.
func (r *rig) spawn(cmd *exec.Cmd) *exec.Cmd {
	r.t.Helper()
	cmd.Stderr = r.log
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = cmd.Process.Kill() // dead already where the test went well
		_ = cmd.Wait()
	})
	r.wait("a connection to Slack", func(s slackdev.Snapshot) bool { return s.Sockets > 0 })
	return cmd
}

// killed waits for the end of a process that was killed.
func killed(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("the process ended with %v, want a kill", err)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the process ended with %v, want a kill", err)
	}
}

// TestFault01KilledBeforeTheDecision: a dw that is killed before the decision's
// commit has decided nothing; the person sees Slack's error, clicks again, and
// decides once.
func TestFault01KilledBeforeTheDecision(t *testing.T) {
	t.Parallel()
	killedAtTheDecision(t, store.CrashBeforeCommit, false)
}

// TestFault02KilledAfterTheDecision: a dw that is killed after the commit and
// before it can tell Slack has decided once, and paints the card after the restart
// by itself.
func TestFault02KilledAfterTheDecision(t *testing.T) {
	t.Parallel()
	killedAtTheDecision(t, store.CrashAfterCommit, true)
}

func killedAtTheDecision(t *testing.T, point string, decided bool) {
	t.Helper()
	r := &rig{estate: newEstate(t, replace("checkpoint_every: 1", "checkpoint_idle: 3600, checkpoint_every: 3600"),
		replace("timeout: 40, rescue_after: 41", "timeout: 8, rescue_after: 9")), t: t, log: new(output)}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childConfig+"="+r.path("config.yaml"), childPoint+"="+point)
	r.spawn(cmd)
	r.asked()
	r.write(t, armedFile, "")
	card := r.card(changeTitle, blocks.ActionApprove)
	outcome, err := r.slack.Click(context.Background(), owner, card.Channel, card.TS, blocks.ActionApprove)
	if err != nil || outcome.Acked {
		t.Errorf("the click was acknowledged by a process that died: %+v, %v", outcome, err)
	}
	killed(t, cmd)
	if err := os.Remove(r.path(armedFile)); err != nil {
		t.Fatal(err)
	}
	r.resume()
	r.afterKill(decided)
	r.card(changeTitle, "approved by")
	r.stop()
	if got := len(r.receipts(receipts.KindDecisionRecorded)); got != 1 {
		t.Errorf("%d decisions, want one", got)
	}
	r.verify()
}

// afterKill looks at what the restart made of the click, and clicks again where
// it was lost.
func (r *rig) afterKill(decided bool) {
	r.t.Helper()
	if decided {
		r.card(changeTitle, "approved by", blocks.ActionDone)
		return
	}
	r.undecided(changeTitle)
	r.told(owner, r.click(owner, r.card(changeTitle, blocks.ActionApprove), blocks.ActionApprove), "is recorded at")
}

// program builds the program once.
func program(t *testing.T) string {
	t.Helper()
	built.programOnce.Do(func() {
		built.program = filepath.Join(filepath.Dir(warehouseFile(t)), "dw")
		out, err := exec.Command("go", "build", "-o", built.program, "dw/cmd/dw").CombinedOutput()
		if err != nil {
			built.programErr = errors.New(string(out))
		}
	})
	if built.programErr != nil {
		t.Fatal(built.programErr)
	}
	return built.program
}

// TestFault03KilledAfterTheCall: the program is killed when the orchestrator has started
// the run and before dw knows it; after the restart dw finds the run by its tag
// and starts no second one.
func TestFault03KilledAfterTheCall(t *testing.T) {
	t.Parallel()
	r := &rig{estate: newEstate(t, replace("timeout: 40, rescue_after: 41", "timeout: 8, rescue_after: 9"),
		replace("location: grid, timeout: 3", "location: grid, timeout: 30")), t: t, log: new(output)}
	cmd := r.spawn(exec.Command(program(t), "run", "-c", r.path("config.yaml")))
	r.asked()
	r.told(owner, r.click(owner, r.card(changeTitle), blocks.ActionApprove), "is recorded")
	r.applyDiff(t, diffOf(t, r.card(changeTitle, "waits for the owner")))
	r.told(owner, r.click(owner, r.card(changeTitle, blocks.ActionDone), blocks.ActionDone), "Recorded")
	r.told(owner, r.click(owner, r.card(recoverTitle, blocks.ActionApprove), blocks.ActionApprove), "is recorded")
	r.applyDiff(t, diffOf(t, r.card(recoverTitle, "waits for the owner")))
	r.dagster.Fail(dagster.Fault{Field: "launchRun", Kind: dagster.HangAfterEffect})
	r.at("11:30")
	for until := time.Now().Add(patience); len(r.dagster.Runs()) == 0; {
		if time.Now().After(until) {
			t.Fatalf("no run was started\n%s", tail(r.log.String(), 3000))
		}
		r.ask(owner, "status")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed(t, cmd)
	if got := len(r.receipts(receipts.KindStepIntent)); got != 1 {
		t.Errorf("%d intents before the restart, want one", got)
	}
	again := r.spawn(exec.Command(program(t), "run", "-c", r.path("config.yaml")))
	r.card(recoverTitle, r.dagster.Runs()[0].ID)
	r.at("11:32")
	r.card(recoverTitle, "Seen: SUCCESS")
	r.terminate(again)
	runs := r.dagster.Runs()
	if len(runs) != 1 || r.runs.Load() != 1 {
		t.Errorf("%d runs, the job worked %d times, want one: %+v", len(runs), r.runs.Load(), runs)
	}
	if outcomes := r.receipts(receipts.KindStepIntent); len(outcomes) != 1 {
		t.Errorf("%d intents, want one", len(outcomes))
	}
	if all := r.receipts(receipts.KindStepOutcome); !strings.Contains(all[0].Bytes, "found by its tag") {
		t.Errorf("the outcome does not say how the run was found: %s", all[0].Bytes)
	}
	if got := len(r.receipts(receipts.KindDecisionRecorded)); got != 2 {
		t.Errorf("%d decisions, want two", got)
	}
	r.verify()
}

// terminate stops a process as an operator does.
func (r *rig) terminate(cmd *exec.Cmd) {
	r.t.Helper()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		r.t.Errorf("dw ended with %v\n%s", err, tail(r.log.String(), 3000))
	}
}
