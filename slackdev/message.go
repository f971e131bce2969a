package slackdev

import "encoding/json"

// Message is a message as the workspace stores it.
type Message struct {
	Channel  string `json:"channel"`             // "C…", "G…" or "D…"
	TS       string `json:"ts"`                  // unique in the channel; a string, not a number
	ThreadTS string `json:"thread_ts,omitempty"` // root of the thread; equal to TS on a root with replies
	User     string `json:"user"`
	BotID    string `json:"bot_id,omitempty"`
	Text     string `json:"text"`
	// Blocks is the JSON array with every block_id and action_id filled in.
	Blocks      json.RawMessage `json:"blocks,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
	Edited      *Edited         `json:"edited,omitempty"`
	ReplyCount  int             `json:"reply_count,omitempty"`
	Broadcast   bool            `json:"reply_broadcast,omitempty"`
	Files       []File          `json:"files,omitempty"`
	Reactions   []Reaction      `json:"reactions,omitempty"`
	EphemeralTo string          `json:"ephemeral_to,omitempty"` // the only reader; empty for all
}

// Reaction is an emoji that users put on a message.
type Reaction struct {
	Name  string   `json:"name"`
	Users []string `json:"users"`
}

// Edited says who changed a message last and when.
type Edited struct {
	User string `json:"user"`
	TS   string `json:"ts"`
}

// View is an open modal or a published Home.
type View struct {
	ID   string `json:"id"`
	User string `json:"user"` // whose screen it is on
	Type string `json:"type"` // "modal" or "home"
	Hash string `json:"hash"` // changes with each update
	// Body is the view as given by the app, ids filled in.
	Body json.RawMessage `json:"body"`
	// RootID and PreviousID place a modal in its stack.
	RootID     string `json:"root_id,omitempty"`
	PreviousID string `json:"previous_id,omitempty"`
	// Errors are shown at the input blocks, by block_id.
	Errors map[string]string `json:"errors,omitempty"`
	// Notice is what the client says when the app did not take the submission.
	Notice string `json:"notice,omitempty"`
}

// wire is the message in the form of the Web API and of payloads.
func (s *Server) wire(m Message, withMetadata bool) map[string]any {
	w := map[string]any{"type": "message", "ts": m.TS, "text": m.Text, "user": m.User, "team": s.ws.TeamID}
	if m.BotID != "" {
		w["bot_id"], w["app_id"] = m.BotID, s.ws.AppID
	}
	if m.ThreadTS != "" {
		w["thread_ts"] = m.ThreadTS
	}
	if m.ReplyCount > 0 {
		w["reply_count"] = m.ReplyCount
	}
	if m.Blocks != nil {
		w["blocks"] = m.Blocks
	}
	if len(m.Files) > 0 {
		w["files"], w["upload"] = s.wireFiles(m.Files), true
		w["subtype"] = "file_share"
	}
	if len(m.Reactions) > 0 {
		w["reactions"] = wireReactions(m.Reactions)
	}
	if m.Edited != nil {
		w["edited"] = m.Edited
	}
	if withMetadata && m.Metadata != nil {
		w["metadata"] = m.Metadata
	}
	return w
}

func (s *Server) wireFiles(files []File) []map[string]any {
	out := make([]map[string]any, 0, len(files))
	for _, f := range files {
		out = append(out, s.wireFile(f))
	}
	return out
}

func wireReactions(reactions []Reaction) []map[string]any {
	out := make([]map[string]any, 0, len(reactions))
	for _, r := range reactions {
		out = append(out, map[string]any{"name": r.Name, "users": r.Users, "count": len(r.Users)})
	}
	return out
}
