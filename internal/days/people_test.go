package days

import (
	"time"

	"dw/workflows"
)

func person(user string) workflows.Person {
	return workflows.Person{Team: "T1", User: user, Name: "Name of " + user}
}

// domains are three, with chains and clocks of their own; in one dw may run a job
// by itself. Mort is nobody.
func domains() []workflows.Policy {
	policy := func(domain, owner, deputy string, quorum int, escalation ...workflows.Person) workflows.Policy {
		return workflows.Policy{
			Domain: domain, Level: workflows.L2Propose, Owner: person(owner), Deputy: person(deputy), Escalation: escalation,
			CC: []workflows.Person{person("CARL")}, Quorum: quorum, Channel: "C-" + domain, Settle: 5 * time.Minute,
			RemindAfter: 10 * time.Minute, EscalateAfter: 20 * time.Minute, ExpireAfter: 90 * time.Minute, ExecuteWithin: 2 * time.Hour,
			ObserveEvery: 5 * time.Minute, PollEvery: 2 * time.Minute, RunTimeout: time.Hour,
			VerifyAfter: 5 * time.Minute, VerifyEvery: 10 * time.Minute, VerifyWithin: time.Hour,
			PageService: "pages", Page: workflows.ByItself, PageWait: 5 * time.Minute,
			Version: "0000000000000000000000000000000000000000000000000000000000000000",
		}
	}
	opened := policy(ownDomain, "DORA", "EVE", 1)
	opened.Level, opened.Playbooks = workflows.L3Act, []string{"lost_rows/rerun"}
	return []workflows.Policy{
		policy("sales", "ANN", "BEN", 1, person("CLEO")),
		policy("stock", "BEN", "DORA", 2, person("CLEO"), person("EVE")),
		opened,
	}
}

// anybody is who clicks: those of the chains, who is in copy, and who is nobody.
func anybody() []workflows.Person {
	return []workflows.Person{person("ANN"), person("BEN"), person("CLEO"), person("DORA"), person("EVE"), person("CARL"), person("MORT")}
}
