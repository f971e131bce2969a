package app

import (
	"context"
	"maps"
	"slices"
	"time"

	"dw/config"
	"dw/workflows"
)

// FilePolicies are the policies of a configuration by name, without asking Slack
// who the people are.
func FilePolicies(c *config.Config) []workflows.Policy {
	all := policies(c, people{})
	out := make([]workflows.Policy, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[name])
	}
	return out
}

// InForce returns what is in force in every domain.
func (l *Log) InForce(ctx context.Context) (f workflows.InForce, err error) {
	err = l.store.View(ctx, func(tx workflows.ReadTx) error {
		f, err = tx.InForce(ctx)
		return err
	})
	return f, err
}

// Record counts the receipts about one domain, up to the newest.
func (l *Log) Record(ctx context.Context, domain string, now time.Time) (r workflows.Record, err error) {
	err = l.store.View(ctx, func(tx workflows.ReadTx) error {
		r, err = workflows.RecordOf(ctx, tx, domain, now)
		return err
	})
	return r, err
}
