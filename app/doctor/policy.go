package doctor

import (
	"context"
	"fmt"

	"dw/app"
	"dw/config"
	"dw/workflows"
)

// policies says where the configuration asks for more than is in force.
func (f *found) policies(ctx context.Context, path string, log *app.Log, c *config.Config) {
	inForce, err := log.InForce(ctx)
	switch {
	case err != nil:
		f.add(Fail, path, "restore it from a backup: docs/operations.md", err.Error())
		return
	case inForce.Damaged:
		f.add(Fail, path, "restore it from a backup: docs/operations.md", "what is in force cannot be read: every domain is at L1 at most")
		return
	}
	for _, file := range app.FilePolicies(c) {
		policy := inForce.Policy(file)
		if len(policy.Held) > 0 {
			f.add(Warn, "domains."+file.Domain, "let people approve it in Slack, asked by "+c.Slack.Command+" policy "+file.Domain+" ask, or take it back",
				fmt.Sprintf("domains.%s: the configuration says more than is in force: %s", file.Domain, workflows.TermsText(policy.Held)))
			continue
		}
		f.ok("domains."+file.Domain, fmt.Sprintf("domains.%s: at %s, as the configuration says or less", file.Domain, policy.Level))
	}
}
