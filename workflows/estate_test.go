package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
	"dw/receipts"
)

var (
	ann   = Person{Team: "T1", User: "U1", Name: "Ann"}
	ben   = Person{Team: "T1", User: "U2", Name: "Ben"}
	cleo  = Person{Team: "T1", User: "U3", Name: "Cleo"}
	carl  = Person{Team: "T1", User: "U4", Name: "Carl"} // cc
	mort  = Person{Team: "T1", User: "U9", Name: "Mort"} // nobody
	epoch = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
)

func testPolicy() Policy {
	return Policy{
		Domain: "sales", Level: L2Propose, Owner: ann, Deputy: ben, Escalation: []Person{cleo}, CC: []Person{carl},
		Quorum: 1, Channel: "C1", Settle: time.Minute,
		RemindAfter: 10 * time.Minute, EscalateAfter: 30 * time.Minute, ExpireAfter: 2 * time.Hour, ExecuteWithin: 4 * time.Hour,
		ObserveEvery: time.Minute, PollEvery: time.Minute, RunTimeout: 30 * time.Minute,
		VerifyAfter: 5 * time.Minute, VerifyEvery: 5 * time.Minute, VerifyWithin: 20 * time.Minute,
		Version: strings.Repeat("a", 64),
	}
}

// estate is a small world around a real Service: a scheduler with runs, a
// schedule that can be paused, and checks whose verdict is a state.
type estate struct {
	svc    *Service
	store  *memStore
	now    time.Time
	ids    int
	policy Policy

	status    map[string]checks.Status // what a check answers, by name
	planless  error                    // why no plan can be made
	silent    bool                     // checks cannot be asked
	patient   bool                     // see drain
	cause     *diagnosis.Cause
	late      bool
	plan      []diagnosis.PlannedProposal
	sched     *scheduler
	pager     *board // nil: none
	tracker   *board
	oncall    Pager
	groups    Groups
	authors   map[string]Person // by e-mail or Slack id
	harm      *lineage.Consumer // the first harm
	consumers []lineage.Consumer
	relatedTo map[lineage.AssetID]bool
	ties      func(a, b lineage.AssetID) bool     // nil: relatedTo
	feeds     func(from, to lineage.AssetID) bool // nil: nothing does
}

func newEstate(change ...func(*estate)) *estate {
	e := &estate{
		store: newMemStore(), now: epoch, policy: testPolicy(),
		status:    map[string]checks.Status{},
		cause:     &diagnosis.Cause{ID: "lost_rows", Title: "Rows are lost", Why: "They stand elsewhere."},
		plan:      testPlan(),
		sched:     &scheduler{runs: map[string]*Run{}, schedule: "RUNNING", version: "v1", byHand: "none"},
		relatedTo: map[lineage.AssetID]bool{"db://orders": true, "db://orders_dead": true},
	}
	for _, c := range change {
		c(e)
	}
	e.restart()
	return e
}

// restart builds a new Service on the same store, as a new process does.
func (e *estate) restart() {
	var pager, tickets Courier
	if e.pager != nil {
		pager = e.pager
	}
	if e.tracker != nil {
		tickets = e.tracker
	}
	e.svc = NewService(Options{
		Pager: pager, Tickets: tickets, OnCall: e.oncall, Groups: e.groups, Author: func(who string) (Person, bool) { p, ok := e.authors[who]; return p, ok }, Permalink: func(m MessageRef) string { return "https://chat.example/" + m.TS },
		Store: e.store, Checks: e, Investigator: e, Observers: []Observer{e.sched}, Readers: []FactReader{e.sched},
		Policies:  func(domain string) (Policy, bool) { return e.policy, domain == e.policy.Domain },
		Domains:   func() []Policy { return []Policy{e.policy} },
		Command:   "/dw",
		Actuators: map[string]Actuator{"sched": e.sched},
		Now:       func() time.Time { return e.now },
		NewID:     func(prefix string) string { e.ids++; return fmt.Sprintf("%s%03d", prefix, e.ids) },
		NewNonce:  func() string { e.ids++; return fmt.Sprintf("%032x", e.ids) },
	})
}

