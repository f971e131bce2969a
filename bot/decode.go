package bot

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Frame types that are not envelopes.
const (
	frameHello      = "hello"
	frameDisconnect = "disconnect"
)

// frame is one decoded websocket message.
type frame struct {
	kind     string // type of the envelope, or hello, or disconnect
	envelope string // empty when the frame is no envelope
	reason   string // of a disconnect
	accepts  bool   // the acknowledgement may carry a payload
	key      string // under which redeliveries are recognised
	event    Event  // nil when the frame is no envelope
	extra    int    // controls in the same payload beyond the first
}

// envelopePattern finds the id in a frame that is not JSON.
var envelopePattern = regexp.MustCompile(`"envelope_id"\s*:\s*"([^"\\]{1,200})"`)

// decodeFrame reads a raw frame that arrived at the given time. A frame that can
// not be understood gives an error together with whatever envelope id was found,
// so that it can be acknowledged all the same.
func decodeFrame(raw []byte, received time.Time) (frame, error) {
	var w wireFrame
	if err := json.Unmarshal(raw, &w); err != nil && !isTypeMismatch(err) {
		return frame{envelope: rawEnvelopeID(raw)}, fmt.Errorf("decode frame of %d bytes: %w", len(raw), err)
	}
	f := frame{kind: string(w.Type), envelope: string(w.EnvelopeID), accepts: bool(w.Accepts), reason: string(w.Reason)}
	if f.kind == frameHello || f.kind == frameDisconnect {
		f.envelope = ""
		return f, nil
	}
	if f.envelope == "" {
		return f, fmt.Errorf("decode frame of type %q: it has no envelope_id", f.kind)
	}
	f.key = f.envelope
	if w.Payload.TriggerID != "" {
		// One act of a person has one trigger, however often it is delivered.
		f.key = "trigger:" + string(w.Payload.TriggerID)
	}
	return f.withEvent(&w.Payload, received)
}

// withEvent adds the typed event of the payload.
func (f frame) withEvent(p *wirePayload, received time.Time) (frame, error) {
	var err error
	switch f.kind {
	case "slash_commands":
		f.event, err = decodeCommand(f.envelope, p, received)
	case "interactive":
		f.extra = max(0, len(p.Actions)-1)
		f.event, err = decodeInteractive(f.envelope, p, received)
	case "events_api":
		if p.EventID != "" {
			f.key = "event:" + string(p.EventID)
		}
		f.event = decodeEvent(f.envelope, p, received)
	default:
		f.event = unknown(f, p, received)
	}
	if err != nil {
		return f, fmt.Errorf("decode envelope of type %q: %w", f.kind, err)
	}
	return f, nil
}

// isTypeMismatch reports that the JSON was sound and only a field had another
// type than expected; encoding/json has then filled in all the others.
func isTypeMismatch(err error) bool {
	_, ok := errors.AsType[*json.UnmarshalTypeError](err)
	return ok
}

func rawEnvelopeID(raw []byte) string {
	m := envelopePattern.FindSubmatch(raw)
	if m == nil {
		return ""
	}
	return string(m[1])
}

func decodeCommand(envelope string, p *wirePayload, received time.Time) (Event, error) {
	if p.UserID == "" {
		return nil, errors.New("the slash command names no user")
	}
	return Command{
		Envelope: envelope, Name: string(p.Command), Team: string(p.TeamID),
		User: string(p.UserID), UserName: string(p.UserName),
		Channel: string(p.ChanID), ThreadTS: string(p.ThreadTS), Text: string(p.Text),
		ResponseURL: string(p.ResponseURL), TriggerID: string(p.TriggerID), ReceivedAt: received,
	}, nil
}

func decodeInteractive(envelope string, p *wirePayload, received time.Time) (Event, error) {
	if p.User.ID == "" {
		return nil, fmt.Errorf("the %s names no user", or(p.Type, "interaction"))
	}
	switch p.Type {
	case "block_actions":
		return decodeAction(envelope, p, received)
	case "view_submission":
		return decodeSubmission(envelope, p, received), nil
	default:
		return unknown(frame{envelope: envelope, kind: "interactive"}, p, received), nil
	}
}

func decodeAction(envelope string, p *wirePayload, received time.Time) (Event, error) {
	if len(p.Actions) == 0 {
		return nil, errors.New("the block_actions hold no action")
	}
	a := p.Actions[0]
	return Action{
		Envelope: envelope, Team: or(p.User.TeamID, p.Team.ID), User: string(p.User.ID),
		UserTeam: string(p.User.TeamID), InstallTeam: string(p.Team.ID),
		Channel:   or(p.Channel.ID, p.Container.ChannelID),
		MessageTS: or(p.Container.MessageTS, p.Message.TS),
		ThreadTS:  or(p.Container.ThreadTS, p.Message.ThreadTS),
		ViewID:    or(p.View.ID, p.Container.ViewID),
		ActionID:  string(a.ActionID), BlockID: string(a.BlockID),
		Value: string(a.Value), SelectedOption: a.selected(),
		TriggerID: string(p.TriggerID), ResponseURL: string(p.ResponseURL),
		ActionTS: string(a.ActionTS), AppID: string(p.AppID), ReceivedAt: received,
	}, nil
}

func decodeSubmission(envelope string, p *wirePayload, received time.Time) Event {
	values := make(map[string]map[string]string, len(p.View.State.Values))
	for block, inputs := range p.View.State.Values {
		values[block] = make(map[string]string, len(inputs))
		for action, in := range inputs {
			values[block][action] = or(in.Value, text(in.selected()))
		}
	}
	return Submission{
		Envelope: envelope, Team: or(p.User.TeamID, p.Team.ID), UserTeam: string(p.User.TeamID),
		InstallTeam: string(p.Team.ID), User: string(p.User.ID),
		ViewID: string(p.View.ID), CallbackID: string(p.View.CallbackID), PrivateMetadata: string(p.View.Metadata),
		Values: values, TriggerID: string(p.TriggerID), AppID: string(p.AppID), ReceivedAt: received,
	}
}

func decodeEvent(envelope string, p *wirePayload, received time.Time) Event {
	if p.Event.Type != "app_home_opened" || p.Event.User == "" {
		return unknown(frame{envelope: envelope, kind: "events_api"}, p, received)
	}
	return HomeOpened{
		Envelope: envelope, EventID: string(p.EventID), Team: string(p.TeamID),
		User: string(p.Event.User), Tab: string(p.Event.Tab), ReceivedAt: received,
	}
}

func unknown(f frame, p *wirePayload, received time.Time) Unknown {
	return Unknown{
		Envelope: f.envelope, Type: f.kind, Kind: or(p.Event.Type, p.Type),
		Team: or(p.User.TeamID, p.Team.ID, p.TeamID), User: or(p.User.ID, p.Event.User, p.UserID),
		ReceivedAt: received,
	}
}

// selected returns what was chosen in a control, whatever kind it is.
func (in wireInput) selected() string {
	if one := or(in.Option.Value, in.User, in.Conversation, in.Channel, in.Date, in.Time, in.DateTime); one != "" {
		return one
	}
	all := make([]string, 0, len(in.Options))
	for _, o := range in.Options {
		all = append(all, string(o.Value))
	}
	return strings.Join(all, ",")
}

// or returns the first that is not empty.
func or(candidates ...text) string {
	for _, c := range candidates {
		if c != "" {
			return string(c)
		}
	}
	return ""
}
