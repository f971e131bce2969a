package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/receipts"
)

// board is a system of pages or tickets: what was carried to it stands there by
// its mark. Its next answers may be lost, and it may be slow to show things.
type board struct {
	made   map[string]Reference // by kind and mark
	orders []Order
	lose   int    // answers lost after the effect
	vanish int    // calls lost before the effect, which dw cannot tell
	refuse error  // answer to every call
	hidden bool   // Find shows nothing
	before func() // called in a call, before its answer
}

func (b *board) Name() string { return "Board" }

func (b *board) Carry(_ context.Context, o Order) (Reference, error) {
	b.orders = append(b.orders, o)
	if b.refuse != nil {
		return Reference{}, b.refuse
	}
	if b.vanish > 0 {
		b.vanish--
		return Reference{}, &UnclearError{Call: "board", Err: errors.New("no answer")}
	}
	ref := Reference{ID: fmt.Sprintf("B%d", len(b.orders)), State: strings.TrimPrefix(o.Kind, "page.") + "d"}
	if b.made == nil {
		b.made = map[string]Reference{}
	}
	b.made[o.Kind+o.Mark] = ref
	if b.before != nil {
		b.before()
	}
	if b.lose > 0 {
		b.lose--
		return Reference{}, &UnclearError{Call: "board", Err: errors.New("no answer")}
	}
	return ref, nil
}

func (b *board) Find(_ context.Context, o Order) (Reference, bool, error) {
	ref, found := b.made[o.Kind+o.Mark]
	return ref, found && !b.hidden, nil
}

// carried counts the calls of a kind.
func (b *board) carried(kind string) int {
	n := 0
	for _, o := range b.orders {
		if o.Kind == kind {
			n++
		}
	}
	return n
}

// boarded is an estate with both boards, which pages and opens tickets as said.
func boarded(page, ticket string) *estate {
	return newEstate(func(e *estate) {
		e.pager, e.tracker = &board{}, &board{}
		e.policy.PageService, e.policy.Page = "grid", page
		e.policy.TicketProject, e.policy.TicketType, e.policy.Ticket = "OPS", "Bug", ticket
	})
}

func (e *estate) request(t *testing.T, ask func(context.Context, ErrandRequest) (Answer, error), project string) Answer {
	t.Helper()
	a, err := ask(t.Context(), ErrandRequest{By: ben, Incident: e.incident(t).ID, Project: project, At: e.now})
	if err != nil {
		t.Fatal(err)
	}
	e.drain(t)
	return a
}

func (e *estate) errand(t *testing.T, kind string) Errand {
	t.Helper()
	got, ok := e.incident(t).begun(kind)
	if !ok {
		t.Fatalf("no errand %s: %+v", kind, e.incident(t).Errands)
	}
	return got
}

// The intent is on disk before the call, and another process that takes the
// same delivery meanwhile finds what the call made and makes no second one.
func TestErrandIsCarriedOnceByTwoProcesses(t *testing.T) {
	t.Parallel()
	e := boarded(OnRequest, OnRequest)
	e.fail(t, "orders")
	e.tracker.before = func() {
		e.tracker.before = nil
		if got := e.errand(t, EffectTicketOpen); got.State != ErrandCalled || e.kinds()[receipts.KindErrandIntent] != 1 {
			t.Errorf("at the call the errand is %+v", got)
		}
		e.restart()
		ref := ErrandRef{Incident: e.incident(t).ID, Errand: EffectTicketOpen}
		if err := e.svc.Perform(t.Context(), newEffect(EffectTicketOpen, "again", ref)); err != nil {
			t.Error(err)
		}
	}
	e.request(t, e.svc.RequestTicket, "")
	if e.tracker.carried(EffectTicketOpen) != 1 || e.incident(t).Ticket.ID != "B1" {
		t.Errorf("%d tickets were opened, the incident has %+v", e.tracker.carried(EffectTicketOpen), e.incident(t).Ticket)
	}
	if d := e.last(receipts.KindErrandOutcome); d.Body["how"] != howFoundErrand || e.kinds()[receipts.KindErrandOutcome] != 1 {
		t.Errorf("receipt %+v", d.Body)
	}
}

