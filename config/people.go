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
		if p.Slack == "" && p.Email == "" {
			add(key, "needs slack (a user id), or email, or both")
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

// identity is what makes a person one, whatever the name: the Slack id, or the
// e-mail, whose case Slack does not tell apart. For a name that is not in people
// it is the name.
func (c *Config) identity(name string) string {
	p := c.People[name]
	switch {
	case p.Slack != "":
		return p.Slack
	case p.Email != "":
		return strings.ToLower(strings.TrimSpace(p.Email))
	default:
		return name
	}
}