func testPlan() []diagnosis.PlannedProposal {
	resume := diagnosis.Action{System: "sched", Name: diagnosis.ActionResumeSchedule, Target: "sched://export"}
	return []diagnosis.PlannedProposal{
		{Key: "hold", Title: "Pause the export", Steps: []diagnosis.PlannedStep{{
			Kind: diagnosis.Hold, Title: "pause the export", By: diagnosis.ByOwner, Reversible: true, Undo: "resume the export", UndoAction: &resume,
			Action: diagnosis.Action{System: "sched", Name: diagnosis.ActionPauseSchedule, Target: "sched://export"},
		}}},
		{Key: "change", Title: "Repair the feed", Steps: []diagnosis.PlannedStep{{
			Kind: diagnosis.Change, Title: "apply the diff", By: diagnosis.ByOwner, Diff: "--- a\n+++ b\n", Undo: "revert the diff", Reversible: true,
			Action: diagnosis.Action{System: "git", Name: diagnosis.ActionApplyDiff, Target: "git://feed"},
		}}},
		{Key: "recover", Title: "Bring the rows back", After: []string{"change"}, Steps: []diagnosis.PlannedStep{
			{Kind: diagnosis.Recover, Title: "merge the diff", By: diagnosis.ByOwner, Action: diagnosis.Action{System: "git", Name: diagnosis.ActionApplyDiff, Target: "git://model"}, Undo: "revert"},
			{Kind: diagnosis.Rerun, Title: "run the job", By: diagnosis.ByDW, Action: diagnosis.Action{System: "sched", Name: diagnosis.ActionLaunchJob, Target: "sched://build"}, Undo: "none"},
			{Kind: diagnosis.Verify, Title: "check again", By: diagnosis.ByDW, Action: diagnosis.Action{System: "dw", Name: diagnosis.ActionVerify, Target: "db://orders"}},
		}},
	}
}

func (e *estate) result(check string, status checks.Status) checks.Result {
	return checks.Result{
		Check: check, Kind: "volume", Asset: lineage.AssetID("db://" + check), Domain: "sales", Status: status,
		At: e.now, Since: epoch.Add(-time.Hour), Message: check + " is " + string(status) + ".",
		Observed: &checks.Measure{Value: 69.5, Unit: "rows", Source: "db", At: e.now},
	}
}

func (e *estate) RunCheck(_ context.Context, name string, _ time.Time) (checks.Result, error) {
	if e.silent {
		return checks.Result{}, errors.New("warehouse does not answer")
	}
	return e.result(name, e.status[name]), nil
}

func (e *estate) NextDue(name string, after time.Time) (time.Time, error) {
	if name == "unknown" {
		return time.Time{}, errors.New("no such check")
	}
	return after.Truncate(time.Hour).Add(time.Hour), nil
}

func (e *estate) Recheck(_ context.Context, i Incident, now time.Time) (Verification, error) {
	if e.silent {
		return Verification{}, errors.New("warehouse does not answer")
	}
	v := Verification{At: now, OK: true}
	for _, s := range i.Signals {
		r := e.result(s.Check, e.status[s.Check])
		v.OK = v.OK && r.Status == checks.Pass
		v.Results = append(v.Results, r)
	}
	return v, nil
}

func (e *estate) Related(subject, asset lineage.AssetID) bool {
	if e.ties != nil {
		return e.ties(subject, asset)
	}
	return e.relatedTo[subject] && e.relatedTo[asset]
}

func (e *estate) Feeds(from, to lineage.AssetID) bool { return e.feeds != nil && e.feeds(from, to) }

func (e *estate) Investigate(_ context.Context, i Incident, _ []checks.Result, _ []diagnosis.ChangeEvent, now time.Time) (Findings, error) {
	d := diagnosis.Diagnosis{At: now, Subject: i.Subject, Onset: i.Onset, Verdict: "Rows are missing.", Late: e.late}
	if e.cause != nil {
		d.Causes = []diagnosis.Cause{*e.cause}
	}
	return Findings{Diagnosis: d, Blast: lineage.BlastRadius{Subject: i.Subject, At: now, First: e.harm, Consumers: e.consumers}, Harm: &HarmCount{Count: 7, Unit: "people", At: now}}, nil
}

func (e *estate) Plan(context.Context, Incident, Findings, time.Time) ([]diagnosis.PlannedProposal, error) {
	return e.plan, e.planless
}

// drain delivers queued effects: its own through Perform, cards by placing
// them. It goes on until the queue is empty. A patient estate keeps what could
// not be delivered, as a queue does; else an error ends the test.
func (e *estate) drain(t fataler) {
	t.Helper()
	var failed []Effect
	defer func() { e.store.data.effects = append(e.store.data.effects, failed...) }()
	for range 1000 {
		e.store.mu.Lock()
		queue := e.store.data.effects
		e.store.data.effects = nil
		e.store.mu.Unlock()
		if len(queue) == 0 {
			return
		}
		for _, eff := range queue {
			switch err := e.deliver(eff); {
			case err != nil && e.patient:
				failed = append(failed, eff)
			case err != nil:
				t.Fatalf("deliver %s: %v", eff.Key, err)
			}
		}
	}
	t.Fatalf("effects do not end")
}

func (e *estate) deliver(eff Effect) error {
	ctx := context.Background()
	switch eff.Kind {
	case EffectInvestigate, EffectVerify, EffectStep, EffectPageTrigger, EffectPageNote, EffectPageAcknowledge, EffectPageResolve,
		EffectPageEscalate, EffectTicketOpen, EffectTicketComment, EffectTicketLink, EffectTicketTitle, EffectTicketResolve:
		return e.svc.Perform(ctx, eff)
	case EffectApprovalCard:
		return decodeThen(eff, func(r ProposalRef) error {
			return e.svc.PlaceCard(ctx, r.Proposal, MessageRef{Channel: "C1", TS: "1." + r.Proposal})
		})
	}
	return nil
}

