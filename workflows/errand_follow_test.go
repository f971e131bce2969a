package workflows

import (
	"errors"
	"strings"
	"testing"
	"time"

	"dw/diagnosis"
	"dw/lineage"
	"dw/receipts"
)

// orderOf is the one order of a kind that was carried.
func (b *board) orderOf(t *testing.T, kind string) Order {
	t.Helper()
	var found []Order
	for _, o := range b.orders {
		if o.Kind == kind {
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d orders %s, want one of %+v", len(found), kind, b.orders)
	}
	return found[0]
}

// says reports whether a line of an order has a label and a text.
func (o Order) says(label, text string) bool {
	for _, l := range o.Lines {
		if l.Label == label && strings.Contains(l.Text, text) {
			return true
		}
	}
	return false
}

// The page that wakes a person carries what dw found: it waits for that, and goes
// out without it where that takes too long.
func TestPageWaitsForTheDiagnosis(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, wait time.Duration) *estate {
		t.Helper()
		e := boarded(ByItself, Never)
		e.policy.PageWait = wait
		e.harm = &lineage.Consumer{Moves: "money"}
		e.cause.Evidence = []diagnosis.Evidence{{What: "dead rows", Value: "312", Source: "dead_orders"}}
		e.fail(t, "orders")
		return e
	}
	t.Run("it carries the diagnosis", func(t *testing.T) {
		t.Parallel()
		e := open(t, time.Minute)
		if n := e.pager.carried(EffectPageTrigger); n != 0 {
			t.Fatalf("%d pages before the card has a place", n)
		}
		if err := e.svc.PlaceCard(t.Context(), e.incident(t).ID, MessageRef{Channel: "C1", TS: "1.5"}); err != nil {
			t.Fatal(err)
		}
		e.drain(t)
		o := e.pager.orderOf(t, EffectPageTrigger)
		if !o.says("Cause", "Rows are lost") || !o.says("Evidence", "facts, of which here") || !o.says("Blast radius", "") {
			t.Errorf("the page says %+v", o.Lines)
		}
		if o.Severity != "critical" || len(o.Links) != 1 || !strings.HasSuffix(o.Links[0].URL, "/1.5") || !strings.Contains(o.Title, "Rows are lost") {
			t.Errorf("severity %q, links %v, title %q", o.Severity, o.Links, o.Title)
		}
		if notes := e.pager.marks(EffectPageNote); strings.Contains(notes, "cause-") {
			t.Errorf("a note repeats the cause that the page carries: %s", notes)
		}
		e.pass(t, 3*time.Minute)
		if n := e.pager.carried(EffectPageTrigger); n != 1 {
			t.Errorf("%d pages after the time to wait", n)
		}
	})
	t.Run("it waits no longer than that", func(t *testing.T) {
		t.Parallel()
		e := open(t, time.Minute)
		e.pass(t, 50*time.Second)
		if n := e.pager.carried(EffectPageTrigger); n != 0 {
			t.Fatalf("%d pages after 50 seconds", n)
		}
		e.pass(t, 20*time.Second)
		e.pager.orderOf(t, EffectPageTrigger)
	})
	t.Run("a person does not wait", func(t *testing.T) {
		t.Parallel()
		e := open(t, time.Minute)
		e.request(t, e.svc.RequestPage, "")
		e.pager.orderOf(t, EffectPageTrigger)
		e.pass(t, 5*time.Minute)
		e.pager.orderOf(t, EffectPageTrigger)
	})
	t.Run("what is over pages nobody", func(t *testing.T) {
		t.Parallel()
		e := open(t, time.Hour)
		e.cause = nil
		e.recover(t, "orders")
		e.pass(t, 2*time.Hour)
		if n := e.pager.carried(EffectPageTrigger); n != 0 || e.incident(t).State != Resolved {
			t.Errorf("%d pages for an incident that is %s", n, e.incident(t).State)
		}
	})
	t.Run("a diagnosis that comes later is a note", func(t *testing.T) {
		t.Parallel()
		e := boarded(ByItself, Never)
		e.policy.PageWait = time.Minute
		cause := e.cause
		e.cause = nil
		e.fail(t, "orders")
		e.pass(t, 2*time.Minute)
		if o := e.pager.orderOf(t, EffectPageTrigger); o.says("Cause", "Rows are lost") {
			t.Errorf("the page says %+v", o.Lines)
		}
		e.cause = cause
		e.fail(t, "orders_dead")
		if notes := e.pager.marks(EffectPageNote); !strings.Contains(notes, "cause-lost_rows") {
			t.Errorf("notes %q", notes)
		}
	})
}

