package demo

import (
	"context"
	"strings"

	"dw/internal/fakes/pagerduty"
)

// night is the promise of the second day: the cause named to the minute of the
// migration, the explore of 07:00 harmed first, three decisions of the owner, the
// load run once by dw, and every settled sale in the model.
func (p *promise) night(ctx context.Context) {
	c := p.c
	p.cause("schema_drift", map[string]string{}, c.day.at(23, 40))
	if p.o.Cause != nil {
		var told []string
		for _, e := range p.o.Cause.Evidence {
			told = append(told, e.System+" "+e.Value)
		}
		all := strings.Join(told, "\n")
		p.expect(strings.Contains(all, "migrations rename "+columnBefore), "the evidence does not name the migration: %s", all)
	}
	if p.o.Blast == nil || p.o.Blast.First == nil {
		p.expect(false, "no first harm is known")
	} else {
		first := p.o.Blast.First
		p.expect(first.At.Equal(c.day.at(31, 0)), "the first harm is %s at %s, want 07:00 of the next day", first.Asset, first.At)
	}
	p.decisions()
	incidents := dwCards(c.slack.Snapshot(), "incident")
	p.expect(len(incidents) == 1, "Slack shows %d incidents, want one for the failed load, the changed columns and the old rows", len(incidents))
	p.state("Resolved")
	p.runs()
	p.nightNumbers(ctx)
	p.paged(pagerduty.Resolved)
	p.ticketed()
}

// nightNumbers: the model holds each settled sale once, with its amount.
func (p *promise) nightNumbers(ctx context.Context) {
	w := p.c.warehouse
	for what, query := range map[string]string{
		"settled sales that the model lacks": "SELECT count(*) FROM " + w.table(tableSettled) + " s WHERE NOT EXISTS (SELECT 1 FROM " + w.table(tableRevenue) +
			" r WHERE r.sale_id = s.sale_id AND r." + columnBefore + " = s." + columnAfter + ")",
		"sales that the model holds twice": "SELECT count(sale_id) - count(DISTINCT sale_id) FROM " + w.table(tableRevenue),
	} {
		n, err := w.count(ctx, query)
		p.expect(err == nil && n == 0, "%d %s (%v)", n, what, err)
	}
}
