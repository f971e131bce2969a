package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
	"dw/receipts"
	"dw/store"
	"dw/workflows"
)

// seed has the loop itself make what is decided on: for each domain one failed
// check, one incident and its proposals, in dw's own database while dw is down.
// Only the warehouse and the diagnosis are given.
func (e *estate) seed() {
	e.t.Helper()
	ctx := context.Background()
	signer, err := receipts.LoadKey(e.path("keys/receipts.key"))
	if err != nil {
		e.t.Fatal(err)
	}
	db, err := store.Open(ctx, e.dsn, store.Options{Instance: instance, Signer: &signer})
	if err != nil {
		e.t.Fatal(err)
	}
	defer db.Close()                    //nolint:errcheck // what was committed is read again below
	now := time.Now().Add(-time.Minute) // of the incidents; what they lead to is due at once
	ids := 0
	id := func(prefix string) string { ids++; return fmt.Sprintf("%s-%d", prefix, ids) }
	loop := workflows.NewService(workflows.Options{
		Store: investigated{db}, Policies: e.policy, Checks: given{}, Investigator: given{}, Now: func() time.Time { return now },
		NewID: id, NewNonce: func() string { ids++; return fmt.Sprintf("%032x", ids) },
	})
	for d := range e.domains {
		if err := seedDomain(ctx, loop, d, now); err != nil {
			e.t.Fatal(err)
		}
	}
	now = time.Now()
	fireAll(e.t, loop, db, now)
}

func seedDomain(ctx context.Context, loop *workflows.Service, d int, now time.Time) error {
	asset := lineage.AssetID("soak://" + domainOf(d))
	if err := loop.OnResult(ctx, checks.Result{
		Check: "rows of " + domainOf(d), Kind: checks.KindRowCount, Asset: asset, Domain: domainOf(d), Status: checks.Fail, At: now,
		Message: "Rows are missing.", Observed: &checks.Measure{Value: 1, Unit: "rows", Source: "soak", At: now},
	}); err != nil {
		return err
	}
	open, err := loop.Incidents(ctx, true, d+1)
	at := slices.IndexFunc(open, func(i workflows.Incident) bool { return i.Domain == domainOf(d) })
	if err != nil || at < 0 {
		return fmt.Errorf("no incident of %s was opened: %w", domainOf(d), err)
	}
	payload, err := json.Marshal(workflows.IncidentRef{Incident: open[at].ID, Rev: open[at].Rev})
	if err != nil {
		return err
	}
	return loop.Perform(ctx, workflows.Effect{Kind: workflows.EffectInvestigate, Key: "seed/" + domainOf(d), Payload: payload})
}

// fireAll fires every deadline of a proposal to be made.
func fireAll(t testing.TB, loop *workflows.Service, db *store.DB, now time.Time) {
	t.Helper()
	ctx := context.Background()
	var due []workflows.Deadline
	if err := db.View(ctx, func(tx workflows.ReadTx) (err error) {
		due, err = tx.Due(ctx, now, 10_000)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, d := range due {
		if d.Kind != workflows.DeadlinePropose {
			continue
		}
		if err := loop.Fire(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
}

func (e *estate) policy(domain string) (workflows.Policy, bool) {
	people := make([]workflows.Person, e.people)
	for n := range people {
		people[n] = workflows.Person{Team: team, User: approver(n), Name: fmt.Sprintf("Person %02d", n)}
	}
	var d int
	if _, err := fmt.Sscanf(domain, "d%03d", &d); err != nil {
		return workflows.Policy{}, false
	}
	return workflows.Policy{
		Domain: domain, Level: workflows.L2Propose, Owner: people[0], Deputy: people[1], Escalation: people[2:], Quorum: e.people,
		Channel: channelOf(d), Settle: time.Second, RemindAfter: 20 * time.Hour, EscalateAfter: 21 * time.Hour, ExpireAfter: 22 * time.Hour,
		ExecuteWithin: 22 * time.Hour, ObserveEvery: time.Hour, PollEvery: time.Hour, RunTimeout: time.Hour,
		VerifyAfter: time.Hour, VerifyEvery: time.Hour, VerifyWithin: 2 * time.Hour,
	}, true
}

// investigated is a store that queues no investigation: it is carried out here.
type investigated struct{ *store.DB }

// Update meets workflows.Store.
func (s investigated) Update(ctx context.Context, do func(workflows.Tx) error) error {
	return s.DB.Update(ctx, func(tx workflows.Tx) error { return do(quietTx{tx}) })
}

type quietTx struct{ workflows.Tx }

// Enqueue meets workflows.LogWrites.
func (q quietTx) Enqueue(ctx context.Context, e workflows.Effect) error {
	if e.Kind == workflows.EffectInvestigate {
		return nil
	}
	return q.Tx.Enqueue(ctx, e)
}

// given is the estate as the soak has it: one cause, and steps for its owner.
type given struct{}

// RunCheck meets workflows.CheckRunner; nothing asks it here.
func (given) RunCheck(context.Context, string, time.Time) (checks.Result, error) {
	return checks.Result{}, fmt.Errorf("the soak asks no warehouse")
}

// NextDue meets workflows.CheckRunner.
func (given) NextDue(string, time.Time) (time.Time, error) {
	return time.Time{}, fmt.Errorf("the soak has no schedule")
}

// Recheck meets workflows.CheckRunner.
func (given) Recheck(context.Context, workflows.Incident, time.Time) (workflows.Verification, error) {
	return workflows.Verification{}, fmt.Errorf("the soak asks no warehouse")
}

// Related meets workflows.Investigator: each domain's incident is its own.
func (given) Related(lineage.AssetID, lineage.AssetID) bool { return false }

// Investigate meets workflows.Investigator.
func (given) Investigate(_ context.Context, i workflows.Incident, _ []checks.Result, _ []diagnosis.ChangeEvent, now time.Time) (workflows.Findings, error) {
	return workflows.Findings{
		Diagnosis: diagnosis.Diagnosis{
			At: now, Subject: i.Subject, Verdict: "Rows are missing.",
			Causes: []diagnosis.Cause{{ID: "lost_rows", Title: "Rows are lost", Why: "They stand elsewhere.", Asset: i.Subject}},
		},
		Blast: lineage.BlastRadius{Subject: i.Subject, At: now},
	}, nil
}

// Plan meets workflows.Investigator.
func (given) Plan(_ context.Context, i workflows.Incident, _ workflows.Findings, _ time.Time) ([]diagnosis.PlannedProposal, error) {
	var plan []diagnosis.PlannedProposal
	for n := range perDomain {
		plan = append(plan, diagnosis.PlannedProposal{
			Key: fmt.Sprintf("change%d", n), Title: fmt.Sprintf("Repair part %d", n+1), Steps: []diagnosis.PlannedStep{{
				Kind: diagnosis.Change, Title: "apply the diff", By: diagnosis.ByOwner, Diff: "--- a\n+++ b\n", Undo: "revert the diff", Reversible: true,
				Action: diagnosis.Action{System: "git", Name: diagnosis.ActionApplyDiff, Target: i.Subject},
			}},
		})
	}
	return plan, nil
}
