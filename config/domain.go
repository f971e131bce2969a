package config

import (
	"fmt"
	"regexp"
	"slices"
)

var channelPattern = regexp.MustCompile(`^[CG][A-Z0-9]+$`)

func (c *Config) checkDomain(add adder, key string, d Domain) {
	if d.Level != "" {
		oneOf(add, key+".level", d.Level, "L0", "L1", "L2", "L3")
	}
	switch {
	case d.Channel == "":
		add(key+".channel", "is missing: the id of the Slack channel (C…) for this domain's incidents")
	case !channelPattern.MatchString(d.Channel):
		add(key+".channel", "%q is no channel id: it begins with C or G, and stands at the end of the channel's details in Slack", d.Channel)
	}
	if d.Owner == "" {
		add(key+".owner", "is missing: a name from people")
	}
	if d.Solo && d.Level == "L3" {
		add(key+".solo", "a team of one cannot exceed L2")
	}
	if d.RecoverRuns < 0 || d.RecoverRuns > 20 {
		add(key+".recover_runs", "%d is not 1 to 20", d.RecoverRuns)
	}
	c.checkNames(add, key, d)
	c.checkQuorum(add, key, d)
	c.checkPolicyQuorum(add, key, d)
	c.checkPage(add, key, d)
	c.checkTicket(add, key, d)
	c.checkOrder(add, key, span{"remind_after", d.RemindAfter, defaultRemindAfter}, span{"expire_after", d.ExpireAfter, defaultExpireAfter},
		"the request ends before anybody is reminded")
	if d.Deputy != "" || len(d.Escalation) > 0 {
		c.checkOrder(add, key, span{"escalate_after", d.EscalateAfter, defaultEscalateAfter}, span{"expire_after", d.ExpireAfter, defaultExpireAfter},
			"the request ends before the next of the chain is asked")
	}
}

// namedPerson is one mention of a person in a domain.
type namedPerson struct {
	key, who string
	approves bool
}

// checkNames holds that a domain names people of the file, and each once.
func (c *Config) checkNames(add adder, key string, d Domain) {
	first := map[string]namedPerson{}
	for _, named := range d.named() {
		at := key + "." + named.key
		if _, known := c.People[named.who]; !known {
			add(at, "%q is not in people", named.who)
			continue
		}
		if several := c.People[named.who]; several.Several() && !named.approves {
			who := "whoever is on call, who"
			if several.Group != "" {
				who = "a user group, which"
			}
			add(at, "%q is %s can only approve; cc takes people", named.who, who)
			continue
		}
		earlier, again := first[named.who]
		switch {
		case !again:
			first[named.who] = named
		case earlier.approves && !named.approves:
			add(at, "%q approves already, as %s; cc is for those who cannot decide", named.who, earlier.key)
		default:
			add(at, "%q stands here already, as %s; name each person once", named.who, earlier.key)
		}
	}
}

// named lists the people a domain names, with the key that names each.
func (d Domain) named() []namedPerson {
	var out []namedPerson
	if d.Owner != "" {
		out = append(out, namedPerson{"owner", d.Owner, true})
	}
	if d.Deputy != "" {
		out = append(out, namedPerson{"deputy", d.Deputy, true})
	}
	for i, who := range d.Escalation {
		out = append(out, namedPerson{fmt.Sprintf("escalation[%d]", i), who, true})
	}
	for i, who := range d.CC {
		out = append(out, namedPerson{fmt.Sprintf("cc[%d]", i), who, false})
	}
	return out
}

// Quorums is how many different people must approve a class of action; one that
// is not there needs the domain's quorum.
type Quorums map[string]int

// Highest returns the most different people that any request of the domain needs.
func (d Domain) Highest() int {
	most := max(d.Quorum, 1)
	for _, n := range d.QuorumBy {
		most = max(most, n)
	}
	return most
}

// checkQuorum counts different people, not names: the approvals of one person
// under two names are one. How many a group has is known to Slack only; the start
// and doctor count them.
func (c *Config) checkQuorum(add adder, key string, d Domain) {
	approvers, groups := map[string]bool{}, false
	for _, named := range d.named() {
		if named.approves {
			approvers[c.identity(named.who)] = true
			groups = groups || c.People[named.who].Group != ""
		}
	}
	if d.Quorum < 0 {
		add(key+".quorum", "%d is less than 1", d.Quorum)
	}
	judge := d.Owner != "" && c.whole(key) && !groups
	if judge && d.Quorum > len(approvers) {
		add(key+".quorum", cannotBeMet, d.Quorum, len(approvers))
	}
	for _, class := range sortedKeys(d.QuorumBy) {
		at, n := key+".quorum_by."+class, d.QuorumBy[class]
		if !slices.Contains(quorumClasses(), class) {
			add(at, "is no class of action; they are %v", quorumClasses())
			continue
		}
		switch {
		case n < 1:
			add(at, "%d is less than 1", n)
		case judge && n > len(approvers):
			add(at, cannotBeMet, n, len(approvers))
		}
	}
}

const cannotBeMet = "%d cannot be met: different people in the chain (owner, deputy, escalation): %d"

// quorumClasses are the classes of action of a plan that change something.
func quorumClasses() []string { return []string{"hold", "change", "recover", "rerun"} }
