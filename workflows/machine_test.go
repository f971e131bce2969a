package workflows

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"

	"pgregory.net/rapid"
)

// TestAnyOrder runs clicks, deadlines, deliveries, crashes and clock jumps in
// any order and holds the invariants of invariants_test.go after each.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		quorum := rapid.IntRange(1, 2).Draw(t, "quorum")
		plan := testPlan
		atL3 := rapid.Bool().Draw(t, "at L3")
		switch rapid.IntRange(0, 2).Draw(t, "plan") {
		case 1:
			plan = dwFirstPlan
		case 2:
			plan = rollPlan
		}
		if atL3 {
			plan = itselfPlan
		}
		m := &machine{e: newEstate(func(e *estate) {
			e.policy.Quorum, e.patient, e.plan = quorum, true, plan()
			if atL3 {
				e.open(L3Act)
				e.consumers = []lineage.Consumer{{ID: "sched://build"}}
			}
		}), seen: map[string]Proposal{}, incidents: map[string]IncidentState{}, plan: plan}
		m.e.asked(t)
		t.Repeat(map[string]func(*rapid.T){
			"decide":     m.decide,
			"help":       m.help,
			"helpMore":   m.help,
			"helpAlong":  m.helpAlong,
			"helpLate":   func(t *rapid.T) { m.e.now = m.e.now.Add(5 * time.Hour); m.help(t) },
			"forge":      m.forge,
			"replay":     m.replay,
			"markDone":   m.markDone,
			"stop":       m.stop,
			"resume":     m.resume,
			"level":      func(t *rapid.T) { m.level(t, atL3) },
			"takeBack":   m.takeBack,
			"choose":     m.choose,
			"helpBack":   m.helpBack,
			"delegate":   m.delegate,
			"endOne":     m.endOne,
			"wait":       m.wait,
			"clockJump":  m.clockJump,
			"fireOne":    m.fireOne,
			"fireStale":  m.fireStale,
			"deliver":    m.deliver,
			"redeliver":  m.redeliver,
			"crash":      m.crash,
			"restart":    func(*rapid.T) { m.e.restart() },
			"weather":    m.weather,
			"runEnds":    func(t *rapid.T) { m.e.sched.finish(rapid.Bool().Draw(t, "ok")) },
			"result":     m.result,
			"replan":     m.replan,
			"everything": func(t *rapid.T) { m.e.drain(t); m.e.tick(t) },
			"":           m.check,
		})
	})
}

type machine struct {
	e         *estate
	clicks    []DecideRequest
	effects   []Effect
	fired     []Deadline
	answered  []DecideRequest // answered with OK
	seen      map[string]Proposal
	incidents map[string]IncidentState
	begun     int // steps that had begun when the stop was last seen on
	itself    int // launches of what dw began by itself, when the level was last seen
	at        Level
	stopped   int64
	plan      func() []diagnosis.PlannedProposal
}

// dwFirstPlan is testPlan with a first step of dw's own in the last proposal.
func dwFirstPlan() []diagnosis.PlannedProposal {
	plan := testPlan()
	again := diagnosis.Action{System: "sched", Name: diagnosis.ActionLaunchJob, Target: "sched://build", Args: map[string]string{"of": "before"}}
	plan[2].Steps[1].UndoAction, plan[2].Steps[1].Undo = &again, "run the job of before"
	plan[2].Steps = append(plan[2].Steps[1:2:2], plan[2].Steps...)
	return plan
}

func (m *machine) proposals() []Proposal {
	ps, err := all[Proposal](m.e.store.data.proposals)
	if err != nil {
		return nil
	}
	return ps
}

// anyProposal draws one of the proposals there are.
func (m *machine) anyProposal(t *rapid.T) Proposal {
	ps := m.proposals()
	if len(ps) == 0 {
		t.Skip("no proposal")
	}
	return ps[rapid.IntRange(0, len(ps)-1).Draw(t, "proposal")]
}

func anybody(t *rapid.T) Person {
	return rapid.SampledFrom([]Person{ann, ann, ben, ben, cleo, carl, mort}).Draw(t, "who")
}