// A ticket that was opened while the numbers were wrong is told of what happens,
// keeps a true title, and is moved when they are right; the follow-up that is
// opened because of the end stays as it is.
func TestTicketFollowsTheIncident(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ticket, move string
		early        bool
		kinds        map[string]int
	}{
		"opened before, moved":      {OnRequest, "Done", true, map[string]int{EffectTicketComment: 1, EffectTicketTitle: 1, EffectTicketResolve: 1}},
		"opened before, not moved":  {OnRequest, "", true, map[string]int{EffectTicketComment: 1, EffectTicketTitle: 1}},
		"opened because of the end": {OnResolve, "Done", false, map[string]int{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := boarded(OnRequest, test.ticket)
			e.policy.TicketMove, e.policy.TicketRequest, e.policy.TicketFields = test.move, "Data", map[string]string{"Severity": "High"}
			e.cause = nil
			e.fail(t, "orders")
			if test.early {
				e.request(t, e.svc.RequestTicket, "")
			}
			e.pass(t, time.Minute)
			e.recover(t, "orders")
			e.pass(t, time.Hour)
			for _, kind := range []string{EffectTicketComment, EffectTicketTitle, EffectTicketResolve} {
				if got := e.tracker.carried(kind); got != test.kinds[kind] {
					t.Errorf("%d orders %s, want %d", got, kind, test.kinds[kind])
				}
			}
			o := e.tracker.orderOf(t, EffectTicketOpen)
			if o.Request != "Data" || o.Fields["Severity"] != "High" {
				t.Errorf("the order of the ticket is %+v", o)
			}
			if !test.early {
				return
			}
			if o := e.tracker.orderOf(t, EffectTicketComment); !o.says("Resolved", "at ") || !strings.HasSuffix(o.Mark, ":resolved") || o.On != "B1" {
				t.Errorf("the comment is %+v", o)
			}
			if o := e.tracker.orderOf(t, EffectTicketTitle); o.On != "B1" || !strings.Contains(o.Title, "(resolved): was wrong") {
				t.Errorf("the title is %q on %q", o.Title, o.On)
			}
			if test.move == "" {
				return
			}
			if o := e.tracker.orderOf(t, EffectTicketResolve); o.MoveTo != "Done" || e.incident(t).Ticket.State == "" || !e.noted(t, "the ticket B1 is ") {
				t.Errorf("moved by %q, the incident has %+v", o.MoveTo, e.incident(t).Ticket)
			}
		})
	}
}

// The form of the domain's project is not sent to another one.
func TestTicketElsewhereHasNoneOfTheDomainsFields(t *testing.T) {
	t.Parallel()
	e := boarded(Never, OnRequest)
	e.policy.TicketRequest, e.policy.TicketFields = "Data", map[string]string{"Severity": "High"}
	e.fail(t, "orders")
	e.request(t, e.svc.RequestTicket, "SRC")
	if o := e.tracker.orderOf(t, EffectTicketOpen); o.Project != "SRC" || o.Request != "" || len(o.Fields) != 0 {
		t.Errorf("the order is %+v", o)
	}
}

// A key that is refused is said once, not with each call, and the incident says
// how many calls were not done; a receipt stands for each.
func TestBarredIsSaidOnce(t *testing.T) {
	t.Parallel()
	e := boarded(ByItself, OnRequest)
	e.asked(t)
	e.pager.refuse = &BarredError{Err: errors.New("wrong key")}
	e.approve(t, "hold")
	e.approve(t, "change")
	told := 0
	for _, n := range e.incident(t).Notes {
		if strings.Contains(n.Text, "was not done: wrong key") {
			told++
		}
	}
	failed := 0
	for _, d := range e.store.data.drafts {
		if d.Kind == receipts.KindErrandOutcome && d.Body["state"] == string(ErrandFailed) {
			failed++
		}
	}
	n, problem := e.incident(t).Undone(true)
	if told != 1 || failed < 2 || n != failed || problem != "wrong key" {
		t.Errorf("told %d times of %d failed calls; the incident says %d, %q", told, failed, n, problem)
	}
	if n, _ := e.incident(t).Undone(false); n != 0 {
		t.Errorf("%d calls to the tracker are said to be not done", n)
	}
	e.tracker.refuse = &BarredError{Err: errors.New("wrong token")}
	e.request(t, e.svc.RequestTicket, "")
	e.request(t, e.svc.RequestTicket, "")
	told = 0
	for _, n := range e.incident(t).Notes {
		if strings.Contains(n.Text, "was not done: wrong token") {
			told++
		}
	}
	if told != 2 {
		t.Errorf("who asked twice is told %d times", told)
	}
}
