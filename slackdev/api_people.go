package slackdev

import (
	"strings"
	"time"
)

func (s *Server) authTest(*call) (reply, *refusal) {
	bot := s.state.users[s.ws.BotUserID]
	return reply{
		"url": "https://" + s.ws.Domain + ".slack.com/", "team": s.ws.Domain, "user": bot.Name,
		"team_id": s.ws.TeamID, "user_id": s.ws.BotUserID, "bot_id": s.ws.BotID, "is_enterprise_install": false,
	}, nil
}

func (s *Server) userInfo(c *call) (reply, *refusal) {
	u, ok := s.state.users[c.str("user")]
	if !ok {
		return nil, refuse("user_not_found")
	}
	return reply{"user": s.wireUser(u)}, nil
}

func (s *Server) listUsers(c *call) (reply, *refusal) {
	ids, next, refused := slicePage(c, s.state.userOrder, 1000, 1000)
	if refused != nil {
		return nil, refused
	}
	members := make([]map[string]any, 0, len(ids))
	for _, id := range ids {
		members = append(members, s.wireUser(s.state.users[id]))
	}
	return reply{"members": members, "cache_ts": s.opts.Now().Unix(), "response_metadata": map[string]any{"next_cursor": next}}, nil
}

// lookupByEmail finds members of the home workspace only: the addresses of
// people of connected companies are hidden.
func (s *Server) lookupByEmail(c *call) (reply, *refusal) {
	email := c.str("email")
	for _, id := range s.state.userOrder {
		u := s.state.users[id]
		if email != "" && strings.EqualFold(u.Email, email) && u.TeamID == s.ws.TeamID && !u.Deleted && !u.Stranger {
			return reply{"user": s.wireUser(u)}, nil
		}
	}
	return nil, refuse("users_not_found")
}

func (s *Server) listUserGroups(c *call) (reply, *refusal) {
	groups := make([]map[string]any, 0, len(s.state.groups))
	for _, g := range s.state.groups {
		w := map[string]any{
			"id": g.ID, "team_id": s.ws.TeamID, "is_usergroup": true, "name": g.Name, "handle": g.Handle,
			"is_external": false, "date_delete": 0, "user_count": len(g.Users),
		}
		if c.flag("include_users") {
			w["users"] = g.Users
		}
		groups = append(groups, w)
	}
	return reply{"usergroups": groups}, nil
}

func (s *Server) listGroupMembers(c *call) (reply, *refusal) {
	for _, g := range s.state.groups {
		if g.ID == c.str("usergroup") {
			return reply{"users": append([]string{}, g.Users...)}, nil
		}
	}
	return nil, refuse("no_such_subteam")
}

func (s *Server) wireUser(u User) map[string]any {
	profile := map[string]any{"real_name": u.RealName, "display_name": u.Name, "team": u.TeamID}
	if u.TeamID == s.ws.TeamID && u.Email != "" && s.granted("users:read.email") {
		profile["email"] = u.Email
	}
	w := map[string]any{
		"id": u.ID, "team_id": u.TeamID, "name": u.Name, "real_name": u.RealName, "deleted": u.Deleted,
		"is_bot": u.Bot, "is_app_user": u.Bot, "is_admin": false, "is_owner": false,
		"is_restricted": u.Restricted, "is_ultra_restricted": u.UltraRestricted,
		"tz": u.TZ, "profile": profile, "updated": 0,
	}
	if u.Stranger {
		w["is_stranger"] = true
	}
	if zone, err := time.LoadLocation(u.TZ); err == nil {
		name, offset := s.opts.Now().In(zone).Zone()
		w["tz_label"], w["tz_offset"] = name, offset
	}
	return w
}