func (m *machine) send(t *rapid.T, r DecideRequest) {
	a, err := m.e.svc.Decide(context.Background(), r)
	if err != nil {
		t.Fatalf("decide: %v", err)
	}
	m.clicks = append(m.clicks, r)
	if a.OK {
		m.answered = append(m.answered, r)
	}
	if a.Text == "" {
		t.Fatalf("no answer to %+v", r)
	}
}

func (m *machine) decide(t *rapid.T) {
	v := rapid.SampledFrom([]Verdict{Approve, Approve, Approve, Reject}).Draw(t, "verdict")
	m.send(t, m.e.click(m.anyProposal(t), anybody(t), v))
}

// help does what a good day would do next with one proposal, so that runs get
// far enough.
func (m *machine) help(t *rapid.T) {
	m.e.drain(t)
	p := m.anyProposal(t)
	switch n, open := p.Current(); {
	case p.State == Waiting:
		for _, l := range p.Asked() {
			m.send(t, m.e.click(p, l.Person, Approve))
		}
	case p.State == Executing && open && p.Steps[n].State == StepWaiting:
		r := DoneRequest{By: ann, Proposal: p.ID, HashPrefix: p.HashPrefix(), Step: n, Message: p.Message, At: m.e.now}
		if _, err := m.e.svc.MarkDone(context.Background(), r); err != nil {
			t.Fatalf("mark done: %v", err)
		}
	case p.State == Executing && open && p.Steps[n].State == StepRunning:
		m.e.sched.finish(true)
		m.e.now = m.e.now.Add(5 * time.Minute)
		m.e.tick(t)
	}
}

// helpAlong carries the whole incident on, over several steps.
func (m *machine) helpAlong(t *rapid.T) {
	m.e.status["orders"], m.e.status["orders_dead"] = checks.Pass, checks.Pass
	for range 6 {
		m.help(t)
	}
}

// forge clicks with one fact wrong; such a click may never count.
func (m *machine) forge(t *rapid.T) {
	p := m.anyProposal(t)
	r := m.e.click(p, anybody(t), Approve)
	switch rapid.IntRange(0, 4).Draw(t, "lie") {
	case 0:
		r.HashPrefix = fmt.Sprintf("%032x", m.e.ids)
	case 1:
		r.Nonce = "00"
	case 2:
		r.Message.TS += "0"
	case 3:
		r.NotAllowed = "you are a bot"
	case 4:
		r.At = p.Clocks.ExpiresAt
	}
	before := len(p.Decisions)
	m.send(t, r)
	if after, err := m.e.svc.Proposal(context.Background(), p.ID); err != nil || len(after.Decisions) != before {
		t.Fatalf("a forged click counted: %+v (%v)", r, err)
	}
}

// replay sends an old click again: the same delivery, or late.
func (m *machine) replay(t *rapid.T) {
	if len(m.clicks) == 0 {
		t.Skip("no click yet")
	}
	r := m.clicks[rapid.IntRange(0, len(m.clicks)-1).Draw(t, "click")]
	if rapid.Bool().Draw(t, "late") {
		r.At = m.e.now
	}
	m.send(t, r)
}

func (m *machine) markDone(t *rapid.T) {
	p := m.anyProposal(t)
	if len(p.Plan) == 0 {
		t.Skip("a policy change has no steps")
	}
	step := rapid.IntRange(0, len(p.Plan)-1).Draw(t, "step")
	r := DoneRequest{
		By: anybody(t), Proposal: p.ID, HashPrefix: p.HashPrefix(), Step: step, Message: p.Message, At: m.e.now,
		Undo: rapid.Bool().Draw(t, "undo"),
	}
	if _, err := m.e.svc.MarkDone(context.Background(), r); err != nil {
		t.Fatalf("mark done: %v", err)
	}
}

func (m *machine) wait(t *rapid.T) {
	minutes := rapid.SampledFrom([]int{1, 5, 30, 120, 300}).Draw(t, "minutes")
	m.e.now = m.e.now.Add(time.Duration(minutes) * time.Minute)
}

func (m *machine) clockJump(t *rapid.T) {
	m.e.now = m.e.now.Add(time.Duration(rapid.IntRange(-180, 180).Draw(t, "minutes")) * time.Minute)
}

