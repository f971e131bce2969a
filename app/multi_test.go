package app_test

import (
	"context"
	"os/exec"
	"sync"
	"testing"
	"time"

	"dw/blocks"
	"dw/internal/fakes/dagster"
	"dw/receipts"
	"dw/slackdev"
	"dw/workflows"
)

// TestFault10PostgresProcesses: three dw on one database play the loop as one would: one
// incident, each request asked once, one decision however its clicks are spread,
// each deadline once, each effect once. One of them is killed in the middle of a
// call, and the others carry on.
func TestFault10PostgresProcesses(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 3, replace("timeout: 40, rescue_after: 41", "timeout: 20, rescue_after: 21"),
		replace("location: grid, timeout: 3", "location: grid, timeout: 30"),
		replace("remind_after: 15m", "remind_after: 2m"), replace("escalate_after: 45m", "escalate_after: 4m"))
	f.asked()
	f.askedOnce()
	f.deadlinesOnce()
	f.clickedTwice(holdTitle)
	f.clickedByTwo(changeTitle)
	if counts := f.events(); counts[0] == 0 || counts[1] == 0 || counts[2] == 0 {
		t.Errorf("the processes handled %v events, want some each", counts)
	}
	f.killedInTheCall()
	f.at("11:56")
	f.see("Resolved: ", "checks asked again and passed")
	f.end()
	f.fleetReceipts()
}

// askedOnce: the failures of the checks are one incident with one card, and each
// request has one card.
func (f *fleet) askedOnce() {
	f.t.Helper()
	if n := f.count("evidence and history"); n != 1 {
		f.t.Errorf("%d cards of incidents, want one:\n%s", n, f.screen())
	}
	if twice := f.query(`SELECT check_name FROM results GROUP BY check_name, at HAVING count(*) > 1`); len(twice) > 0 {
		f.t.Errorf("these checks ran twice at one time: %v", twice)
	}
	for _, title := range []string{holdTitle, changeTitle, recoverTitle} {
		if n := f.count(title, "fingerprint"); n != 1 {
			f.t.Errorf("%d cards ask for %q, want one:\n%s", n, title, f.screen())
		}
	}
}

const reminder = "waits for your decision until"

// deadlinesOnce: the owner is reminded once of each request, and the deputy is
// asked once.
func (f *fleet) deadlinesOnce() {
	f.t.Helper()
	f.at("11:28")
	f.wait("the reminders", func(slackdev.Snapshot) bool { return f.count(reminder) >= 3 })
	f.at("11:30")
	f.wait("the escalations", func(slackdev.Snapshot) bool { return f.count("is asked too") >= 3 })
	f.card(recoverTitle, deputy)
}

// clickedTwice: a click reaches one process, is delivered again to another, and
// the same person's second click goes to the third.
func (f *fleet) clickedTwice(title string) {
	f.t.Helper()
	card, before := f.card(title, blocks.ActionApprove), f.events()
	answers := f.click(owner, card, blocks.ActionApprove)
	f.told(owner, answers, "is recorded at")
	f.replay(true)
	f.told(owner, answers, "was already recorded at")
	if got := f.receipts(receipts.KindDecisionRefused); len(got) != 0 {
		f.t.Errorf("the click's second delivery was refused: %s", got[0].Bytes)
	}
	painted := f.card(title, "approved by", "waits for the owner")
	f.shown(card)
	f.told(owner, f.click(owner, card, blocks.ActionApprove), "was already recorded at")
	f.shown(painted)
	f.apart(before, "one click, delivered twice, and a second one")
	f.refusedWith(owner, "already_decided")
}

