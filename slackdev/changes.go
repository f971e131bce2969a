package slackdev

import (
	"fmt"
	"slices"
)

// change looks up a channel and a person of the workspace and alters them.
func (s *Server) change(channelID, userID string, do func(*channel, User) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, u := s.state.channels[channelID], s.state.users[userID]
	if channelID != "" && (c == nil || c.im != "") {
		return fmt.Errorf("slackdev: no channel %q", channelID)
	}
	if userID != "" && u.ID == "" {
		return fmt.Errorf("slackdev: no user %q", userID)
	}
	if err := do(c, u); err != nil {
		return err
	}
	s.touch()
	return nil
}

// Invite makes a user, or the bot, a member of a channel. The app hears
// member_joined_channel if it subscribes to it.
func (s *Server) Invite(channelID, userID string) error {
	return s.change(channelID, userID, func(c *channel, u User) error {
		if c.member(u.ID) {
			return fmt.Errorf("slackdev: user %s is in channel %s already", userID, channelID)
		}
		s.join(c, u.ID)
		return nil
	})
}

// join adds a member and tells the app. The caller holds mu.
func (s *Server) join(c *channel, user string) {
	c.Members = append(slices.Clone(c.Members), user)
	s.touch()
	s.tell("member_joined_channel", map[string]any{
		"type": "member_joined_channel", "user": user, "channel": c.ID, "channel_type": c.ID[:1], "team": s.ws.TeamID,
		"event_ts": s.stamp(),
	})
}

// Remove takes a user, or the bot, out of a channel.
func (s *Server) Remove(channelID, userID string) error {
	return s.change(channelID, userID, func(c *channel, u User) error {
		if !c.member(u.ID) {
			return fmt.Errorf("slackdev: user %s is not in channel %s", userID, channelID)
		}
		c.Members = slices.DeleteFunc(slices.Clone(c.Members), func(m string) bool { return m == u.ID })
		return nil
	})
}

// Archive closes a channel for writing: is_archived.
func (s *Server) Archive(channelID string) error {
	return s.change(channelID, "", func(c *channel, _ User) error {
		c.Archived = true
		return nil
	})
}

// Deactivate ends a person's account; they can no longer act.
func (s *Server) Deactivate(userID string) error {
	return s.change("", userID, func(_ *channel, u User) error {
		u.Deleted = true
		s.state.users[u.ID] = u
		return nil
	})
}

// SetProfile changes what a person is called and their e-mail, which another one
// may have had before.
func (s *Server) SetProfile(userID, name, realName, email string) error {
	return s.change("", userID, func(_ *channel, u User) error {
		u.Name, u.RealName, u.Email = name, realName, email
		s.state.users[u.ID] = u
		return nil
	})
}

// JoinGroup makes a person a member of a user group.
func (s *Server) JoinGroup(groupID, userID string) error {
	return s.changeGroup(groupID, userID, func(g *Group) error {
		if slices.Contains(g.Users, userID) {
			return fmt.Errorf("slackdev: user %s is in group %s already", userID, groupID)
		}
		g.Users = append(slices.Clone(g.Users), userID)
		return nil
	})
}

// LeaveGroup takes a person out of a user group.
func (s *Server) LeaveGroup(groupID, userID string) error {
	return s.changeGroup(groupID, userID, func(g *Group) error {
		if !slices.Contains(g.Users, userID) {
			return fmt.Errorf("slackdev: user %s is not in group %s", userID, groupID)
		}
		g.Users = slices.DeleteFunc(slices.Clone(g.Users), func(m string) bool { return m == userID })
		return nil
	})
}

func (s *Server) changeGroup(groupID, userID string, do func(*Group) error) error {
	return s.change("", userID, func(*channel, User) error {
		at := slices.IndexFunc(s.state.groups, func(g Group) bool { return g.ID == groupID })
		if at < 0 {
			return fmt.Errorf("slackdev: no user group %q", groupID)
		}
		return do(&s.state.groups[at])
	})
}

// Share opens a channel to a connected company. A private channel gets a new id
// that starts with C, as Slack gives on the first share: the old one is
// channel_not_found from then on, and the app hears channel_id_changed if it
// subscribes to it. It returns the id from now on.
func (s *Server) Share(channelID string) (string, error) {
	id := channelID
	err := s.change(channelID, "", func(c *channel, _ User) error {
		c.ExtShared = true
		if c.Private && c.ID[0] == 'G' {
			id = s.rename(c)
		}
		return nil
	})
	return id, err
}

// rename gives a channel a new id, its messages too.
func (s *Server) rename(c *channel) string {
	old, id := c.ID, s.id("C")
	c.ID = id
	for i := range c.messages {
		c.messages[i].Channel = id
	}
	delete(s.state.channels, old)
	s.state.channels[id] = c
	s.state.order[slices.Index(s.state.order, old)] = id
	for _, h := range s.hooks {
		if h.channel == old {
			h.channel = id
		}
	}
	for user, list := range s.state.ephemerals {
		for i := range list {
			if list[i].Channel == old {
				s.state.ephemerals[user][i].Channel = id
			}
		}
	}
	s.tell("channel_id_changed", map[string]any{
		"type": "channel_id_changed", "old_channel_id": old, "new_channel_id": id, "event_ts": s.stamp(),
	})
	return id
}
