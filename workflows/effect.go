package workflows

import (
	"encoding/json"
	"time"
)

// Effect is something to do outside dw, queued in the transaction that decided
// it. Key makes it unique for ever: the same key is queued once.
type Effect struct {
	Kind      string          `json:"kind"`
	Key       string          `json:"key"`
	NotBefore time.Time       `json:"not_before"` // zero: at once
	Payload   json.RawMessage `json:"payload"`
}

// The kinds of effect. Slack effects are delivered by handlers, which read the
// current state and paint it, so a late or repeated delivery paints the truth.
const (
	EffectIncidentCard = "slack.incident"       // IncidentRef
	EffectApprovalCard = "slack.approval"       // ProposalRef
	EffectThreadNote   = "slack.note"           // ThreadNote
	EffectDirect       = "slack.direct"         // DirectNote
	EffectNotice       = "slack.notice"         // Notice
	EffectInvestigate  = "incident.investigate" // IncidentRef
	EffectVerify       = "incident.verify"      // IncidentRef
	EffectStep         = "step.run"             // StepRef
)

// IncidentRef names an incident and the revision that caused the effect.
type IncidentRef struct {
	Incident string `json:"incident"`
	Rev      int64  `json:"rev"`
}

// ProposalRef names a proposal and the revision that caused the effect.
type ProposalRef struct {
	Proposal string `json:"proposal"`
	Rev      int64  `json:"rev"`
}

// StepRef names one step of a proposal.
type StepRef struct {
	Proposal string `json:"proposal"`
	Step     int    `json:"step"`
	Undo     bool   `json:"undo,omitempty"` // the roll back of the step
}

// Notice is a message of its own in a channel, for what belongs to no incident.
// Since bounds how far back an earlier copy is looked for.
type Notice struct {
	Channel string    `json:"channel"`
	Text    string    `json:"text"`
	Since   time.Time `json:"since"`
}

// ThreadNote is one line for an incident's thread, or for that of a proposal
// without an incident. Mention is who is notified.
type ThreadNote struct {
	Incident string   `json:"incident"`
	Proposal string   `json:"proposal,omitempty"` // where Incident is empty
	Text     string   `json:"text"`
	Mention  []Person `json:"mention,omitempty"`
}

// DirectNote is a message to one person, for example a reminder.
type DirectNote struct {
	To       Person `json:"to"`
	Incident string `json:"incident"`
	Proposal string `json:"proposal,omitempty"`
	Text     string `json:"text"`
}

// Deadline is a stored due time. One ticker reads what is due and fires it by
// compare-and-swap, so that any number of processes fire each once.
type Deadline struct {
	Kind    string    `json:"kind"`
	Subject string    `json:"subject"` // incident, proposal, "proposal/step" or check name
	DueAt   time.Time `json:"due_at"`
}

// The kinds of deadline; (Kind, Subject) is unique.
const (
	DeadlineCheck    = "check"
	DeadlinePropose  = "propose"
	DeadlineRemind   = "remind"
	DeadlineEscalate = "escalate"
	DeadlineExpire   = "expire"
	DeadlineLapse    = "lapse"
	DeadlineObserve  = "observe" // owner steps that dw can read
	DeadlinePoll     = "poll"    // runs that dw started
	DeadlineFacts    = "facts"   // a step of dw's own whose target could not be read
	DeadlineRenew    = "renew"   // of a halted run whose rest is asked anew
	DeadlineVerify   = "verify"
	DeadlineErrand   = "errand"   // calls to the pager and the tracker that are not settled
	DeadlinePage     = "page"     // the page of an incident goes out without a diagnosis
	DeadlineForget   = "forget"   // events of webhooks that need not be remembered any more
	DeadlineRecovery = "recovery" // every check passes again: look at every span since the onset
)
