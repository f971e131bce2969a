package diagnosis

import "dw/lineage"

// StepKind is what a step does to the estate.
type StepKind string

// The kinds of step.
const (
	Hold    StepKind = "hold"
	Change  StepKind = "change"
	Recover StepKind = "recover"
	Rerun   StepKind = "rerun"
	Verify  StepKind = "verify"
)

// Who carries a step out.
const (
	ByOwner = "owner"
	ByDW    = "dw"
)

// The actions that steps name. An action that no connector offers is carried
// out by the owner.
const (
	ActionPauseSchedule  = "pause_schedule"
	ActionResumeSchedule = "resume_schedule"
	ActionLaunchJob      = "launch_job"
	ActionApplyDiff      = "apply_diff"
	ActionRevertDiff     = "revert_diff"
	ActionVerify         = "verify"
)

// Action is what a connector, or a person, is to do to one target.
type Action struct {
	System string            `json:"system"` // "dagster", "git", "dw"
	Name   string            `json:"name"`
	Target lineage.AssetID   `json:"target"`
	Args   map[string]string `json:"args,omitempty"`
}

// PlannedStep is one step of a plan. Steps are data: they are hashed into the
// proposal as they stand.
type PlannedStep struct {
	Kind       StepKind `json:"kind"`
	Title      string   `json:"title"`
	By         string   `json:"by"` // ByOwner or ByDW
	Action     Action   `json:"action"`
	File       string   `json:"file,omitempty"` // relative to Root
	Root       string   `json:"root,omitempty"`
	Diff       string   `json:"diff,omitempty"` // applies with `git apply` in Root
	Undo       string   `json:"undo"`           // plain sentence; "none" says why in Reason
	UndoAction *Action  `json:"undo_action,omitempty"`
	Reversible bool     `json:"reversible"`
	Reason     string   `json:"reason,omitempty"`
}

// PlannedProposal is one thing to ask a named person for.
type PlannedProposal struct {
	Key   string        `json:"key"` // "hold:dagster://settle", "change", "recover": unique in the plan
	Title string        `json:"title"`
	Steps []PlannedStep `json:"steps"`
	After []string      `json:"after,omitempty"` // keys that must be done before this starts
	// InForce says who states that the hold is in force already; what dw reads of
	// its target decides, and where nothing can be read the statement stands.
	InForce string `json:"in_force,omitempty"`
}
