package bot

import (
	"context"
	"time"
)

// Event is one thing that a person did in Slack: a [Command], an [Action], a
// [Submission], a [HomeOpened], or an [Unknown]. Callers switch on the type.
type Event interface {
	// EnvelopeID returns the id under which Slack delivered the event.
	EnvelopeID() string
	isEvent()
}

// Handler carries out one event. Handle makes what it decides durable and then
// returns; ack is sent to Slack only after err is nil (nil ack: an empty
// acknowledgement; otherwise a value that marshals to less than 20 KB of JSON).
// An error means that nothing was kept: the envelope stays unacknowledged and
// the person sees Slack's own error and tries again.
//
// ctx ends when Slack no longer waits for the answer (about three seconds after
// the event arrived); work that takes longer belongs to a job. Handle is called
// from several goroutines at once.
type Handler interface {
	Handle(ctx context.Context, e Event) (ack any, err error)
}

// Command is a slash command. All ids are Slack's; Text is as Slack sent it.
type Command struct {
	// Envelope is the envelope id.
	Envelope string
	// Name is the command with its slash, such as "/dw".
	Name string
	// Team is the workspace in which the command was typed.
	Team string
	// User is the id of the person; UserName may be empty and proves nothing.
	User, UserName string
	// Channel is where it was typed; the bot need not be a member of it.
	Channel string
	// ThreadTS is the root of the thread, when Slack tells it; usually empty.
	ThreadTS string
	// Text is all that followed the command.
	Text string
	// ResponseURL answers this command only: 5 uses, 30 minutes.
	ResponseURL string
	// TriggerID opens one modal within three seconds.
	TriggerID string
	// ReceivedAt is when the frame was read.
	ReceivedAt time.Time
}

// Action is a click or a choice in a message, modal or Home.
type Action struct {
	// Envelope is the envelope id.
	Envelope string
	// Team is the workspace of the person (user.team_id), or of the installation
	// when Slack does not tell the person's.
	Team string
	// User is the person; UserTeam is user.team_id as sent and may be empty.
	User, UserTeam string
	// InstallTeam is the workspace that has the app installed (team.id).
	InstallTeam string
	// Channel, MessageTS and ThreadTS say where the control is; all are empty in
	// a modal or Home, ThreadTS also outside a thread.
	Channel, MessageTS, ThreadTS string
	// ViewID is set when the control is in a modal or Home.
	ViewID string
	// ActionID and BlockID name the control.
	ActionID, BlockID string
	// Value is the button's value; SelectedOption is what was chosen in a menu.
	Value, SelectedOption string
	// TriggerID opens one modal within three seconds.
	TriggerID string
	// ResponseURL changes or answers the message: 5 uses, 30 minutes.
	ResponseURL string
	// ActionTS is Slack's own time of the click, an opaque string.
	ActionTS string
	// AppID is the app to which Slack addressed the click.
	AppID string
	// ReceivedAt is when the frame was read.
	ReceivedAt time.Time
}

// Submission is a submitted modal.
type Submission struct {
	// Envelope is the envelope id.
	Envelope string
	// Team is the workspace of the person, or of the installation when Slack
	// does not tell the person's; UserTeam is user.team_id as sent.
	Team, UserTeam string
	// InstallTeam is the workspace that has the app installed.
	InstallTeam string
	// User is the person.
	User string
	// ViewID, CallbackID and PrivateMetadata are those of the modal.
	ViewID, CallbackID, PrivateMetadata string
	// Values holds what was filled in, by block id and action id. Several chosen
	// options are joined with commas.
	Values map[string]map[string]string
	// TriggerID opens one more modal within three seconds.
	TriggerID string
	// AppID is the app to which Slack addressed the submission.
	AppID string
	// ReceivedAt is when the frame was read.
	ReceivedAt time.Time
}

// HomeOpened says that a person opened a tab of the app's Home.
type HomeOpened struct {
	// Envelope is the envelope id; EventID is the same over Slack's redeliveries.
	Envelope, EventID string
	// Team and User say who opened it.
	Team, User string
	// Tab is "home" or "messages".
	Tab string
	// ReceivedAt is when the frame was read.
	ReceivedAt time.Time
}

// Unknown is an envelope that dw has no use for; the usual answer is an empty
// acknowledgement.
type Unknown struct {
	// Envelope is the envelope id.
	Envelope string
	// Type is the envelope's type, Kind the type of its payload or inner event.
	Type, Kind string
	// Team and User are set when they could be read.
	Team, User string
	// ReceivedAt is when the frame was read.
	ReceivedAt time.Time
}

// EnvelopeID returns the envelope id.
func (e Command) EnvelopeID() string { return e.Envelope }

// EnvelopeID returns the envelope id.
func (e Action) EnvelopeID() string { return e.Envelope }

// EnvelopeID returns the envelope id.
func (e Submission) EnvelopeID() string { return e.Envelope }

// EnvelopeID returns the envelope id.
func (e HomeOpened) EnvelopeID() string { return e.Envelope }

// EnvelopeID returns the envelope id.
func (e Unknown) EnvelopeID() string { return e.Envelope }

func (Command) isEvent()    {}
func (Action) isEvent()     {}
func (Submission) isEvent() {}
func (HomeOpened) isEvent() {}
func (Unknown) isEvent()    {}
