package app

import (
	"context"
	"maps"
	"slices"

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