// clickedByTwo: two people who are asked approve at once, on different processes;
// one decides, the other is told who did.
func (f *fleet) clickedByTwo(title string) {
	f.t.Helper()
	card, before := f.card(title, blocks.ActionApprove), f.events()
	f.slack.FailFor("chat.update", 2*time.Second, slackdev.FaultSlow(2*time.Second)) // both see the button
	var clicks sync.WaitGroup
	for _, user := range []string{owner, deputy} {
		clicks.Go(func() {
			if outcome, err := f.slack.Click(context.Background(), user, card.Channel, card.TS, blocks.ActionApprove); err != nil || !outcome.Acked {
				f.t.Errorf("%s clicks: %+v, %v", user, outcome, err)
			}
		})
	}
	clicks.Wait()
	f.apart(before, "two people's clicks")
	decisions := f.receipts(receipts.KindDecisionRecorded)
	winner, loser, name := owner, deputy, "Olga Owner"
	if decisions[len(decisions)-1].Predicate.Actor["user"] == deputy {
		winner, loser, name = deputy, owner, "Dan Deputy"
	}
	f.told(winner, 0, "Your decision (approve)", title, "is recorded at")
	f.told(loser, 0, "Nothing is left to decide: ", name, "decided (approve) at")
	f.refusedWith(loser, "not_waiting")
}

// killedInTheCall: the process that has Dagster start the run is killed before it
// hears of it; another finds the run and goes on.
func (f *fleet) killedInTheCall() {
	f.t.Helper()
	f.card(holdTitle, "approved by", "waits for the owner")
	f.dagster.SetRunning("nightly_bill", false)
	f.applyDiff(f.t, diffOf(f.t, f.card(changeTitle, "waits for the owner")))
	f.told(owner, f.click(owner, f.card(changeTitle, blocks.ActionDone), blocks.ActionDone), "Recorded")
	f.click(owner, f.card(recoverTitle, blocks.ActionApprove), blocks.ActionApprove)
	f.applyDiff(f.t, diffOf(f.t, f.card(recoverTitle, "waits for the owner")))
	f.dagster.Fail(dagster.Fault{Field: "launchRun", Kind: dagster.HangAfterEffect})
	f.at("11:32")
	for until := time.Now().Add(patience); len(f.dagster.Runs()) == 0; {
		if time.Now().After(until) {
			f.t.Fatalf("no run was started\n%s", tail(f.log.String(), 3000))
		}
		f.ask(owner, "status")
	}
	f.kill(f.holder(workflows.EffectStep))
	f.at("11:33") // the run is due to be looked at
	f.card(recoverTitle, f.dagster.Runs()[0].ID)
	f.built()
	f.at("11:34")
	f.card(recoverTitle, "Seen: SUCCESS")
}

// fleetReceipts: what all processes wrote is one log, which says of everything
// that it happened once.
func (f *fleet) fleetReceipts() {
	f.t.Helper()
	for kind, want := range map[string]int{
		receipts.KindIncidentOpened: 1, receipts.KindProposalCreated: 3, receipts.KindEscalation: 3, receipts.KindDecisionRecorded: 3,
		receipts.KindDecisionRefused: 2, receipts.KindStepIntent: 1, receipts.KindIncidentResolved: 1, receipts.KindKeyCreated: 1,
	} {
		all, of := f.receipts(kind), map[string]bool{}
		for _, one := range all {
			of[one.Predicate.Incident+one.Predicate.Proposal] = true
		}
		if len(all) != want || len(of) != want {
			f.t.Errorf("%d receipts %s of %d subjects, want %d", len(all), kind, len(of), want)
		}
	}
	if runs := f.dagster.Runs(); len(runs) != 1 || f.runs.Load() != 1 {
		f.t.Errorf("%d runs, the job worked %d times, want one: %+v", len(runs), f.runs.Load(), runs)
	}
	if n := f.count(reminder); n != 3 {
		f.t.Errorf("%d reminders, want one of each request:\n%s", n, f.screen())
	}
	for _, text := range f.repeated() {
		f.t.Errorf("this stands in the channel twice: %s", text)
	}
	f.verified()
}

// verified asks the program itself, as the documentation says.
func (f *fleet) verified() {
	f.t.Helper()
	out, err := exec.Command(program(f.t), "receipts", "verify", "--db", f.dsn, "--key", f.path("keys/receipts.pub")).CombinedOutput()
	if err != nil {
		f.t.Errorf("dw receipts verify: %v\n%s", err, out)
	}
}
