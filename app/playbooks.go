package app

import (
	"fmt"
	"slices"
	"strings"

	"dw/config"
	"dw/diagnosis"
)

// checkPlaybooks holds that a domain opens only what dw could do by itself.
func checkPlaybooks(c *config.Config) config.Problems {
	var problems config.Problems
	known := diagnosis.Playbooks()
	for name, domain := range c.Domains {
		for i, playbook := range domain.Playbooks {
			key := fmt.Sprintf("domains.%s.playbooks[%d]", name, i)
			switch {
			case !slices.Contains(known, playbook):
				problems = append(problems, c.Problem(key, "%q is no playbook that dw can carry out by itself; there are: %s", playbook, strings.Join(known, ", ")))
			case slices.Index(domain.Playbooks, playbook) < i:
				problems = append(problems, c.Problem(key, "%q stands here already", playbook))
			}
		}
	}
	return problems
}
