// Package workflows is the loop: incident, proposal, decision, escalation,
// execution, verification. A state change is a pure function of the state, a
// command and the time; the Service commits it with its receipts and effects.
package workflows

import (
	"context"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
)

// DecideRequest is one click on approve or reject, with everything needed to
// refuse it.
type DecideRequest struct {
	By         Person // team and user of the person who clicked, checked by bot.Identity
	NotAllowed string // why Slack's facts forbid this person to decide, empty if they do not
	Verdict    Verdict
	Proposal   string
	HashPrefix string // first 16 bytes of the hash, hex, from the button
	Nonce      string // from the button
	Reason     string // reject only
	Message    MessageRef
	ActionTS   string
	EnvelopeID string
	At         time.Time // arrival by dw's clock
	Standing   Standing  // filled by the Service
}

// DoneRequest is one click on "Mark done" (or on the undo's "Mark done").
type DoneRequest struct {
	By         Person
	NotAllowed string
	Proposal   string
	HashPrefix string
	Step       int
	Undo       bool // the step's undo was carried out
	Message    MessageRef
	EnvelopeID string
	At         time.Time
	Standing   Standing     // filled by the Service
	Seen       *Observation // what dw read of the step at the click, filled by the Service; nil: it cannot read it
}

// Answer is what only the person who acted is told.
type Answer struct {
	OK   bool   // the state changed, or had been changed by the same click before
	Text string // plain text, says why and who can decide where OK is false
}

// Decider records human decisions. Only handlers hold one.
type Decider interface {
	Decide(ctx context.Context, r DecideRequest) (Answer, error)
	MarkDone(ctx context.Context, r DoneRequest) (Answer, error)
	Acknowledge(ctx context.Context, incident string, by Person, at time.Time) (Answer, error)
}

// Proposer feeds the loop: results in, deadlines fired, effects carried out.
type Proposer interface {
	// OnResult records a result and opens, feeds or recovers an incident.
	OnResult(ctx context.Context, r checks.Result) error
	// Fire carries out what a due deadline asks for; exactly one caller wins.
	Fire(ctx context.Context, d Deadline) error
	// Perform carries out an incident or step effect (not Slack's).
	Perform(ctx context.Context, e Effect) error
}

// Reader answers questions.
type Reader interface {
	Incident(ctx context.Context, id string) (Incident, []Proposal, error)
	Incidents(ctx context.Context, openOnly bool, limit int) ([]Incident, error)
	Waiting(ctx context.Context) ([]Proposal, error)
}

// CheckRunner asks the warehouse. It never changes anything.
type CheckRunner interface {
	// RunCheck runs the check as of at and says when it is due next.
	RunCheck(ctx context.Context, name string, at time.Time) (checks.Result, error)
	NextDue(name string, after time.Time) (time.Time, error)
	// Recheck asks every check of the incident again, for every bucket since
	// its onset; an error means that it could not be asked, never that it is bad.
	Recheck(ctx context.Context, i Incident, now time.Time) (Verification, error)
}

// Findings is what an investigation found.
type Findings struct {
	Diagnosis diagnosis.Diagnosis
	Blast     lineage.BlastRadius
	Harm      *HarmCount // nil: no harm query, or it could not be asked (then Diagnosis.Unknown says so)
	// FixBy is when the domain's clocks let the fix be in force at the latest,
	// for a plan; zero where nothing is planned yet.
	FixBy time.Time
}

// Investigator reads the estate for one incident. It never changes anything.
type Investigator interface {
	// Related reports whether a signal on asset belongs to an incident on subject.
	Related(subject, asset lineage.AssetID) bool
	Investigate(ctx context.Context, i Incident, results []checks.Result, changes []diagnosis.ChangeEvent, now time.Time) (Findings, error)
	// Plan fills the steps of the best cause. A *diagnosis.PlanError comes beside
	// good proposals and says which others could not be made.
	Plan(ctx context.Context, i Incident, f Findings, now time.Time) ([]diagnosis.PlannedProposal, error)
}

// Run is an external run as its system's answer names it.
type Run struct {
	ID    string
	URL   string
	State string // the vendor's word
	Done  bool
	OK    bool
}

// Actuator carries out actions in one system. Launch must put tag on the run;
// an unclear outcome (time-out, cut connection) is an *UnclearError, after which
// the Service looks for the tag and never launches blindly again.
type Actuator interface {
	Launch(ctx context.Context, a diagnosis.Action, tag string) (Run, error)
	FindByTag(ctx context.Context, a diagnosis.Action, tag string) (Run, bool, error)
	State(ctx context.Context, a diagnosis.Action, runID string) (Run, error)
}

// Observation is what dw read about an owner's step.
type Observation struct {
	Done bool
	Text string // "schedule nightly_export is STOPPED, read from dagster"
	At   time.Time
}

// Observer reads whether an owner's step has taken effect. Known reports
// whether it can tell at all for this action.
type Observer interface {
	Known(a diagnosis.Action) bool
	Observe(ctx context.Context, s diagnosis.PlannedStep) (Observation, error)
}

// UnclearError says that a call may or may not have had its effect.
type UnclearError struct {
	Call string
	Err  error
}

// Error names the call and its cause.
func (e *UnclearError) Error() string { return e.Call + ": outcome unclear: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *UnclearError) Unwrap() error { return e.Err }