func (m *machine) fireOne(t *rapid.T) {
	due, _ := (&memTx{data: m.e.store.data}).Due(context.Background(), m.e.now, 100)
	if len(due) == 0 {
		t.Skip("nothing is due")
	}
	m.fire(t, rapid.SampledFrom(due).Draw(t, "deadline"))
}

// fireStale fires a deadline that another process has fired before.
func (m *machine) fireStale(t *rapid.T) {
	if len(m.fired) == 0 {
		t.Skip("nothing was fired yet")
	}
	m.fire(t, rapid.SampledFrom(m.fired).Draw(t, "deadline"))
}

func (m *machine) fire(t *rapid.T, d Deadline) {
	m.fired = append(m.fired, d)
	if err := m.e.svc.Fire(context.Background(), d); err != nil {
		t.Fatalf("fire %v: %v", d, err)
	}
}

func (m *machine) deliver(t *rapid.T) {
	queue := m.e.store.data.effects
	if len(queue) == 0 {
		t.Skip("no effect is queued")
	}
	n := rapid.IntRange(0, len(queue)-1).Draw(t, "effect")
	eff := queue[n]
	m.effects = append(m.effects, eff)
	if err := m.e.deliver(eff); err != nil {
		return // it stays queued, as after an error of a worker
	}
	m.e.store.data.effects = append(queue[:n:n], m.e.store.data.effects[n+1:]...)
}

func (m *machine) redeliver(t *rapid.T) {
	if len(m.effects) == 0 {
		t.Skip("no effect was delivered yet")
	}
	_ = m.e.deliver(m.effects[rapid.IntRange(0, len(m.effects)-1).Draw(t, "effect")]) // an error asks for one more delivery
}

// crash lets the database go away in the middle of the coming launch, after the
// call, as a killed process leaves it.
func (m *machine) crash(*rapid.T) {
	m.e.sched.after = func() { m.e.store.down = errors.New("killed") }
	m.deliverSteps()
	m.e.sched.after, m.e.store.down = nil, nil
	m.e.restart()
}

func (m *machine) deliverSteps() {
	for _, eff := range m.e.store.data.effects {
		if eff.Kind == EffectStep {
			m.effects = append(m.effects, eff)
			_ = m.e.deliver(eff) // the process dies in it
		}
	}
}

// weather changes how the outside systems answer.
func (m *machine) weather(t *rapid.T) {
	s := m.e.sched
	s.deaf, s.answer, s.blind = false, nil, nil
	switch rapid.IntRange(0, 4).Draw(t, "weather") {
	case 1:
		s.answer = &UnclearError{Call: "launch", Err: errors.New("cut")}
	case 2:
		s.answer, s.deaf = &UnclearError{Call: "launch", Err: errors.New("cut")}, true
	case 3:
		s.answer, s.deaf = errors.New("refused"), true
	case 4:
		s.blind = errors.New("no answer")
	}
	s.schedule = rapid.SampledFrom([]string{"RUNNING", "STOPPED"}).Draw(t, "schedule")
	s.version = rapid.SampledFrom([]string{"v1", "v1", "v1", "v2"}).Draw(t, "version")
	s.unread = nil
	if rapid.IntRange(0, 3).Draw(t, "unread") == 0 {
		s.unread = errors.New("no answer")
	}
	m.e.silent = rapid.Bool().Draw(t, "silent")
}

func (m *machine) result(t *rapid.T) {
	check := rapid.SampledFrom([]string{"orders", "orders_dead"}).Draw(t, "check")
	status := rapid.SampledFrom([]checks.Status{checks.Pass, checks.Pass, checks.Fail, checks.Error, checks.Late}).Draw(t, "status")
	m.e.status[check] = status
	if err := m.e.svc.OnResult(context.Background(), m.e.result(check, status)); err != nil {
		t.Fatalf("on result: %v", err)
	}
}

