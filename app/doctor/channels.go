package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"dw/bot"
)

// channels looks at the channel of each domain.
func (x *examination) channels(ctx context.Context) []Finding {
	var f found
	if x.self.Team == "" {
		f.skip("the workspace does not accept the bot token")
		return f.list
	}
	for _, name := range slices.Sorted(maps.Keys(x.c.Domains)) {
		if channel := x.c.Domains[name].Channel; channel != "" {
			x.channel(ctx, &f, name, channel)
		}
	}
	return f.list
}

func (x *examination) channel(ctx context.Context, f *found, domain, id string) {
	const source = "conversations.info"
	info, err := x.client.ChannelInfo(ctx, id)
	about := fmt.Sprintf("domains.%s.channel %s", domain, id)
	invite := fmt.Sprintf("in the channel #%s, type /invite @%s", info.Name, x.self.Name)
	refused, isRefused := errors.AsType[*bot.RefusedError](err)
	switch {
	case isRefused && refused.Code == "channel_not_found":
		f.add(Fail, source, fmt.Sprintf("check the id (end of the channel's details); if the channel is private, type /invite @%s in it", x.self.Name),
			about+": there is no such channel, or it is private and dw is not in it")
	case err != nil:
		f.refused(source, about+": ", err)
	case info.Archived:
		f.add(Fail, source, "unarchive it, or name another channel", about+" (#"+info.Name+") is archived")
	case info.Shared:
		f.add(Fail, source, "name a channel of this workspace alone", about+" (#"+info.Name+") is shared with another company or workspace: dw posts no proposals there")
	case !info.Member:
		f.add(Fail, source, invite, about+" (#"+info.Name+"): dw is not a member and cannot post")
	default:
		f.ok(source, about+" is #"+info.Name+", dw is a member, and it is of this workspace alone")
	}
}
