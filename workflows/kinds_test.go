package workflows

import (
	"context"
	"testing"
	"time"

	"dw/checks"
	"dw/receipts"
)

// TestEveryKindIsWritten plays short stories and expects the receipts that each of
// them must leave. For every kind a patch of testdata/mutations takes its writing out.
func TestEveryKindIsWritten(t *testing.T) {
	t.Parallel()
	for name, story := range map[string]struct {
		play  func(t *testing.T) *estate
		kinds []string
	}{
		"a day": {playDay, []string{
			receipts.KindIncidentOpened, receipts.KindIncidentUpdated, receipts.KindProposalCreated, receipts.KindDecisionRecorded,
			receipts.KindStepIntent, receipts.KindStepOutcome, receipts.KindStepOwnerDone, receipts.KindVerification, receipts.KindIncidentResolved,
		}},
		"nobody answers":       {playSilence, []string{receipts.KindEscalation, receipts.KindExpiry}},
		"refused and taken up": {playSecondThoughts, []string{receipts.KindDecisionRefused, receipts.KindDecisionRevoked, receipts.KindProposalWithdrawn}},
		"the stop":             {playStop, []string{receipts.KindStopPulled, receipts.KindStopLifted}},
		"a page":               {playPage, []string{receipts.KindErrandIntent, receipts.KindErrandOutcome}},
		"watched only":         {playWatch, []string{receipts.KindAutonomyWouldPropose}},
		"by itself":            {playItself, []string{receipts.KindAutonomyActed}},
		"the clock jumps":      {playJump, []string{receipts.KindClockJump}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := story.play(t).kinds()
			for _, kind := range story.kinds {
				if written[kind] == 0 {
					t.Errorf("no receipt %s was written: %v", kind, written)
				}
			}
		})
	}
}

func playDay(t *testing.T) *estate {
	e := newEstate()
	e.asked(t)
	e.approve(t, "hold", "change", "recover")
	e.sched.schedule = "STOPPED"
	e.pass(t, 2*time.Minute)
	e.done(t, "change", 0)
	e.done(t, "recover", 0)
	e.sched.finish(true)
	e.pass(t, 2*time.Minute)
	e.status["orders"] = checks.Pass
	e.pass(t, e.policy.VerifyAfter)
	return e
}

func playSilence(t *testing.T) *estate {
	e := newEstate()
	e.asked(t)
	e.pass(t, e.policy.ExpireAfter)
	return e
}

func playSecondThoughts(t *testing.T) *estate {
	e := newEstate()
	e.asked(t)
	e.decide(t, e.click(e.key(t, "change"), mort, Approve))
	e.stop(t, ben)
	e.approve(t, "change")
	e.decide(t, e.click(e.key(t, "change"), ann, Revoke))
	_, asked := e.resume(t, ann)
	e.decide(t, e.click(asked, ann, Withdraw))
	return e
}

func playStop(t *testing.T) *estate {
	e := newEstate()
	e.stop(t, ben)
	_, asked := e.resume(t, ann)
	e.decide(t, e.click(asked, ben, Approve))
	return e
}

func playPage(t *testing.T) *estate {
	e := boarded(OnRequest, OnRequest)
	e.asked(t)
	e.request(t, e.svc.RequestPage, "")
	return e
}

func playWatch(t *testing.T) *estate {
	e := newEstate(func(e *estate) { e.policy.Level = L1Observe })
	e.asked(t)
	return e
}

func playItself(t *testing.T) *estate {
	e := opened()
	e.asked(t)
	return e
}

func playJump(t *testing.T) *estate {
	e := newEstate()
	if err := e.svc.ClockJumped(context.Background(), e.now, e.now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	return e
}
