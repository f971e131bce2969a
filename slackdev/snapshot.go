package slackdev

import "slices"

// Snapshot is all that people of the workspace could see at one moment, as
// served at /_dev/state. It holds no tokens.
type Snapshot struct {
	Seq      int            `json:"seq"` // grows with each change
	TeamID   string         `json:"team_id"`
	Command  string         `json:"command"`
	Sockets  int            `json:"sockets"` // open Socket Mode connections
	Users    []User         `json:"users"`
	Channels []ChannelState `json:"channels"`
	// Ephemerals, Modals and Homes are by user id.
	Ephemerals map[string][]Message `json:"ephemerals"`
	Modals     map[string][]View    `json:"modals"`
	Homes      map[string]View      `json:"homes"`
	// Warnings are the acts that the app did not take.
	Warnings []Warning `json:"warnings"`
}

// ChannelState is a channel with its messages in order, replies included.
type ChannelState struct {
	Channel
	DirectWith string    `json:"direct_with,omitempty"` // the person of a direct message
	Messages   []Message `json:"messages"`
}

// Snapshot returns the state now.
func (s *Server) Snapshot() Snapshot {
	snap, _ := s.snapshot()
	return snap
}

// Channel returns the state of a channel, or an empty one if it is unknown.
func (s Snapshot) Channel(id string) ChannelState {
	for _, c := range s.Channels {
		if c.ID == id {
			return c
		}
	}
	return ChannelState{}
}

// snapshot also returns the channel that the next change closes.
func (s *Server) snapshot() (Snapshot, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := Snapshot{
		Seq: s.state.seq, Warnings: append([]Warning{}, s.state.warnings...), TeamID: s.ws.TeamID, Command: s.ws.Command, Sockets: len(s.sockets),
		Ephemerals: map[string][]Message{}, Modals: map[string][]View{}, Homes: map[string]View{},
	}
	for _, id := range s.state.userOrder {
		snap.Users = append(snap.Users, s.state.users[id])
	}
	for _, id := range s.state.order {
		c := s.state.channels[id]
		snap.Channels = append(snap.Channels, ChannelState{
			Channel: c.Channel, DirectWith: c.im, Messages: append([]Message{}, c.messages...),
		})
	}
	for user, list := range s.state.ephemerals {
		snap.Ephemerals[user] = slices.Clone(list)
	}
	for user, views := range s.state.modals {
		snap.Modals[user] = copyViews(views)
	}
	for user, v := range s.state.homes {
		snap.Homes[user] = *v
	}
	return snap, s.changed
}