func TestUnclearErrands(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		board func(*board)
		kind  string
		state ErrandState
		calls int
	}{
		"a lost answer of a ticket":        {func(b *board) { b.lose = 1 }, EffectTicketOpen, ErrandDone, 1},
		"a ticket that is not shown":       {func(b *board) { b.lose, b.hidden = 1, true }, EffectTicketOpen, ErrandAsked, 1},
		"a ticket that was not opened":     {func(b *board) { b.vanish = 1 }, EffectTicketOpen, ErrandAsked, 1},
		"a lost answer of a page":          {func(b *board) { b.lose = 1 }, EffectPageTrigger, ErrandDone, 2},
		"a page that is never answered":    {func(b *board) { b.vanish = 100 }, EffectPageTrigger, ErrandAsked, maxLooks},
		"refused":                          {func(b *board) { b.refuse = errors.New("wrong key") }, EffectTicketOpen, ErrandFailed, 1},
		"not now":                          {func(b *board) { b.refuse = &LaterError{Err: errors.New("busy")} }, EffectTicketOpen, ErrandFailed, maxLooks},
		"nothing in the answer of a board": {func(b *board) { b.refuse = &UnclearError{Call: "board", Err: errors.New("odd")} }, EffectTicketOpen, ErrandAsked, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := boarded(OnRequest, OnRequest)
			e.fail(t, "orders")
			b, ask := e.tracker, e.svc.RequestTicket
			if test.kind == EffectPageTrigger {
				b, ask = e.pager, e.svc.RequestPage
			}
			test.board(b)
			e.request(t, ask, "")
			e.pass(t, 30*time.Minute)
			if got := e.errand(t, test.kind); got.State != test.state || b.carried(test.kind) != test.calls {
				t.Errorf("the errand is %+v after %d calls, want %s after %d", got, b.carried(test.kind), test.state, test.calls)
			}
			last := e.last(receipts.KindErrandOutcome)
			if last.Body["state"] != string(test.state) {
				t.Errorf("the last receipt says %v", last.Body)
			}
			told := e.noted(t, "was not done") || e.noted(t, "Please look there")
			if told != (test.state != ErrandDone) {
				t.Errorf("whether a person is told: %t, notes %+v", told, e.incident(t).Notes)
			}
		})
	}
}

// A person who was asked to look may ask again: what is there by then is taken.
func TestAskedAgainAfterLooking(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hidden bool
		calls  int
	}{"it is there after all": {false, 1}, "it is not there": {true, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := boarded(OnRequest, OnRequest)
			e.fail(t, "orders")
			e.tracker.lose, e.tracker.hidden = 1, true
			e.request(t, e.svc.RequestTicket, "")
			e.pass(t, 30*time.Minute)
			e.tracker.hidden = test.hidden
			if a := e.request(t, e.svc.RequestTicket, "SRC"); !a.OK {
				t.Errorf("the answer is %q", a.Text)
			}
			if got := e.tracker.carried(EffectTicketOpen); got != test.calls || e.incident(t).Ticket.ID == "" {
				t.Errorf("%d calls, want %d; the incident has %+v", got, test.calls, e.incident(t).Ticket)
			}
		})
	}
}

func TestRequestsAreAnswered(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*testing.T, *estate)
		says   string
	}{
		"no tracker":   {func(_ *testing.T, e *estate) { e.tracker = nil; e.restart() }, "connected to no such system"},
		"off":          {func(_ *testing.T, e *estate) { e.policy.Ticket = Never }, "has no tickets"},
		"no project":   {func(_ *testing.T, e *estate) { e.policy.TicketProject = "" }, "has no tickets"},
		"there is one": {func(t *testing.T, e *estate) { e.request(t, e.svc.RequestTicket, "") }, "has a ticket: B1"},
		"under way":    {func(t *testing.T, e *estate) { e.tracker.vanish = 1; e.request(t, e.svc.RequestTicket, "") }, "under way already"},
		"first":        {func(*testing.T, *estate) {}, "is on its way"},
		"refused before": {func(t *testing.T, e *estate) {
			e.tracker.refuse = errors.New("no")
			e.request(t, e.svc.RequestTicket, "")
		}, "is on its way"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := boarded(OnRequest, OnRequest)
			e.fail(t, "orders")
			test.change(t, e)
			if a := e.request(t, e.svc.RequestTicket, ""); !strings.Contains(a.Text, test.says) {
				t.Errorf("the answer is %q, want %q", a.Text, test.says)
			}
		})
	}
}

// marks lists the stages of what was carried of a kind.
func (b *board) marks(kind string) string {
	var out []string
	for _, o := range b.orders {
		if o.Kind == kind {
			out = append(out, strings.TrimPrefix(strings.TrimPrefix(o.Mark, "dw:"+o.Incident), ":"))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// A page is told of the cause, what is asked, each decision and the end.
func TestPageFollowsTheIncident(t *testing.T) {
	t.Parallel()
	e := boarded(ByItself, OnResolve)
	e.asked(t)
	if e.pager.carried(EffectPageTrigger) != 1 {
		t.Fatalf("%d pages", e.pager.carried(EffectPageTrigger))
	}
	if got := e.pager.marks(EffectPageNote); !strings.Contains(got, "cause-lost_rows") || !strings.Contains(got, "asked-") {
		t.Errorf("notes %q", got)
	}
	hold := e.key(t, "hold")
	e.approve(t, "hold")
	if got := e.pager.marks(EffectPageNote); !strings.Contains(got, "decided-"+hold.ID+"-U1") {
		t.Errorf("notes %q, want the decision", got)
	}
	if e.tracker.carried(EffectTicketOpen) != 0 {
		t.Error("a ticket was opened before the end")
	}
	if _, err := e.svc.Acknowledge(t.Context(), e.incident(t).ID, ben, e.now); err != nil {
		t.Fatal(err)
	}
	e.drain(t)
	if e.pager.carried(EffectPageAcknowledge) != 1 || e.pager.orders[len(e.pager.orders)-1].As[0] != ben {
		t.Errorf("acknowledged %d times, by %+v", e.pager.carried(EffectPageAcknowledge), e.pager.orders[len(e.pager.orders)-1].As)
	}
}

// Where nobody decides in time, on-call people are paged, or the page escalates
// once; a domain that never pages pages nobody.
func TestExpiryPagesOnce(t *testing.T) {
	t.Parallel()
	for page, want := range map[string][2]int{ByItself: {1, 1}, OnRequest: {1, 0}, Never: {0, 0}} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			e := boarded(page, Never)
			e.asked(t)
			e.pass(t, 3*time.Hour)
			wantState(t, e.key(t, "change"), Expired)
			if got := [2]int{e.pager.carried(EffectPageTrigger), e.pager.carried(EffectPageEscalate)}; got != want {
				t.Errorf("triggered and escalated %v, want %v", got, want)
			}
		})
	}
}

