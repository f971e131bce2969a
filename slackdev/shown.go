package slackdev

import (
	"fmt"
	"slices"
)

// slackbot writes the refusals that Slack itself shows.
const slackbot = "USLACKBOT"

// ConnectionTrouble is what a modal says when the app did not take its submission
// in time; it stays open with what was typed.
const ConnectionTrouble = "We had some trouble connecting. Try again?"

// showCommandFailure tells the person by Slackbot that the app did not take the
// command, under the name that Slack gives it. The text is only for them.
func (s *Server) showCommandFailure(out Outcome, userID, channelID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.ephemerals[userID] = append(s.state.ephemerals[userID], Message{
		Channel: channelID, TS: s.stamp(), User: slackbot, EphemeralTo: userID,
		Text: fmt.Sprintf("%s failed with the error \"%s\"", s.ws.Command, out.Error),
	})
	s.touch()
}

// showClickFailure puts the warning sign beside the element that was acted on, for
// the person alone; the next act on it takes it away.
func (s *Server) showClickFailure(userID, place, actionID string, failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := Warning{User: userID, Place: place, Action: actionID}
	if !failed && !slices.Contains(s.state.warnings, key) {
		return
	}
	s.state.warnings = slices.DeleteFunc(s.state.warnings, func(w Warning) bool { return w == key })
	if failed {
		s.state.warnings = append(s.state.warnings, key)
	}
	s.touch()
}

// showSubmitFailure leaves the modal open with the notice.
func (s *Server) showSubmitFailure(viewID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.findView(viewID, ""); v != nil {
		v.Notice = ConnectionTrouble
		s.touch()
	}
}

// Warning is an act that failed before a person's eyes: they see the warning sign
// beside the element until an act on it succeeds.
type Warning struct {
	User   string `json:"user"`
	Place  string `json:"place"` // the message's timestamp or the view's id
	Action string `json:"action_id"`
}