// tick fires everything that is due and delivers what follows.
func (e *estate) tick(t fataler) {
	t.Helper()
	for range 100 {
		var due []Deadline
		_ = e.store.View(context.Background(), func(tx ReadTx) (err error) {
			due, err = tx.Due(context.Background(), e.now, 100)
			return err
		})
		if len(due) == 0 {
			return
		}
		for _, d := range due {
			if err := e.svc.Fire(context.Background(), d); err != nil {
				t.Fatalf("fire %v: %v", d, err)
			}
			e.drain(t)
		}
	}
	t.Fatalf("deadlines do not end")
}

// pass lets the time run in steps of a minute.
func (e *estate) pass(t fataler, d time.Duration) {
	t.Helper()
	for end := e.now.Add(d); e.now.Before(end); {
		e.now = e.now.Add(min(time.Minute, end.Sub(e.now)))
		e.tick(t)
	}
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

func (e *estate) fail(t fataler, check string) {
	t.Helper()
	e.status[check] = checks.Fail
	if err := e.svc.OnResult(context.Background(), e.result(check, checks.Fail)); err != nil {
		t.Fatalf("on result: %v", err)
	}
	e.drain(t)
}

// recover has a check pass again.
func (e *estate) recover(t fataler, check string) {
	t.Helper()
	e.status[check] = checks.Pass
	if err := e.svc.OnResult(context.Background(), e.result(check, checks.Pass)); err != nil {
		t.Fatalf("on result: %v", err)
	}
	e.drain(t)
}

// asked brings the estate to the point where the proposals wait.
func (e *estate) asked(t fataler) Incident {
	t.Helper()
	e.fail(t, "orders")
	e.pass(t, e.policy.Settle)
	return e.incident(t)
}

func (e *estate) incident(t fataler) Incident {
	t.Helper()
	is, err := e.svc.Incidents(context.Background(), false, 10)
	if err != nil || len(is) == 0 {
		t.Fatalf("no incident: %v", err)
	}
	return is[0]
}

// key returns the newest proposal of a key.
func (e *estate) key(t fataler, key string) Proposal {
	t.Helper()
	_, ps, err := e.svc.Incident(context.Background(), e.incident(t).ID)
	p, found := newestOf(ps, key)
	if err != nil || !found {
		t.Fatalf("no proposal %q: %v", key, err)
	}
	return p
}

func (e *estate) click(p Proposal, who Person, v Verdict) DecideRequest {
	e.ids++
	return DecideRequest{
		By: who, Verdict: v, Proposal: p.ID, HashPrefix: p.HashPrefix(), Nonce: p.Nonce, Message: p.Message,
		ActionTS: fmt.Sprintf("1.%d", e.ids), EnvelopeID: fmt.Sprintf("env%d", e.ids), At: e.now,
	}
}

func (e *estate) decide(t fataler, r DecideRequest) Answer {
	t.Helper()
	a, err := e.svc.Decide(context.Background(), r)
	if err != nil {
		t.Fatalf("decide: %v", err)
	}
	e.drain(t)
	return a
}

func (e *estate) approve(t fataler, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if a := e.decide(t, e.click(e.key(t, key), ann, Approve)); !a.OK {
			t.Fatalf("approve %s: %s", key, a.Text)
		}
	}
}

func (e *estate) done(t fataler, key string, step int, change ...func(*DoneRequest)) Answer {
	t.Helper()
	p := e.key(t, key)
	r := DoneRequest{By: ann, Proposal: p.ID, HashPrefix: p.HashPrefix(), Step: step, Message: p.Message, At: e.now}
	for _, c := range change {
		c(&r)
	}
	a, err := e.svc.MarkDone(context.Background(), r)
	if err != nil {
		t.Fatalf("mark done: %v", err)
	}
	e.drain(t)
	return a
}

// kinds counts the receipts by kind.
func (e *estate) kinds() map[string]int {
	n := map[string]int{}
	for _, d := range e.store.data.drafts {
		n[d.Kind]++
	}
	return n
}

func (e *estate) last(kind string) receipts.Draft {
	for _, d := range slices.Backward(e.store.data.drafts) {
		if d.Kind == kind {
			return d
		}
	}
	return receipts.Draft{}
}

func (e *estate) noted(t fataler, text string) bool {
	t.Helper()
	return slices.ContainsFunc(e.incident(t).Notes, func(n Note) bool { return strings.Contains(n.Text, text) })
}

func wantState(t *testing.T, p Proposal, want ProposalState) {
	t.Helper()
	if p.State != want {
		t.Fatalf("proposal %s is %s, want %s", p.Key, p.State, want)
	}
}