// What a person does in the pager is done here once; a page that belongs to no
// incident of dw's is refused.
func TestPageActedOnce(t *testing.T) {
	t.Parallel()
	e := boarded(ByItself, Never)
	e.fail(t, "orders")
	i := e.incident(t)
	act := PageAct{Page: i.Page.ID, State: PageAcknowledged, By: ben, System: "Board", At: e.now}
	for range 2 {
		if err := e.svc.PageActed(t.Context(), act); err != nil {
			t.Fatal(err)
		}
	}
	e.drain(t)
	i = e.incident(t)
	if i.State != Acknowledged || i.AckedBy != ben || e.pager.carried(EffectPageAcknowledge) != 0 {
		t.Errorf("the incident is %s by %+v, and %d acknowledgements were sent back", i.State, i.AckedBy, e.pager.carried(EffectPageAcknowledge))
	}
	act.State = PageResolved
	if err := e.svc.PageActed(t.Context(), act); err != nil {
		t.Fatal(err)
	}
	if i = e.incident(t); i.State != Acknowledged || !e.noted(t, "does not say that the numbers are right") {
		t.Errorf("after the page was resolved the incident is %s: %+v", i.State, i.Notes)
	}
	acts := 0
	for _, d := range e.store.data.drafts {
		if what, _ := d.Body["what"].(string); strings.HasPrefix(what, "page ") {
			acts++
		}
	}
	if acts != 2 {
		t.Errorf("%d receipts of acts, want 2", acts)
	}
	for name, other := range map[string]PageAct{"no such page": {Page: "B99"}, "no such incident": {Incident: "inc999"}} {
		if err := e.svc.PageActed(t.Context(), other); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The pager tells dw of dw's own calls, as done by the person in whose name they
// were made. That is no act of hers.
func TestOwnCallIsNoPersonsAct(t *testing.T) {
	t.Parallel()
	e := boarded(ByItself, Never)
	e.fail(t, "orders")
	page := e.incident(t).Page.ID
	e.pager.before = func() {
		if err := e.svc.PageActed(t.Context(), PageAct{Page: page, State: PageAcknowledged, By: ann, System: "Board", At: e.now}); err != nil {
			t.Error(err)
		}
	}
	if _, err := e.svc.Acknowledge(t.Context(), e.incident(t).ID, ann, e.now); err != nil {
		t.Fatal(err)
	}
	e.drain(t)
	if e.pager.carried(EffectPageAcknowledge) != 1 || e.noted(t, "acknowledged the page in") {
		t.Errorf("%d calls, notes %+v", e.pager.carried(EffectPageAcknowledge), e.incident(t).Notes)
	}
	for _, d := range e.store.data.drafts {
		if what, _ := d.Body["what"].(string); strings.HasPrefix(what, "page ") {
			t.Errorf("a receipt says that %+v did it", d.Actor)
		}
	}
}

// TestLostIntentCallsNothing: where the commit of the intent is lost and another
// process has settled the errand by the time it is tried again, nothing is called.
func TestLostIntentCallsNothing(t *testing.T) {
	t.Parallel()
	e := boarded(OnRequest, OnRequest)
	e.fail(t, "orders")
	id := e.incident(t).ID
	if _, err := e.svc.RequestTicket(t.Context(), ErrandRequest{By: ben, Incident: id, At: e.now}); err != nil {
		t.Fatal(err)
	}
	e.store.conflicts, e.store.between = 1, func(d *memData) {
		i, err := get[Incident](d.incidents, id)
		done, begun := i.begun(EffectTicketOpen)
		if err != nil || !begun || done.State != ErrandQueued {
			t.Errorf("between the two: %v %+v", err, done)
		}
		done.State = ErrandDone
		if err := put(d.incidents, id, i.withErrand(done)); err != nil {
			t.Error(err)
		}
	}
	if err := e.svc.Perform(t.Context(), newEffect(EffectTicketOpen, "now", ErrandRef{Incident: id, Errand: EffectTicketOpen})); err != nil {
		t.Fatal(err)
	}
	if n := e.tracker.carried(EffectTicketOpen); n != 0 || e.kinds()[receipts.KindErrandIntent] != 0 {
		t.Errorf("called %d times without an intent of its own", n)
	}
}
