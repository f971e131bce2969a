package doctor

import (
	"context"
	"fmt"
	"strings"

	"dw/app"
	"dw/workflows"
)

// group reads who is in a user group that approves, as dw does when it asks.
func (x *examination) group(ctx context.Context, f *found, name string) {
	const source = "usergroups.users.list"
	group := workflows.Group{Name: name, ID: x.c.People[name].Group}
	about := "people." + name + " (" + group.ID + ")"
	watch, err := app.GroupReader(x.client, x.self.Team).Members(ctx, group)
	if err != nil {
		f.add(Fail, source, "correct people."+name+".slack_group and see that the bot token has the scope usergroups:read", about+" cannot be read: "+err.Error())
		return
	}
	for _, why := range watch.Unasked {
		f.add(Warn, source, "take them out of the group, or leave it: dw does not ask them", about+": "+why)
	}
	if len(watch.People) == 0 {
		f.add(Fail, source, "put people into the group "+group.ID, about+": nobody in it can decide")
		return
	}
	var shown []string
	for _, who := range watch.People {
		shown = append(shown, fmt.Sprintf("%s (%s)", who.Name, who.User))
		x.members[name] = append(x.members[name], who.User)
	}
	f.ok(source, about+" has now: "+strings.Join(shown, ", "))
}
