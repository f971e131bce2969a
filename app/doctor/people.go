package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dw/bot"
	"dw/config"
)

// people asks Slack for everybody that the configuration names.
func (x *examination) people(ctx context.Context) []Finding {
	var f found
	if x.self.Team == "" {
		f.skip("the workspace does not accept the bot token")
		return f.list
	}
	identity, err := bot.NewIdentity(x.client, x.self.Team, x.o.Now)
	if err != nil {
		f.add(Fail, "auth.test", "", err.Error())
		return f.list
	}
	ids := map[string]string{} // name of the file to Slack id
	for _, name := range slices.Sorted(maps.Keys(x.c.People)) {
		if x.c.People[name].OnCall() {
			continue // PagerDuty knows who that is
		}
		if x.c.People[name].Group != "" {
			x.group(ctx, &f, name)
			continue
		}
		if id := x.person(ctx, &f, identity, name); id != "" {
			ids[name] = id
		}
	}
	f.twice(ids)
	x.ids = ids
	for _, name := range slices.Sorted(maps.Keys(x.c.Domains)) {
		f.chain(name, x.c, ids, x.members)
	}
	return f.list
}

// person returns the Slack id of one who may decide, or nothing.
func (x *examination) person(ctx context.Context, f *found, identity *bot.Identity, name string) string {
	who, about, source := x.c.People[name], "people."+name, "users.info"
	id := who.Slack
	if id == "" {
		about, source = about+" ("+who.Email+")", "users.lookupByEmail"
		user, err := x.client.LookupByEmail(ctx, who.Email)
		if refused, ok := errors.AsType[*bot.RefusedError](err); ok && refused.Code == "users_not_found" {
			f.add(Fail, source, "correct people."+name+".email, or give the Slack id of the profile", about+": no member of this workspace has the e-mail")
			return ""
		}
		if err != nil {
			f.refused(source, about+": ", err)
			return ""
		}
		id = user.ID
	} else {
		about += " (" + id + ")"
	}
	person, err := identity.Check(ctx, id, "")
	if not, ok := errors.AsType[*bot.NotAllowedError](err); ok {
		f.add(Fail, source, "name a full, active member of this workspace as people."+name, about+" cannot decide: "+string(not.Reason))
		return ""
	}
	if err != nil {
		f.refused(source, about+": ", err)
		return ""
	}
	f.ok(source, fmt.Sprintf("%s is %s (%s), a full member", about, person.Name, id))
	return id
}

// twice finds two names of one person, which the file alone does not show where
// one is an id and the other an e-mail.
func (f *found) twice(ids map[string]string) {
	first := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		if earlier, again := first[ids[name]]; again {
			f.add(Fail, "users.lookupByEmail", "give one person one name", fmt.Sprintf("people.%s and people.%s are the same person (%s)", earlier, name, ids[name]))
			continue
		}
		first[ids[name]] = name
	}
}

// chain holds that enough people of a domain can decide.
func (f *found) chain(domain string, c *config.Config, ids map[string]string, members map[string][]string) {
	d := c.Domains[domain]
	able := map[string]bool{}
	var named []string
	for _, who := range append([]string{d.Owner, d.Deputy}, d.Escalation...) {
		if who == "" {
			continue
		}
		named = append(named, who)
		if id := ids[who]; id != "" {
			able[id] = true
		}
		for _, id := range members[who] {
			able[id] = true
		}
		if c.People[who].OnCall() { // whoever that is
			able["on call of "+who] = true
		}
	}
	quorum := d.Highest()
	switch {
	case len(able) >= quorum:
	case len(able) == 0:
		f.add(Fail, "", "name at least one full member of this workspace in domains."+domain, fmt.Sprintf("domains.%s: nobody of %s can decide, and dw does not start", domain, strings.Join(named, ", ")))
	default:
		f.add(Fail, "", "name more approvers in domains."+domain+" or lower its quorum", fmt.Sprintf("domains.%s: %d must approve and only %d can", domain, quorum, len(able)))
	}
}
