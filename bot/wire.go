package bot

import (
	"bytes"
	"encoding/json"
)

// text is a string that decodes from whatever Slack sends in its place: numbers
// and booleans as their literal, null, arrays and objects as empty. It never
// fails, so one field of a new type cannot cost an acknowledgement.
type text string

// UnmarshalJSON takes any JSON value.
func (t *text) UnmarshalJSON(b []byte) error {
	*t = ""
	switch {
	case len(b) == 0 || b[0] == '{' || b[0] == '[' || bytes.Equal(b, []byte("null")):
	case b[0] == '"':
		var s string
		if json.Unmarshal(b, &s) == nil {
			*t = text(s)
		}
	default:
		*t = text(b)
	}
	return nil
}

// flag is a boolean that also decodes from "true", "1" and 1.
type flag bool

// UnmarshalJSON takes any JSON value; what is not clearly true is false.
func (f *flag) UnmarshalJSON(b []byte) error {
	s := string(bytes.Trim(b, `"`))
	*f = s == "true" || s == "1"
	return nil
}

// wireFrame is everything read from a frame, of all envelope types at once: one
// pass over the bytes instead of one for the envelope and one for the payload.
type wireFrame struct {
	Type       text        `json:"type"`
	EnvelopeID text        `json:"envelope_id"`
	Accepts    flag        `json:"accepts_response_payload"`
	Reason     text        `json:"reason"`
	Payload    wirePayload `json:"payload"`
}

type wirePayload struct {
	Type        text `json:"type"`
	TriggerID   text `json:"trigger_id"`
	ResponseURL text `json:"response_url"`

	// slash_commands
	Command  text `json:"command"`
	Text     text `json:"text"`
	TeamID   text `json:"team_id"`
	UserID   text `json:"user_id"`
	UserName text `json:"user_name"`
	ChanID   text `json:"channel_id"`
	ThreadTS text `json:"thread_ts"`

	// interactive
	AppID     text          `json:"api_app_id"`
	User      wireUser      `json:"user"`
	Team      wireID        `json:"team"`
	Channel   wireID        `json:"channel"`
	Container wireContainer `json:"container"`
	Message   wireMessage   `json:"message"`
	View      wireView      `json:"view"`
	Actions   []wireAction  `json:"actions"`

	// events_api
	EventID text      `json:"event_id"`
	Event   wireEvent `json:"event"`
}

type wireUser struct {
	ID     text `json:"id"`
	TeamID text `json:"team_id"`
}

type wireID struct {
	ID text `json:"id"`
}

type wireContainer struct {
	MessageTS text `json:"message_ts"`
	ThreadTS  text `json:"thread_ts"`
	ChannelID text `json:"channel_id"`
	ViewID    text `json:"view_id"`
}

type wireMessage struct {
	TS       text `json:"ts"`
	ThreadTS text `json:"thread_ts"`
}

type wireEvent struct {
	Type text `json:"type"`
	User text `json:"user"`
	Tab  text `json:"tab"`
}

type wireOption struct {
	Value text `json:"value"`
}

type wireAction struct {
	ActionID text `json:"action_id"`
	BlockID  text `json:"block_id"`
	ActionTS text `json:"action_ts"`
	wireInput
}

// wireInput is the part that a control has in common in actions and in the
// state of a modal.
type wireInput struct {
	Value        text         `json:"value"`
	Option       wireOption   `json:"selected_option"`
	Options      []wireOption `json:"selected_options"`
	User         text         `json:"selected_user"`
	Conversation text         `json:"selected_conversation"`
	Channel      text         `json:"selected_channel"`
	Date         text         `json:"selected_date"`
	Time         text         `json:"selected_time"`
	DateTime     text         `json:"selected_date_time"`
}

type wireView struct {
	ID         text      `json:"id"`
	CallbackID text      `json:"callback_id"`
	Metadata   text      `json:"private_metadata"`
	State      wireState `json:"state"`
}

type wireState struct {
	Values map[string]map[string]wireInput `json:"values"`
}
