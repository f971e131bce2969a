package config

import (
	"fmt"
	"slices"
)

// checkOperators holds that those who hold an agent's credentials are people of
// the file.
func (c *Config) checkOperators(add adder) {
	for i, who := range c.AgentOperators {
		key := fmt.Sprintf("agent_operators[%d]", i)
		person, known := c.People[who]
		switch {
		case !known:
			add(key, "%q is not in people", who)
		case person.Several():
			add(key, "%q is a rota or a group; name the people who hold the credentials", who)
		case slices.Index(c.AgentOperators, who) < i:
			add(key, "%q stands here already", who)
		}
	}
}

// checkPolicyQuorum holds that enough people are named who could decide a policy
// change of the domain: those of every chain, but for the one who asks and those
// who hold an agent's credentials. How many a group has is known to Slack only.
func (c *Config) checkPolicyQuorum(add adder, key string, d Domain) {
	switch {
	case d.PolicyQuorum < 0:
		add(key+".policy_quorum", "%d is less than 1", d.PolicyQuorum)
		return
	case d.PolicyQuorum == 0 || !c.whole("domains") || !c.whole("people"):
		return
	}
	able, groups := map[string]bool{}, false
	for _, domain := range c.Domains {
		for _, named := range domain.named() {
			if named.approves && !slices.Contains(c.AgentOperators, named.who) {
				able[c.identity(named.who)] = true
				groups = groups || c.People[named.who].Group != ""
			}
		}
	}
	if !groups && len(able)-1 < d.PolicyQuorum {
		add(key+".policy_quorum", "%d cannot be met: of %d different people who could decide one asks", d.PolicyQuorum, len(able))
	}
}

// Approvers lists whom a domain names to decide, each as "role identity", where
// the identity is what the file knows of the person: a Slack id, an e-mail, or a
// rota.
func (c *Config) Approvers(domain string) []string {
	var out []string
	for _, named := range c.Domains[domain].named() {
		if named.approves {
			out = append(out, named.key+" "+c.identity(named.who))
		}
	}
	return out
}

// Operators lists the identities of those who hold an agent's credentials.
func (c *Config) Operators() []string {
	out := make([]string, 0, len(c.AgentOperators))
	for _, who := range c.AgentOperators {
		out = append(out, c.identity(who))
	}
	return out
}
