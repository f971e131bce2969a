package config

import (
	"regexp"
	"strings"
)

var userPattern = regexp.MustCompile(`^[UW][A-Z0-9]+$`)

func (c *Config) checkPeople(add adder) {
	first := map[string]string{}
	for _, name := range sortedKeys(c.People) {
		p, key := c.People[name], "people."+name
		if !c.whole(key) {
			continue
		}
		if p.OnCall() {
			c.checkRota(add, key, p)
			continue
		}
		if p.Group != "" {
			checkGroup(add, key, p)
			continue
		}
		if p.Slack == "" && p.Email == "" {
			add(key, "needs slack (a user id), or email, or both; or slack_group; or pagerduty_schedule or pagerduty_policy for whoever is on call")
			continue
		}
		if p.Slack != "" && !userPattern.MatchString(p.Slack) {
			add(key+".slack", "%q is no user id: it begins with U or W, and stands in the person's profile in Slack", p.Slack)
			continue
		}
		who := c.identity(name)
		if earlier, again := first[who]; again {
			add(key, "is %s, as is people.%s; give one person one name", who, earlier)
			continue
		}
		first[who] = name
	}
}

// rotaPattern is the form of PagerDuty's ids.
var rotaPattern = regexp.MustCompile(`^[A-Z0-9]{4,32}$`)

// checkRota checks a name that stands for whoever is on call.
func (c *Config) checkRota(add adder, key string, p PersonConfig) {
	id, at := p.Schedule, key+".pagerduty_schedule"
	if p.Policy != "" {
		id, at = p.Policy, key+".pagerduty_policy"
	}
	switch {
	case p.Schedule != "" && p.Policy != "":
		add(key, "has pagerduty_schedule and pagerduty_policy: name one of the two")
	case p.Slack != "" || p.Email != "":
		add(key, "is a person and a rota: give the person a name of their own")
	case p.Group != "":
		add(key, "is a group and a rota: give each a name of its own")
	case !rotaPattern.MatchString(id):
		add(at, "%q is no id of PagerDuty, which looks like PT4KHLK and stands at the end of its page's address", id)
	case c.PagerDuty == nil:
		add(at, "needs the block pagerduty")
	}
}

// groupPattern is the form of the ids of Slack's user groups.
var groupPattern = regexp.MustCompile(`^S[A-Z0-9]+$`)

// checkGroup checks a name that stands for the members of a user group.
func checkGroup(add adder, key string, p PersonConfig) {
	switch {
	case p.Slack != "" || p.Email != "":
		add(key, "is a person and a group: give the person a name of their own")
	case !groupPattern.MatchString(p.Group):
		add(key+".slack_group", "%q is no id of a user group: it begins with S, and stands at the end of the group's address in Slack", p.Group)
	}
}

// identity is what makes a person one, whatever the name: the Slack id, or the
// e-mail, whose case Slack does not tell apart. For a name that is not in people
// it is the name.
func (c *Config) identity(name string) string {
	p := c.People[name]
	switch {
	case p.OnCall():
		return "on call of " + p.Schedule + p.Policy
	case p.Group != "":
		return "group " + p.Group
	case p.Slack != "":
		return p.Slack
	case p.Email != "":
		return strings.ToLower(strings.TrimSpace(p.Email))
	default:
		return name
	}
}