// replan changes what dw would ask for, and brings a failing check that makes
// it look again.
func (m *machine) replan(t *rapid.T) {
	m.e.plan = m.plan()
	m.e.plan[len(m.e.plan)/2].Steps[0].Diff = rapid.SampledFrom([]string{"one", "two", "three"}).Draw(t, "diff")
	m.e.ids++
	check := fmt.Sprintf("check%d", m.e.ids)
	m.e.relatedTo["db://orders"], m.e.relatedTo[lineage.AssetID("db://"+check)] = true, true
	m.e.fail(t, check)
	m.e.now = m.e.now.Add(m.e.policy.Settle)
	m.e.tick(t)
}

func (m *machine) stop(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "seldom") > 0 {
		t.Skip("stopped seldom")
	}
	if _, err := m.e.svc.PullStop(context.Background(), StopRequest{By: anybody(t), Channel: "C1", At: m.e.now}); err != nil {
		t.Fatalf("stop: %v", err)
	}
}

// resume asks for the end of the stop; somebody may approve it.
func (m *machine) resume(t *rapid.T) {
	by := anybody(t)
	if _, err := m.e.svc.AskResume(context.Background(), StopRequest{By: by, Channel: "C1", At: m.e.now}); err != nil {
		t.Fatalf("resume: %v", err)
	}
	m.e.drain(t)
	for _, p := range m.proposals() {
		if p.Change != nil && p.State == Waiting {
			m.send(t, m.e.click(p, anybody(t), Approve))
		}
	}
}

func (m *machine) takeBack(t *rapid.T) {
	v := rapid.SampledFrom([]Verdict{Revoke, Withdraw}).Draw(t, "verdict")
	m.send(t, m.e.click(m.anyProposal(t), anybody(t), v))
}

// choose picks what becomes of a halted run, or tries to where there is none.
func (m *machine) choose(t *rapid.T) {
	v := rapid.SampledFrom([]Verdict{RollBack, RollBack, GiveUp, Renew}).Draw(t, "choice")
	p := m.anyProposal(t)
	for _, q := range m.proposals() {
		if q.Choosable() {
			p = q
		}
	}
	m.send(t, m.e.click(p, anybody(t), v))
}

// helpBack rolls a halted run back on a good day, step by step, if there is one.
func (m *machine) helpBack(t *rapid.T) {
	s := m.e.sched
	s.deaf, s.answer, s.blind, s.unread, s.version = false, nil, nil, nil, "v1"
	for _, p := range m.proposals() {
		if p.Choosable() {
			m.send(t, m.e.click(p, ann, RollBack))
			m.e.drain(t)
		}
	}
	s.finish(rapid.IntRange(0, 3).Draw(t, "fails") > 0)
	m.e.now = m.e.now.Add(5 * time.Minute)
	m.e.tick(t)
	for _, p := range m.proposals() {
		if n, open := p.undoNext(); open && p.rollsBack(n) && p.undoStatus(n).State == StepWaiting {
			r := DoneRequest{By: ann, Proposal: p.ID, HashPrefix: p.HashPrefix(), Step: n, Undo: true, Message: p.Message, At: m.e.now}
			if _, err := m.e.svc.MarkDone(context.Background(), r); err != nil {
				t.Fatalf("mark undone: %v", err)
			}
		}
	}
}

// delegate names somebody to stand in, for a while from now or from soon.
func (m *machine) delegate(t *rapid.T) {
	from := m.e.now.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 0, 20}).Draw(t, "in")) * time.Minute)
	r := DelegateRequest{By: anybody(t), To: anybody(t), From: from, Until: from.Add(time.Duration(rapid.SampledFrom([]int{30, 120, 600}).Draw(t, "for")) * time.Minute), At: m.e.now}
	if a, err := m.e.svc.Delegate(context.Background(), r); err != nil || a.Text == "" || a.OK && r.By.Same(r.To) {
		t.Fatalf("delegate %+v: %+v, %v", r, a, err)
	}
}

func (m *machine) endOne(t *rapid.T) {
	ds, err := m.e.svc.Delegations(context.Background())
	if err != nil || len(ds) == 0 {
		t.Skip("no delegation")
	}
	d := rapid.SampledFrom(ds).Draw(t, "delegation")
	if a, err := m.e.svc.EndDelegation(context.Background(), EndRequest{By: d.To, ID: d.ID, At: m.e.now}); err != nil || a.Text == "" {
		t.Fatalf("end %s: %+v, %v", d.ID, a, err)
	}
}
