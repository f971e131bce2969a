package demo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"dw/internal/fakes/pagerduty"
)

// checkPromise says whether what the variant promises held; the error lists
// every part that did not.
func (c *conductor) checkPromise(ctx context.Context, o outcome, proposals []proposalDoc) error {
	p := promise{c: c, o: o, proposals: proposals}
	switch c.variant {
	case variantDay:
		p.day(ctx)
	case variantNone:
		p.expect(o.Incident == nil, "dw opened incident %v although nothing is wrong", text(o.Incident))
		_, seen := incidentCard(c.slack.Snapshot())
		p.expect(!seen, "Slack shows an incident although nothing is wrong")
		p.notPaged()
	case variantDropApp:
		p.cause("missing_feed_segment", map[string]string{"channel": c.names[valueApp]}, c.day.at(11, 0))
		p.onlyHold()
		p.paged(pagerduty.Triggered)
		p.noTicket()
	case variantNight:
		p.night(ctx)
	case variantLate:
		p.cause("late_load", nil, time.Time{})
		p.nothingProposed()
		p.state("Resolved")
		p.paged(pagerduty.Resolved)
		p.ticketed()
	}
	p.problems = append(p.problems, verifyReceipts(ctx, c.store, c.path("receipts.pub")))
	if err := errors.Join(p.problems...); err != nil {
		return fmt.Errorf("variant %s did not hold what it promises: %w", c.variant, err)
	}
	return nil
}

func text(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}

// promise collects what did not hold.
type promise struct {
	c         *conductor
	o         outcome
	proposals []proposalDoc
	problems  []error
}

func (p *promise) expect(held bool, format string, args ...any) {
	if !held {
		p.problems = append(p.problems, fmt.Errorf(format, args...))
	}
}

// day is the promise of the worked day.
func (p *promise) day(ctx context.Context) {
	c := p.c
	p.cause("missing_wire_format", map[string]string{"channel": c.names[valueBoxOffice]}, c.day.at(11, 2))
	p.harm()
	p.decisions()
	p.state("Resolved")
	p.expect(len(p.o.Receipts.Undo) > 0, "no receipt records the undo of P1")
	p.runs()
	p.numbers(ctx)
	p.noted(p.paged(pagerduty.Resolved))
	p.ticketed()
}

func (p *promise) cause(id string, segment map[string]string, onset time.Time) {
	if p.o.Cause == nil {
		p.expect(false, "dw named no cause, want %s", id)
		return
	}
	p.expect(p.o.Cause.ID == id, "the cause is %s, want %s", p.o.Cause.ID, id)
	p.expect(segment == nil || maps.Equal(p.o.Cause.Segment, segment), "the segment is %v, want %v", p.o.Cause.Segment, segment)
	got := p.o.Cause.Onset.Truncate(time.Minute)
	p.expect(onset.IsZero() || got.Equal(onset), "the onset is %s, want %s", p.c.day.clock(got), p.c.day.clock(onset))
}

func (p *promise) harm() {
	want := "dagster://" + p.c.names[jobPayout]
	if p.o.Blast == nil || p.o.Blast.First == nil {
		p.expect(false, "no first harm is known, want %s", want)
		return
	}
	first := p.o.Blast.First
	p.expect(first.Asset == want, "the first harm is by %s, want %s", first.Asset, want)
	p.expect(first.At.Equal(p.c.day.at(26, 0)), "the first harm is at %s, want 02:00 of the next day", first.At)
	p.expect(first.Count == boxOfficeOrganizers, "%d are harmed, want %d", first.Count, boxOfficeOrganizers)
}

func (p *promise) decisions() {
	hashes := map[string]string{}
	for _, proposal := range p.proposals {
		hashes[proposal.ID] = proposal.Hash
	}
	p.expect(len(p.o.Decisions) == 3 && len(hashes) == 3, "%d decisions on %d proposals, want 3 on 3", len(p.o.Decisions), len(hashes))
	for _, d := range p.o.Decisions {
		p.expect(d.User == ownerID || !p.c.auto, "%s decided on %s, want %s", d.Actor, d.Proposal, p.c.names[personOwner])
		p.expect(d.Verdict == "approve", "the decision on %s is %s", d.Proposal, d.Verdict)
		p.expect(d.Hash != "" && d.Hash == hashes[d.Proposal], "the decision on %s names hash %s, the proposal has %s", d.Proposal, d.Hash, hashes[d.Proposal])
	}
}

func (p *promise) state(want string) {
	incident, ok := incidentCard(p.c.slack.Snapshot())
	p.expect(ok && incident.is(want), "the incident's card says %q, want %s", incident.header, want)
}

func (p *promise) nothingProposed() {
	p.expect(len(p.proposals) == 0, "dw made %d proposals, want none", len(p.proposals))
	p.expect(len(dwCards(p.c.slack.Snapshot(), "proposal")) == 0, "Slack shows requests, want none")
}

// onlyHold: nothing can be recovered, and the payout of the night is asked to be held.
func (p *promise) onlyHold() {
	p.expect(len(p.proposals) == 1, "dw made %d proposals, want the hold of %s", len(p.proposals), p.c.names[jobPayout])
	for _, proposal := range p.proposals {
		p.expect(proposal.Key == "hold:dagster://"+p.c.names[jobPayout] && proposal.State == "waiting",
			"dw proposed %s (%s), want the hold of %s to wait", proposal.Key, proposal.State, p.c.names[jobPayout])
	}
}

// runs: the approved job ran once for dw, and the payout's schedule runs again.
func (p *promise) runs() {
	launched := 0
	for _, r := range p.c.dagster.Runs() {
		if r.Tags["dw/step"] != "" {
			launched++
		}
	}
	p.expect(launched == 1, "dw launched %d runs, want 1", launched)
	schedule, _ := p.c.dagster.Schedule(p.c.names[jobPayout] + scheduleSuffix)
	p.expect(schedule.Running, "the schedule of %s is still paused", p.c.names[jobPayout])
}

// numbers: each on-sale hour since the onset is back on its baseline, with no
// order twice.
func (p *promise) numbers(ctx context.Context) {
	c := p.c
	table := c.warehouse.table(tableOrders)
	for hour := 11; hour < 14; hour++ {
		n, err := c.warehouse.count(ctx, "SELECT count(*) FROM "+table+" WHERE ordered_at >= ? AND ordered_at < ?",
			c.day.at(hour, 0).UTC().Format(timeText), c.day.at(hour+1, 0).UTC().Format(timeText))
		p.expect(err == nil && n > onSaleRows*97/100 && n < onSaleRows*103/100, "hour %d has %d rows (%v), want about %d", hour, n, err, onSaleRows)
	}
	twice, err := c.warehouse.count(ctx, "SELECT count(order_id) - count(DISTINCT order_id) FROM "+table+" WHERE ordered_at >= ?",
		c.day.at(0, 0).UTC().Format(timeText))
	p.expect(err == nil && twice == 0, "%d orders stand twice (%v)", twice, err)
}
